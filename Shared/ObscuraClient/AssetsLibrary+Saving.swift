import Media
import MessageSchema
private import Messaging

public import struct FoundationEssentials.URL

/// Metadata that a saver gives beside the bytes; it wins over what the bytes say.
public struct PhotoMetadata: Hashable, Sendable {
    /// How the pixels are turned for display.
    public var orientation: AssetOrientation?
    /// Who made the camera.
    public var cameraMake: String?
    /// Which camera it was.
    public var cameraModel: String?
    /// Latitude and longitude in degrees, altitude in metres.
    public var place: (latitude: Double, longitude: Double, altitude: Double?)? {
        get { location.map { ($0.latitude, $0.longitude, $0.altitude) } }
        set {
            location = newValue.flatMap {
                Location(latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude)
            }
        }
    }

    private var location: Location?

    /// No metadata.
    public init() {}

    var message: SaveMetadata {
        var message = SaveMetadata()
        message.orientation = orientation.flatMap { wanted in
            Orientation.allCases.first { $0.assetsLibraryValue == wanted.rawValue }
        }
        message.cameraMake = cameraMake
        message.cameraModel = cameraModel
        message.location = location
        return message
    }
}

extension AssetsLibrary {
    /// Saves a photo from its file's bytes.
    ///
    /// - Parameters:
    ///   - bytes: A whole picture file, such as a JPEG.
    ///   - filename: A suggestion; the type is found from the content.
    ///   - metadata: Wins over what the bytes say.
    /// - Returns: The new asset, which the program may look at and read from now on.
    /// - Throws: ``ObscuraError``; -3302 for what can not be viewed, -3310 for a program that may not save.
    public func savePhoto(
        _ bytes: [UInt8],
        filename: String = "photo",
        metadata: PhotoMetadata? = nil
    ) async throws -> Asset {
        try await save(.image, filename, metadata, UploadBytes(bytes))
    }

    /// Saves a photo from a file.
    ///
    /// - Parameters:
    ///   - file: A file of this machine that this process can read.
    ///   - metadata: Wins over what the file says.
    /// - Returns: The new asset, which the program may look at and read from now on.
    /// - Throws: ``ObscuraError``; -3302 for what can not be read or viewed, -3310 for a program that may not save.
    public func savePhoto(at file: URL, metadata: PhotoMetadata? = nil) async throws -> Asset {
        try await save(.image, file.lastPathComponent, metadata, try UploadFile(file))
    }

    /// Saves a video from its file's bytes.
    ///
    /// - Parameters:
    ///   - bytes: A whole film file, such as a MOV.
    ///   - filename: A suggestion; the type is found from the content.
    /// - Returns: The new asset, which the program may look at and read from now on.
    /// - Throws: ``ObscuraError``; -3302 for what can not be played, -3310 for a program that may not save.
    public func saveVideo(_ bytes: [UInt8], filename: String = "video") async throws -> Asset {
        try await save(.movie, filename, nil, UploadBytes(bytes))
    }

    /// Saves a video from a file, of any size.
    ///
    /// - Parameter file: A file of this machine that this process can read.
    /// - Returns: The new asset, which the program may look at and read from now on.
    /// - Throws: ``ObscuraError``; -3302 for what can not be read or played, -3310 for a program that may not save.
    public func saveVideo(at file: URL) async throws -> Asset {
        try await save(.movie, file.lastPathComponent, nil, try UploadFile(file))
    }

    /// Saves a modified version of a photo: a new asset that knows its original.
    ///
    /// - Parameters:
    ///   - bytes: A whole picture file.
    ///   - original: An asset that the program has saved, or may read.
    ///   - filename: A suggestion; the type is found from the content.
    ///   - metadata: Wins over what the bytes say.
    /// - Returns: The new asset, with a URL of its own.
    /// - Throws: ``ObscuraError``; -3302 for what can not be viewed, -3310 for a program that may not save.
    public func saveModifiedPhoto(
        _ bytes: [UInt8],
        of original: Asset,
        filename: String = "photo",
        metadata: PhotoMetadata? = nil
    ) async throws -> Asset {
        try await save(.image, filename, metadata, UploadBytes(bytes), original)
    }

    /// Saves a modified version of a video: a new asset that knows its original.
    ///
    /// - Parameters:
    ///   - file: A file of this machine that this process can read.
    ///   - original: An asset that the program has saved, or may read.
    /// - Returns: The new asset, with a URL of its own.
    /// - Throws: ``ObscuraError``; -3302 for what can not be read or played, -3310 for a program that may not save.
    public func saveModifiedVideo(at file: URL, of original: Asset) async throws -> Asset {
        try await save(.movie, file.lastPathComponent, nil, try UploadFile(file), original)
    }

    /// Replaces a photo that the program has saved; the URL stays.
    ///
    /// - Returns: The asset as it is now.
    /// - Throws: ``ObscuraError``; -3300 for an asset that the program has not saved, -3302 for what can not be viewed.
    public func setPhoto(
        of asset: Asset,
        to bytes: [UInt8],
        filename: String = "photo",
        metadata: PhotoMetadata? = nil
    ) async throws -> Asset {
        var request = ReplaceAsset(url: asset.name, mediaType: .image, filename: filename)
        request.metadata = metadata?.message
        return try await send(request, UploadBytes(bytes))
    }

    /// Replaces a video that the program has saved; the URL stays.
    ///
    /// - Returns: The asset as it is now.
    /// - Throws: ``ObscuraError``; -3300 for an asset that the program has not saved, -3302 for what can not be read or
    ///   played.
    public func setVideo(of asset: Asset, to file: URL) async throws -> Asset {
        let request = ReplaceAsset(url: asset.name, mediaType: .movie, filename: file.lastPathComponent)
        return try await send(request, try UploadFile(file))
    }

    /// Whether a video could be saved; nothing is saved, and nobody is asked.
    ///
    /// - Returns: False also for a file that can not be read.
    /// - Throws: ``ObscuraError`` when the cluster can not be reached; -3310 for a program that was denied saving.
    public func isVideoCompatible(at file: URL) async throws -> Bool {
        guard let source = try? UploadFile(file) else { return false }
        let reply = try await cluster.upload(CheckAsset(mediaType: .movie)) {
            try await source.next().map { Attachment($0) }
        }
        return reply.compatible
    }

    private func save(
        _ type: Media.MediaType,
        _ filename: String,
        _ metadata: PhotoMetadata?,
        _ source: some UploadSource,
        _ original: Asset? = nil
    ) async throws -> Asset {
        var request = SaveAsset(mediaType: type, filename: filename)
        request.metadata = metadata?.message
        request.original = original?.name
        return try await send(request, source)
    }

    private func send<R: UploadRequest>(_ request: R, _ source: some UploadSource) async throws -> Asset
    where R.Reply == MessageSchema.Asset {
        Asset(try await cluster.upload(request) { try await source.next().map { Attachment($0) } }, cluster)
    }
}
