private import CLinux
private import Consent
package import Files
private import Glibc
private import MessageSchema
private import ServiceRuntime

/// The folders of a cluster: made, owned and closed to others before anything is started in them.
package struct ClusterFolders: ~Copyable {
    /// Whom the services run as; `nil` for whoever we are.
    package let identity: ChildRequest.Identity?
    /// Held for as long as the supervisor lives: two on one runtime directory would fight.
    private let lock: FileLock

    /// Makes what is missing.
    ///
    /// - Throws: ``ClusterError`` that says which folder, why, and what to do.
    package init(_ options: ClusterOptions) throws(ClusterError) {
        let identity = try Self.identity(for: options.deployment)
        try Self.checkSocketPaths(in: options.runtime)
        let isSystem = options.deployment == .system
        try Self.make(options.data, mode: 0o700, for: identity)
        try Self.make(options.data + "/log", mode: 0o700, for: identity)
        try Self.make(options.runtime, mode: isSystem ? 0o755 : 0o700, for: identity)
        for folder in ["/notify", "/keys"] {
            try Self.make(options.runtime + folder, mode: 0o700, for: identity)
        }
        lock = try Self.lock(options.runtime)
        self.identity = identity
    }

    private static func identity(for deployment: Deployment) throws(ClusterError) -> ChildRequest.Identity? {
        guard deployment == .system else { return nil }
        guard let entry = unsafe getpwnam(Deployment.systemUser) else {
            throw ClusterError(
                .noSuchUser,
                "There is no user \"obscura\" for the services to run as",
                advice: "Make one: useradd --system --no-create-home --shell /usr/sbin/nologin --groups video obscura"
            )
        }
        let identity = unsafe ChildRequest.Identity(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
        guard geteuid() == 0 || geteuid() == identity.user else {
            throw ClusterError(
                .notPermitted,
                "A system deployment is started by root",
                advice: "Start it as root, or leave out --deployment system"
            )
        }
        return geteuid() == 0 ? identity : nil
    }

    private static func checkSocketPaths(in runtime: String) throws(ClusterError) {
        // sockaddr_un takes 107 bytes and a zero (unix(7)).
        let longest = ServiceName.allCases.map { runtime.utf8.count + $0.rawValue.utf8.count + 12 }.max() ?? 0
        guard longest > 107 else { return }
        throw ClusterError(
            .pathTooLong,
            "The runtime directory's path is \(longest - 107) bytes too long for sockets in it",
            advice: "Choose a shorter one with --runtime"
        )
    }

    private static func make(
        _ path: String,
        mode: UInt32,
        for identity: ChildRequest.Identity?
    ) throws(ClusterError) {
        do {
            let directory = try Directory(creating: path, permissions: mode)
            guard let identity else {
                try checkOwner(of: directory, path: path)
                return
            }
            let descriptor = directory.descriptor.rawValue
            guard fchown(descriptor, identity.user, identity.group) == 0, fchmod(descriptor, mode) == 0 else {
                throw ClusterError(.cannotCreate, "\(path) can not be given to the user obscura: \(reason(errno))")
            }
        } catch let error as ClusterError {
            throw error
        } catch let error as FilesError {
            throw ClusterError(
                .cannotCreate,
                "\(path) can not be made or opened: \(error)",
                advice: "Make it writable for this user, or choose another folder with --data and --runtime"
            )
        } catch {
            throw ClusterError(.cannotCreate, "\(path) can not be made")
        }
    }

    /// A folder of somebody else, or one that others can write into, would let them put sockets there.
    private static func checkOwner(of directory: borrowing Directory, path: String) throws {
        let status = try directory.descriptor.status()
        guard status.owner == geteuid(), status.permissions & 0o022 == 0 else {
            throw ClusterError(
                .notPermitted,
                "\(path) belongs to another user, or others can write into it",
                advice: "Choose a folder of your own with --data and --runtime, or: chmod go-w \(path)"
            )
        }
        guard unsafe access(path, W_OK) == 0 else {
            throw ClusterError(
                .cannotCreate,
                "\(path) is not writable: \(reason(errno))",
                advice: "Make it writable for this user, or choose another folder with --data and --runtime"
            )
        }
    }

    private static func lock(_ runtime: String) throws(ClusterError) -> FileLock {
        do {
            let directory = try Directory(opening: runtime)
            return try FileLock("up.lock", in: directory)
        } catch  where error.code == .locked {
            throw ClusterError(
                .alreadyRunning,
                "Another `obscura up` runs on \(runtime)",
                advice: "Use that one, end it, or choose another folder with --runtime"
            )
        } catch {
            throw ClusterError(.cannotCreate, "\(runtime)/up.lock can not be made: \(error)")
        }
    }

    private static func reason(_ number: CInt) -> String { unsafe String(cString: strerror(number)) }
}
