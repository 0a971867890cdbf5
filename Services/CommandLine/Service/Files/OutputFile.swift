private import Files
private import Hashing
import MessageSchema

/// A file that the user named to be written: complete and synced under its name, or not there at all.
///
/// Its calls block like the kernel's; a command has nothing else to do meanwhile.
actor OutputFile: Output {
    private let directory: Directory
    private let file: FileDescriptor
    private let name: String
    /// As the user named it.
    private let path: String
    /// The name while it is incomplete; nil when the target is a device or a pipe, which is written to as it is.
    private let temporary: String?
    private let replaces: Bool
    private var isOpen = true

    /// Opens a temporary file beside `path`, as the user's umask has it.
    ///
    /// - Throws: `destinationExists` for a name that something has and that may not lose it, now or in ``commit()``;
    ///   `cannotCreate`, `diskFull`.
    init(_ path: String, replacing: Bool = true) throws(ErrorReply) {
        let parts = Self.split(path)
        replaces = replacing
        name = parts.name
        self.path = path
        do throws(FilesError) {
            directory = try Directory(opening: parts.directory)
            switch try directory.status(of: parts.name)?.kind {
            case .directory:
                throw FilesError(code: .isADirectory, operation: "create", path: path)
            case .other:
                temporary = nil
                file = try FileDescriptor(opening: path, .write)
            case .regular? where !replacing, .symbolicLink? where !replacing:
                throw FilesError(code: .alreadyExists, operation: "create", path: path)
            case .regular, .symbolicLink, nil:
                let partial = ".\(parts.name.prefix(64)).\(randomBytes(6).hexadecimal).partial"
                temporary = partial
                file = try directory.open(partial, [.write, .create, .exclusive], permissions: 0o666)
            }
        } catch {
            throw error.code == .alreadyExists ? .nameTaken(path) : .cannotCreate(path, error)
        }
    }

    /// Adds bytes.
    func write(_ bytes: [UInt8]) throws(ErrorReply) {
        do throws(FilesError) {
            try file.writeAll(bytes)
        } catch {
            throw .cannotWrite(path, error)
        }
    }

    /// Gives the complete file its name, in place of what had it where that is allowed.
    func commit() throws(ErrorReply) {
        guard let temporary else { return }
        do throws(FilesError) {
            try file.sync()
            try directory.rename(temporary, as: name, replacing: replaces)
            isOpen = false
            try directory.sync()
        } catch {
            throw error.code == .alreadyExists ? .nameTaken(path) : .cannotWrite(path, error)
        }
    }

    /// Takes away what was written, unless it was committed.
    func discard() {
        guard isOpen, let temporary else { return }
        isOpen = false
        // What can not be removed stays as a hidden partial file, which is named as one.
        _ = try? directory.remove(temporary)
    }

    private static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let name = String(path[path.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name.isEmpty ? "." : name)
    }
}
