private import Files
private import MessageSchema

import struct FoundationEssentials.URL

/// Where an upload's chunks come from.
protocol UploadSource: Actor {
    /// The next chunk; nil after the last.
    func next() throws -> [UInt8]?
}

/// Bytes in memory, in chunks.
actor UploadBytes: UploadSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func next() -> [UInt8]? {
        let chunk = rest.prefix(512 << 10)
        rest = rest.dropFirst(chunk.count)
        return chunk.isEmpty ? nil : Array(chunk)
    }
}

/// A file of this process, read on a thread of its own.
actor UploadFile: UploadSource {
    private let thread = BlockingThread(name: "obscura-file")
    private let file: FileDescriptor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.executor.asUnownedSerialExecutor() }

    /// Opens a regular file.
    ///
    /// - Throws: ``ObscuraError`` -3302, as the Assets Library has it for a file out of reach.
    init(_ url: URL) throws {
        do throws(FilesError) {
            guard url.isFileURL else { throw FilesError(code: .invalid, operation: "open", path: url.path) }
            let file = try FileDescriptor(opening: url.path, [.read, .nonBlocking])
            guard try file.status().kind == .regular else { throw FilesError(code: .invalid, operation: "open") }
            self.file = file
        } catch {
            throw ObscuraError(.invalidData(cause: "unreadable: \(error)"))
        }
    }

    isolated deinit {}

    func next() throws -> [UInt8]? {
        do throws(FilesError) {
            let bytes = try file.read(upTo: 512 << 10)
            return bytes.isEmpty ? nil : bytes
        } catch {
            throw ErrorReply.invalidData(cause: "unreadable: \(error)")
        }
    }
}
