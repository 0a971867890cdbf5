import Media
import MessageSchema
private import Messaging

/// A picture or a film in the library, as it was when it was asked for.
public struct Asset: Sendable {
    /// The asset's URL, such as `assets-library://asset/asset.MOV?id=<UUID>&ext=MOV`.
    public var url: String { message.url.description }
    /// What it is.
    public var type: AssetType { AssetType(message.kind) }
    /// When it was taken.
    public var time: AssetTime? { message.date.map(AssetTime.init) }
    /// Where it was taken; nil also for a program that may not see it.
    public var location: AssetLocation? { message.location.map(AssetLocation.init) }
    /// Seconds; nil for photos.
    public var duration: Double? { message.duration }
    /// How the stored pixels are turned for display.
    public var orientation: AssetOrientation { AssetOrientation(message.orientation) }
    /// The size as displayed.
    public var size: PixelSize { PixelSize(width: message.width, height: message.height) }
    /// Whether a person likes it.
    public var isFavourite: Bool { message.favourite ?? false }
    /// What a person wrote below it; nil without.
    public var caption: String? { message.caption }
    /// Whether the program may replace its content: it has saved the asset itself.
    public var isEditable: Bool { message.editable ?? false }
    /// RFC 3339: when it will be deleted for good; nil when it is not in the trash.
    public var expires: String? { message.expires }
    /// The asset of which this is a modified version.
    public var originalURL: String? { message.original?.description }
    /// SHA-256 of the original in hexadecimal; nil where the original is not the program's to see.
    public var sha256: String? { message.sha256 }
    /// Why the original can not be seen or played, where that is so.
    public var problem: String? { message.state == .ok ? nil : message.reason ?? message.state.rawValue }
    /// The representation that is used unless another is chosen.
    public var defaultRepresentation: AssetRepresentation {
        AssetRepresentation(message.representations.first ?? Representation(of: message), self)
    }
    /// All representations.
    public var representations: [AssetRepresentation] {
        let all = message.representations.isEmpty ? [Representation(of: message)] : message.representations
        return all.map { AssetRepresentation($0, self) }
    }

    var name: AssetURL { message.url }

    private let message: MessageSchema.Asset
    let cluster: ObscuraCluster

    init(_ message: MessageSchema.Asset, _ cluster: ObscuraCluster) {
        self.message = message
        self.cluster = cluster
    }

    /// A small JPEG, upright and without metadata, that fits into a box.
    ///
    /// - Throws: ``ObscuraError``, with code `imageUnavailable` when there is nothing to be seen.
    public func thumbnail(fitting box: PixelSize) async throws -> [UInt8] {
        try await picture(ThumbnailAsset(url: message.url, width: box.width, height: box.height))
    }

    /// A small square JPEG of the middle, upright and without metadata; smaller only where the original is.
    ///
    /// - Parameter side: Pixels, 1 to 4,096.
    /// - Returns: The JPEG's bytes.
    /// - Throws: ``ObscuraError``, with code `imageUnavailable` when there is nothing to be seen.
    public func squareThumbnail(side: Int = 150) async throws -> [UInt8] {
        try await picture(ThumbnailAsset(url: message.url, width: side, height: side, fill: true))
    }

    private func picture(_ request: ThumbnailAsset) async throws -> [UInt8] {
        let stream = try await cluster.stream(request)
        return try await translating {
            var bytes: [UInt8] = []
            while let item = try await stream.next() { bytes = item.attachments.first?.bytes ?? bytes }
            guard !bytes.isEmpty else {
                throw ErrorReply(.imageUnavailable, "No thumbnail", reason: "The asset has no picture to be shown.")
            }
            return bytes
        }
    }
}

extension Asset: Hashable {
    public static func == (left: Asset, right: Asset) -> Bool { left.message == right.message }

    public func hash(into hasher: inout Hasher) { hasher.combine(message.url) }
}

extension Representation {
    /// The original, for an asset whose representations are not listed.
    fileprivate init(of asset: MessageSchema.Asset) {
        self.init(
            uti: asset.uti,
            filename: asset.filename,
            bytes: asset.bytes,
            width: asset.width,
            height: asset.height,
            orientation: asset.orientation,
            scale: 1,
            url: asset.url
        )
    }
}
