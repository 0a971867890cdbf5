import Files
import Hashing

/// A file on its way into a bag, under a temporary name beside its own; dropped, it never was.
package struct BagFileWriter: ~Copyable {
    /// What it will be.
    package let file: PlacedFile
    let temporaryName: String
    let descriptor: FileDescriptor
    private let hasher = SHA256()
    private(set) var written: Int64 = 0

    init(_ file: PlacedFile, temporaryName: String, descriptor: consuming FileDescriptor) {
        self.file = file
        self.temporaryName = temporaryName
        self.descriptor = descriptor
    }

    /// Appends bytes and hashes them; blocks.
    ///
    /// - Throws: `contentMismatch` when there are more than announced; `files`.
    package mutating func write(_ bytes: [UInt8]) throws(BagError) {
        guard written + Int64(bytes.count) <= file.byteCount else {
            throw BagError(.contentMismatch, "more bytes came than were announced")
        }
        hasher.update(bytes)
        do throws(FilesError) {
            try descriptor.writeAll(bytes)
        } catch {
            throw BagError(error)
        }
        written += Int64(bytes.count)
    }

    /// Makes the content durable and compares it with what was announced.
    mutating func complete() throws(BagError) -> FileStatus {
        guard written == file.byteCount, hasher.finish() == file.digest else {
            throw BagError(.contentMismatch, "the bytes that came are not those that were announced")
        }
        do throws(FilesError) {
            try descriptor.sync()
            return try descriptor.status()
        } catch {
            throw BagError(error)
        }
    }
}
