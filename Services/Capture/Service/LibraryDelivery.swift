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
        effectOf request: RequestKey?
    ) async throws -> Asset {
        let rest = Rest(bytes)
        return try await save(filename, for: delegation, effectOf: request) { await rest.next() }
    }

    /// Saves a picture whose bytes come chunk by chunk, when the library takes them.
    ///
    /// - Throws: The library's `ErrorReply`.
    func save(
        _ filename: String,
        for delegation: Delegation,
        effectOf request: RequestKey?,
        _ next: @Sendable () async -> [UInt8]?
    ) async throws -> Asset {
        var save = SaveAsset(mediaType: .image, filename: filename)
        save.effectOf = request
        return try await upload(save, delegation, next)
    }

    /// Saves a film from its file, which stays.
    ///
    /// - Throws: The library's `ErrorReply`, or `FilesError`.
    package func save(
        film path: String,
        filename: String,
        for delegation: Delegation,
        effectOf request: RequestKey
    ) async throws -> Asset {
        let film = FilmFile(path)
        var save = SaveAsset(mediaType: .movie, filename: filename)
        save.effectOf = request
        return try await upload(save, delegation) { try await film.next() }
    }

    /// The asset that a program's earlier request was answered with; nil when there is none.
    ///
    /// - Throws: The library's `ErrorReply`: `idempotencyConflict` when the key was another request's.
    package func saved(_ request: RequestKey, for delegation: Delegation) async throws -> Asset? {
        var options = CallOptions()
        options.onBehalfOf = delegation
        options.mayPrompt = false
        return try await library().call(FindSaved(request: request), options).asset
    }

    private func upload(
        _ request: SaveAsset,
        _ delegation: Delegation,
        _ next: @Sendable () async throws -> [UInt8]?
    ) async throws -> Asset {
        var options = CallOptions.unlimited
        options.onBehalfOf = delegation
        // The person was asked for the whole request already.
        options.mayPrompt = false
        return try await library().upload(request, options) { try await next().map { Attachment($0) } }
    }

    /// Bytes, a chunk at a time.
    actor Rest {
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
