private import Files
private import Media
package import MessageSchema
package import Messaging

/// Brings pictures and films to the library, for the program that asked for them.
package struct LibraryDelivery: Sendable {
    private static let chunk = 256 << 10

    private let library: @Sendable () throws -> MessageClient

    /// - Parameter library: The way to the library, with our role.
    package init(library: @escaping @Sendable () throws -> MessageClient) { self.library = library }

    /// Saves a picture.
    ///
    /// - Throws: The library's `ErrorReply`.
    package func save(
        _ bytes: [UInt8],
        filename: String,
        for delegation: Delegation,
        key: String?
    ) async throws -> Asset {
        let rest = Rest(bytes)
        return try await upload(SaveAsset(mediaType: .image, filename: filename), delegation, key) { await rest.next() }
    }

    /// Saves a film from its file, which stays.
    ///
    /// - Throws: The library's `ErrorReply`, or `FilesError`.
    package func save(film path: String, filename: String, for delegation: Delegation, key: String?) async throws
        -> Asset
    {
        let film = FilmFile(path)
        return try await upload(SaveAsset(mediaType: .movie, filename: filename), delegation, key) {
            try await film.next()
        }
    }

    private func upload(
        _ request: SaveAsset,
        _ delegation: Delegation,
        _ key: String?,
        _ next: @Sendable () async throws -> [UInt8]?
    ) async throws -> Asset {
        var options = CallOptions.unlimited
        options.onBehalfOf = delegation
        options.idempotencyKey = key
        // The person was asked for the whole request already.
        options.mayPrompt = false
        return try await library().upload(request, options) { try await next().map { Attachment($0) } }
    }

    /// Bytes, a chunk at a time.
    private actor Rest {
        private var bytes: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

        func next() -> [UInt8]? {
            guard !bytes.isEmpty else { return nil }
            defer { bytes = bytes.dropFirst(LibraryDelivery.chunk) }
            return Array(bytes.prefix(LibraryDelivery.chunk))
        }
    }

    /// A file, a chunk at a time; a chunk from the page cache is quicker than a thread's turn.
    private actor FilmFile {
        private let path: String
        private var file: FileDescriptor?

        init(_ path: String) { self.path = path }

        func next() throws -> [UInt8]? {
            if file == nil { file = try FileDescriptor(opening: path, [.read, .noFollow]) }
            let bytes = try file?.read(upTo: LibraryDelivery.chunk) ?? []
            return bytes.isEmpty ? nil : bytes
        }
    }
}
