private import Media
import MessageSchema
private import ServiceRuntime

/// Brings the pictures of one request to the library, in their order.
actor PictureDelivery {
    private let library: LibraryDelivery
    private let delegation: Delegation
    /// Whether the first picture's upload is not ended before the others are saved.
    ///
    /// A grant for once is redeemed by the library for the first save and used up by its end; saves that come meanwhile
    /// with the same grant go by it.
    private let staysOpen: Bool
    private var first: (upload: Task<Asset, any Error>, rest: OpenPicture)?
    private var assets: [Asset] = []
    private var facts: [PictureFacts] = []
    private var granted: CaptureSettings?

    init(_ library: LibraryDelivery, for delegation: Delegation, staysOpen: Bool) {
        self.library = library
        self.delegation = delegation
        self.staysOpen = staysOpen
    }

    /// Saves the next picture.
    ///
    /// - Throws: The library's `ErrorReply`.
    func add(_ photo: PhotoTaker.Photo, effectOf request: RequestKey?) async throws {
        granted = granted ?? photo.granted
        facts.append(photo.facts)
        guard staysOpen, photo.index == 0 else {
            let asset = try await library.save(
                photo.bytes,
                filename: photo.filename,
                for: delegation,
                effectOf: request
            )
            assets.append(asset)
            return
        }
        let rest = OpenPicture(photo.bytes)
        // It outlives this call, and is ended by `end` or `cancel` whatever happens to the request.
        let upload = Task { [library, delegation] in
            defer { rest.admitted.open() }
            return try await library.save(photo.filename, for: delegation, effectOf: request) { await rest.next() }
        }
        first = (upload, rest)
        await withTaskCancellationHandler {
            await rest.admitted.wait()
        } onCancel: {
            upload.cancel()
        }
        try Task.checkCancellation()
    }

    /// What came of the request, when all pictures are there.
    ///
    /// - Throws: The library's `ErrorReply`.
    func result(_ camera: String, _ asked: CaptureSettings) async throws -> CaptureResult {
        try await end()
        guard let asset = assets.first, var granted else { throw ErrorReply(.internalFault, "There is no picture") }
        granted.count = asked.count == nil ? nil : assets.count
        var result = CaptureResult(asset: asset, camera: camera, asked: asked, granted: granted)
        result.assets = (asked.count ?? 1) > 1 ? assets : nil
        result.pictures = facts
        return result
    }

    /// The error with the pictures that are there all the same.
    func error(_ error: ErrorReply) async -> ErrorReply {
        // What goes wrong now is the consequence of what went wrong before.
        if error.code == .cancelled || error.discardsUnfinished { first?.upload.cancel() }
        try? await end()
        guard !assets.isEmpty else { return error }
        var error = error
        error.parameters = (error.parameters ?? [:]).merging(
            ["assets": assets.map(\.url.description).joined(separator: " ")]
        ) { known, _ in known }
        return error
    }

    private func end() async throws {
        guard let (upload, rest) = first.take() else { return }
        rest.complete.open()
        assets.insert(try await upload.value, at: 0)
    }
}

/// The bytes of a picture whose upload is not ended before it is told to.
private final class OpenPicture: Sendable {
    /// The library has taken the upload.
    let admitted = Latch()
    /// Nothing more is waited for.
    let complete = Latch()
    private let rest: LibraryDelivery.Rest

    init(_ bytes: [UInt8]) { rest = LibraryDelivery.Rest(bytes) }

    func next() async -> [UInt8]? {
        admitted.open()
        if let chunk = await rest.next() { return chunk }
        await complete.wait()
        return nil
    }
}
