private import Hashing
private import Media
import MessageSchema
private import Messaging

/// One form in which an asset's content is kept; its bytes are the file's, with all metadata.
public struct AssetRepresentation: Sendable {
    /// A uniform type identifier, such as `public.jpeg`.
    public var uti: String { message.uti }
    /// The file's name.
    public var filename: String { message.filename }
    /// Bytes of the file.
    public var size: Int64 { message.bytes }
    /// Pixels; 0 by 0 where that is not known.
    public var dimensions: PixelSize { PixelSize(width: message.width, height: message.height) }
    /// How the stored pixels are turned for display.
    public var orientation: AssetOrientation { AssetOrientation(message.orientation) }
    /// Pixels for each point.
    public var scale: Double { message.scale }
    /// The representation's URL.
    public var url: String { message.url.description }

    private let message: Representation
    private let asset: Asset
    private var cluster: ObscuraCluster { asset.cluster }

    init(_ message: Representation, _ asset: Asset) {
        self.message = message
        self.asset = asset
    }

    /// The whole file of a picture: the biggest and best there is, unadjusted in any way.
    ///
    /// It is not turned, and what was edited afterwards is another asset, or has replaced it.
    ///
    /// - Throws: ``ObscuraError``, with code `imageUnavailable` for a film, whose bytes ``read(from:count:_:)`` gives.
    public func fullResolutionImage() async throws -> [UInt8] {
        guard asset.type == .photo else {
            throw ObscuraError(
                ErrorReply(.imageUnavailable, "It is no picture", reason: "A film is reachable as bytes alone.")
            )
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(clamping: min(size, 1 << 30)))
        try await read { bytes += $0 }
        return bytes
    }

    /// A JPEG that fits a screen, upright and without metadata; of a film its first picture.
    ///
    /// - Parameter screen: Pixels, at most 4,096 a side.
    /// - Returns: The JPEG's bytes.
    /// - Throws: ``ObscuraError``, with code `imageUnavailable` when there is nothing to be seen.
    public func fullScreenImage(
        fitting screen: PixelSize = PixelSize(width: 2_048, height: 2_048)
    ) async throws -> [UInt8] {
        try await asset.thumbnail(fitting: screen)
    }

    /// What the file's metadata says, as dictionaries of names and texts: `{TIFF}`, `{Exif}`, `{GPS}`, `{Movie}`.
    ///
    /// What was given at the save wins. `{GPS}` is there for a program that may know the place.
    ///
    /// - Returns: Nil for a file that the library does not understand.
    /// - Throws: ``ObscuraError``; `noSuchAsset` when it is gone.
    public func metadata() async throws -> [String: [String: String]]? {
        try await cluster.call(ReadMetadata(url: message.url)).metadata
    }

    /// Reads up to `count` bytes from an offset.
    ///
    /// Fewer come at the end, and none at or past it. An error is thrown and never an empty array, so that a loop that
    /// reads until nothing comes has read everything.
    ///
    /// - Parameters:
    ///   - offset: Bytes to skip; not negative.
    ///   - count: Bytes wanted; not negative.
    /// - Returns: The bytes.
    /// - Throws: ``ObscuraError``, with code `damaged` when the bytes do not have the hash that the library states.
    public func readBytes(from offset: Int64, count: Int) async throws -> [UInt8] {
        precondition(offset >= 0 && count >= 0, "an offset and a count are not negative")
        var bytes: [UInt8] = []
        try await read(from: offset, count: Int64(count)) { bytes += $0 }
        return bytes
    }

    /// Hands all bytes from an offset to a closure, chunk by chunk; no more than a few chunks are held in memory.
    ///
    /// - Parameters:
    ///   - offset: Bytes to skip; not negative.
    ///   - count: At most so many bytes; all when nil.
    ///   - body: Gets each chunk, in order; what it throws ends the reading.
    /// - Throws: ``ObscuraError``, with code `damaged` when the bytes do not have the hash that the library states; or
    ///   what `body` throws.
    public func read(
        from offset: Int64 = 0,
        count: Int64? = nil,
        _ body: ([UInt8]) async throws -> Void
    ) async throws {
        precondition(offset >= 0 && count ?? 0 >= 0, "an offset and a count are not negative")
        let stream = try await cluster.stream(ReadAsset(url: message.url, offset: offset, length: count))
        let hash = SHA256()
        try await translating {
            do {
                while let item = try await stream.next() {
                    for chunk in item.attachments.map(\.bytes) {
                        hash.update(chunk)
                        try await body(chunk)
                    }
                }
            } catch {
                await stream.cancel()
                throw error
            }
            guard stream.summary?.sha256 == hash.finish().description else {
                throw ErrorReply(
                    .damaged,
                    "Damaged on the way",
                    reason: "The bytes that arrived do not have the hash that the library states."
                )
            }
        }
    }
}
