import Files
private import Glibc
import MessageSchema
private import Timekeeping

/// The files that hold the services' log lines: opened so that nothing else is written, and kept below a size.
///
/// A service writes through the descriptor that it is started with, at the end of the file (O_APPEND). A file that has
/// grown too large is copied to `NAME.log.1`, over the one before, and emptied: what is written between the two steps,
/// some microseconds, is lost. So a service never takes more than twice the size, and its descriptor stays good.
struct LogFiles: Sendable {
    /// From how many bytes on a file is put aside.
    static let limit: Int64 = 8 << 20

    private let folders: ClusterFolders
    private let path: String
    private let limit: Int64

    init(_ folders: ClusterFolders, at path: String, limit: Int64 = LogFiles.limit) {
        self.folders = folders
        self.path = path
        self.limit = limit
    }

    /// The file of a service, for writing at its end; made when it is missing.
    ///
    /// - Throws: ``ClusterError`` for what is no file of ours: a link, a file with another name, too, or somebody else's.
    func open(_ service: ServiceName) throws(ClusterError) -> FileDescriptor {
        try open(Self.name(of: service), [.write, .append, .create])
    }

    /// Puts aside what a service has written, if that is too much; blocks.
    ///
    /// - Returns: Whether it was too much.
    @discardableResult
    func rotate(_ service: ServiceName) throws -> Bool {
        let name = Self.name(of: service)
        return try putAside(open(name, [.readWrite, .create]), as: name)
    }

    private func putAside(_ file: borrowing FileDescriptor, as name: String) throws(FilesError) -> Bool {
        guard try file.status().size > limit else { return false }
        do throws(FilesError) {
            try keep(file, as: name)
        } catch {
            // A full disk needs the room more than the old lines.
            guard error.code == .noSpace else { throw error }
            try folders.log.remove(".\(name).partial")
        }
        try file.truncate(to: 0)
        return true
    }

    private func keep(_ file: borrowing FileDescriptor, as name: String) throws(FilesError) {
        let partial = ".\(name).partial"
        try folders.log.remove(partial)
        let copy = try folders.log.open(partial, [.write, .create, .exclusive], permissions: 0o640)
        _ = try copyInKernel(from: file, to: copy)
        try folders.log.rename(partial, as: name + ".1", replacing: true)
    }

    private func open(_ name: String, _ mode: OpenMode) throws(ClusterError) -> FileDescriptor {
        let file = try opened(name, mode)
        guard isOurs(file) else { throw refusal(name) }
        return file
    }

    private func opened(_ name: String, _ mode: OpenMode) throws(ClusterError) -> FileDescriptor {
        do throws(FilesError) {
            // Without waiting: a pipe in its place would hold us up.
            return try folders.log.open(name, mode.union(.nonBlocking), permissions: 0o640)
        } catch {
            guard error.code != .symbolicLink else { throw refusal(name) }
            throw ClusterError(
                .cannotCreate,
                "\(path)/\(name) can not be made or opened: \(error)",
                advice: "Make it writable, or remove it"
            )
        }
    }

    private func isOurs(_ file: borrowing FileDescriptor) -> Bool {
        // What can not be asked is not ours.
        guard let status = try? file.status() else { return false }
        let owners = [geteuid(), folders.identity?.user]
        // Writes to a regular file wait whatever the flag says (open(2), O_NONBLOCK).
        return status.kind == .regular && status.links == 1 && owners.contains(status.owner)
    }

    private func refusal(_ name: String) -> ClusterError {
        ClusterError(
            .notPermitted,
            "\(path)/\(name) is a link, has another name, too, or belongs to somebody else; nothing is written to it",
            advice: "Find out who put it there, and remove it"
        )
    }

    private static func name(of service: ServiceName) -> String { "\(service.rawValue).log" }
}

/// Keeps the log files below their size while the services run, on a thread of its own: disks can be slow.
actor LogKeeper {
    private static let interval = Duration.seconds(5)

    private let thread = BlockingThread(name: "logs")
    private let files: LogFiles
    private let services: [ServiceName]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.executor.asUnownedSerialExecutor() }

    init(_ files: LogFiles, services: [ServiceName]) {
        self.files = files
        self.services = services
    }

    isolated deinit {}

    /// Looks each few seconds until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            rotate()
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: Self.interval, clock: BootClock())
        }
    }

    private func rotate() {
        // What can not be put aside now is tried again; the services go on writing.
        for service in services { _ = try? files.rotate(service) }
    }
}
