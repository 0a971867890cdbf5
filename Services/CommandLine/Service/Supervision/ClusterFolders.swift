private import CLinux
private import Consent
package import Files
private import Glibc
private import MessageSchema
private import Messaging
private import ServiceRuntime

/// The folders of a cluster: made, owned and closed to others before anything is started in them, and then held open.
///
/// In a system deployment the services own DATA and RUNTIME, and root works in both. So root keeps `log`, `notify` and
/// `keys` for itself, reaches what is in them through the descriptors that are held here, never through a link, and gives
/// nothing away that it has not made: a service that was taken over can not lead it to somebody else's files.
package final class ClusterFolders: Sendable {
    /// Whom the services run as; `nil` for whoever we are.
    package let identity: ChildRequest.Identity?
    /// DATA/log: the services' log lines.
    let log: Directory
    /// RUNTIME/notify: the sockets on which services tell how they are.
    let notify: Directory
    /// RUNTIME/keys: the keys of services that somebody else runs.
    let keys: Directory
    /// Held for as long as the supervisor lives: two on one runtime directory would fight.
    private let lock: FileLock
    /// And two on one data directory: the second would start services that wait for the first one's.
    private let dataLock: FileLock

    /// How long services of a supervisor that was killed may take to end: the kernel ends them with it (prctl(2),
    /// PR_SET_PDEATHSIG).
    private static let leaving = Duration.seconds(2)

    /// Makes what is missing, and waits until services of an earlier supervisor are gone; blocks meanwhile.
    ///
    /// - Throws: ``ClusterError`` that says which folder, why, and what to do.
    package init(_ options: ClusterOptions) throws(ClusterError) {
        let identity = try Self.identity(for: options.deployment)
        try Self.checkSocketPaths(in: options.runtime)
        let isSystem = options.deployment == .system
        let data = try Self.make(options.data, mode: 0o700, for: identity)
        let runtime = try Self.make(options.runtime, mode: isSystem ? 0o755 : 0o700, for: identity)
        // Set-group-ID: what root makes inside has the services' group.
        log = try Self.makeInner("log", in: data, options.data, mode: 0o2750, for: identity)
        notify = try Self.makeInner("notify", in: runtime, options.runtime, mode: 0o2710, for: identity)
        keys = try Self.makeInner("keys", in: runtime, options.runtime, mode: 0o2750, for: identity)
        lock = try Self.lock(keys, "\(options.runtime)/keys", of: options.runtime, "--runtime")
        dataLock = try Self.lock(log, "\(options.data)/log", of: options.data, "--data")
        self.identity = identity
        let end = ContinuousClock.now.advanced(by: Self.leaving)
        for service in ServiceName.allCases where !options.except.contains(service) {
            let endpoint = ServiceEndpoint(service: service.rawValue, runtimeDirectory: options.runtime)
            // One that stays says itself, when it is started, that another one runs.
            _ = endpoint.waitUntilFree(for: ContinuousClock.now.duration(to: end))
        }
    }

    private static func identity(for deployment: Deployment) throws(ClusterError) -> ChildRequest.Identity? {
        guard deployment == .system else { return nil }
        guard let entry = UserDatabase.user(named: Deployment.systemUser) else {
            throw ClusterError(
                .noSuchUser,
                "There is no user \"obscura\" for the services to run as",
                advice: "Make one: useradd --system --no-create-home --shell /usr/sbin/nologin "
                    + "--groups video,audio obscura"
            )
        }
        guard entry.user != 0 else {
            throw ClusterError(.noSuchUser, "The user \"obscura\" is root", advice: "Give it a number of its own")
        }
        guard geteuid() == 0 || geteuid() == entry.user else {
            throw ClusterError(
                .notPermitted,
                "A system deployment is started by root",
                advice: "Start it as root, or leave out --deployment system"
            )
        }
        return geteuid() == 0
            ? ChildRequest.Identity(user: entry.user, group: entry.group, groups: entry.groups) : nil
    }

    private static func checkSocketPaths(in runtime: String) throws(ClusterError) {
        // sockaddr_un takes 107 bytes and a zero (unix(7)).
        let longest = ServiceName.allCases.map { runtime.utf8.count + $0.rawValue.utf8.count + 12 }.max() ?? 0
        guard longest > 107 else { return }
        throw ClusterError(
            .pathTooLong,
            "The runtime directory's path is \(CountText.of(longest - 107, "byte")) too long for sockets in it",
            advice: "Choose a shorter one with --runtime"
        )
    }

    // MARK: DATA and RUNTIME

    private static func make(
        _ path: String,
        mode: UInt32,
        for identity: ChildRequest.Identity?
    ) throws(ClusterError) -> Directory {
        do {
            guard let identity else {
                let directory = try Directory(creating: path, permissions: mode)
                try checkOwner(of: directory, path: path)
                return directory
            }
            var isNew = false
            let directory = try walk(to: path, isNew: &isNew)
            try give(directory, isNew, path, mode: mode, to: identity)
            return directory
        } catch {
            throw explained(error, path)
        }
    }

    /// Opens a folder part by part, none of which may be a link, and makes what is missing.
    private static func walk(to path: String, isNew: inout Bool) throws(FilesError) -> Directory {
        var directory = try Directory(opening: "/")
        for part in path.split(separator: "/") where part != "." {
            do throws(FilesError) {
                directory = try directory.openDirectory(String(part))
                isNew = false
            } catch  where error.code == .notFound {
                directory = try directory.makeDirectory(String(part), permissions: 0o755)
                isNew = true
            }
        }
        return directory
    }

    /// Gives a folder to the services' user: one that is new or empty, or theirs already.
    private static func give(
        _ directory: borrowing Directory,
        _ isNew: Bool,
        _ path: String,
        mode: UInt32,
        to identity: ChildRequest.Identity
    ) throws {
        let owner = try directory.descriptor.status().owner
        var isFree = isNew || owner == identity.user
        // A file system's own folder does not make it somebody's.
        if !isFree, owner == 0 { isFree = try directory.entries().allSatisfy { $0.name == "lost+found" } }
        guard isFree else {
            throw ClusterError(
                .notPermitted,
                "\(path) does not belong to the user obscura, and is not empty",
                advice:
                    "Choose another folder with --data and --runtime, or, if all that is in it is meant for Obscura: "
                    + "chown -R obscura: \(path)"
            )
        }
        let descriptor = directory.descriptor.rawValue
        guard fchown(descriptor, identity.user, identity.group) == 0, fchmod(descriptor, mode) == 0 else {
            throw ClusterError(.cannotCreate, "\(path) can not be given to the user obscura: \(reason(errno))")
        }
    }

    /// A folder of somebody else, or one that others can write into, would let them put sockets there.
    private static func checkOwner(of directory: borrowing Directory, path: String) throws {
        let status = try directory.descriptor.status()
        guard status.owner == geteuid() else {
            throw ClusterError(
                .notPermitted,
                "\(path) belongs to the user \(status.owner), and you are \(geteuid())",
                advice: "Choose a folder of your own with --data and --runtime, or run this as that user"
            )
        }
        guard status.permissions & 0o022 == 0 else {
            throw ClusterError(
                .notPermitted,
                "Others can write into \(path)",
                advice: "Choose another folder with --data and --runtime, or: chmod go-w \(path)"
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

    // MARK: Inside them

    /// A folder inside, which stays ours; the services' group may use it as `mode` says.
    private static func makeInner(
        _ name: String,
        in parent: borrowing Directory,
        _ parentPath: String,
        mode: UInt32,
        for identity: ChildRequest.Identity?
    ) throws(ClusterError) -> Directory {
        let path = "\(parentPath)/\(name)"
        do {
            let directory = try parent.makeDirectory(name)
            guard let identity else {
                try checkOwner(of: directory, path: path)
                return directory
            }
            let owner = try directory.descriptor.status().owner
            guard owner == geteuid() || owner == identity.user else {
                throw ClusterError(.notPermitted, "\(path) belongs to another user", advice: "Remove it")
            }
            let descriptor = directory.descriptor.rawValue
            guard fchown(descriptor, geteuid(), identity.group) == 0, fchmod(descriptor, mode) == 0 else {
                throw ClusterError(.cannotCreate, "\(path) can not be given to root: \(reason(errno))")
            }
            return directory
        } catch {
            throw explained(error, path)
        }
    }

    private static func lock(
        _ directory: borrowing Directory,
        _ path: String,
        of folder: String,
        _ option: String
    ) throws(ClusterError) -> FileLock {
        do {
            // The lock writes its holder's number: not into what has another name, too. Others can not change the folder now.
            if let status = try directory.status(of: "up.lock"), status.kind != .regular || status.links != 1 {
                throw ClusterError(
                    .notPermitted,
                    "\(path)/up.lock is a link, or no file",
                    advice: "Find out who put it there, and remove it"
                )
            }
            return try FileLock("up.lock", in: directory)
        } catch {
            guard (error as? FilesError)?.code == .locked else { throw explained(error, "\(path)/up.lock") }
            throw ClusterError(
                .alreadyRunning,
                "Another `obscura up` runs on \(folder)",
                advice: "Use that one, end it, or choose another folder with \(option)"
            )
        }
    }

    private static func explained(_ error: any Error, _ path: String) -> ClusterError {
        if let error = error as? ClusterError { return error }
        if (error as? FilesError)?.code == .symbolicLink {
            return ClusterError(
                .notPermitted,
                "\(path) is a symbolic link, or leads through one",
                advice: "Remove the link, or give the path that it leads to, with --data and --runtime"
            )
        }
        return ClusterError(
            .cannotCreate,
            "\(path) can not be made or opened: \(error)",
            advice: "Make it writable for this user, or choose another folder with --data and --runtime"
        )
    }

    private static func reason(_ number: CInt) -> String { unsafe String(cString: strerror(number)) }
}
