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

    private func save(
        _ type: Media.MediaType,
        _ filename: String,
        _ metadata: PhotoMetadata?,
        _ source: some UploadSource
    ) async throws -> Asset {
        var request = SaveAsset(mediaType: type, filename: filename)
        request.metadata = metadata?.message
        let message = try await cluster.upload(request) { try await source.next().map { Attachment($0) } }
        return Asset(message, cluster)
    }
}
