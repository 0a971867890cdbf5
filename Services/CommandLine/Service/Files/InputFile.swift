private import Containers
import Files
import Media
import MessageSchema

/// A regular file that the user named, read from its start in chunks; opened without waiting and never through a device.
actor InputFile {
    private let file: FileDescriptor
    private let path: String
    /// Bytes when it was opened.
    nonisolated let size: Int64
    /// When its content was last changed, in microseconds since 1970.
    nonisolated let modifiedMicroseconds: Int64
    private var offset: Int64 = 0
    private var sentBytes: Int64 = 0

    init(_ path: String) throws(ErrorReply) {
        do throws(FilesError) {
            try self.init(try FileDescriptor(opening: path, [.read, .nonBlocking]), path)
        } catch {
            throw .cannotRead(path, error)
        }
    }

    /// Takes an open file over.
    init(_ file: consuming FileDescriptor, _ path: String) throws(FilesError) {
        let status = try file.status()
        if status.kind == .directory { throw FilesError(code: .isADirectory, operation: "open", path: path) }
        if status.kind != .regular { throw FilesError(code: .notRegular, operation: "open", path: path) }
        size = status.size
        modifiedMicroseconds = status.modifiedNanoseconds / 1_000
        self.file = file
        self.path = path
    }

    /// The next chunk, nil at the end.
    func next(upTo count: Int = 512 << 10) throws(ErrorReply) -> [UInt8]? {
        do throws(FilesError) {
            let bytes = try file.read(at: offset, upTo: count)
            offset += Int64(bytes.count)
            return bytes.isEmpty ? nil : bytes
        } catch {
            throw .cannotRead(path, error)
        }
    }

    /// Counts bytes that are on their way, and gives their number so far.
    func sent(_ count: Int) -> Int64 {
        sentBytes += Int64(count)
        return sentBytes
    }

    /// Begins again, for another try.
    func rewind() { offset = 0 }

    /// What its first bytes say it is.
    func kind() -> AssetKind {
        FileType(
            recognising: RandomAccessBytes(count: size) { offset, count in
                // What can not be read here can not be read later either, and is reported then.
                (try? self.file.read(at: offset, upTo: count)) ?? []
            }
        ).kind
    }
}

extension String {
    /// The last part of a path.
    var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }
}
