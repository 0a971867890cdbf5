import Media
import MessageSchema

/// What an asset is, as `ALAssetPropertyType` has it.
public enum AssetType: String, Hashable, Sendable, CaseIterable {
    case photo, video
    /// A file that was imported and is neither a picture nor a film that is understood.
    case unknown

    init(_ kind: AssetKind) {
        self =
            switch kind {
            case .photo: .photo
            case .video: .video
            case .unknown: .unknown
            }
    }
}

/// Which assets an enumeration shows.
public enum AssetsFilter: Hashable, Sendable, CaseIterable {
    case allAssets, allPhotos, allVideos

    var kind: AssetKind? {
        switch self {
        case .allAssets: nil
        case .allPhotos: .photo
        case .allVideos: .video
        }
    }
}

/// How a picture's pixels are turned for display, in the numbering of `ALAssetOrientation`.
public enum AssetOrientation: Int, Hashable, Sendable, CaseIterable {
    case up = 0, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored

    init(_ orientation: Orientation) {
        guard let value = AssetOrientation(rawValue: orientation.assetsLibraryValue) else {
            preconditionFailure("both numberings have eight orientations")
        }
        self = value
    }
}

/// When a picture was taken or a film begun; nothing in it is guessed.
public struct AssetTime: Hashable, Sendable {
    /// As the file has it.
    public let raw: String
    /// The wall clock, as `2026-11-30T03:45:00`; nil when the file's text is no date.
    public let local: String?
    /// Minutes east of UTC; nil when the camera did not say.
    public let offsetMinutes: Int?
    /// RFC 3339 in UTC; nil when the offset is not known.
    public let utc: String?

    init(_ date: AssetDate) {
        raw = date.raw
        local = date.local
        offsetMinutes = date.offsetMinutes
        utc = date.utc
    }
}

/// A place on the Earth in WGS 84.
public struct AssetLocation: Hashable, Sendable {
    /// Degrees, north positive.
    public let latitude: Double
    /// Degrees, east positive.
    public let longitude: Double
    /// Metres above sea level.
    public let altitude: Double?

    init(_ location: Location) {
        latitude = location.latitude
        longitude = location.longitude
        altitude = location.altitude
    }
}

/// Width and height in pixels; both 0 where they are not known.
public struct PixelSize: Hashable, Sendable {
    public let width: Int
    public let height: Int

    /// A size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// How a program stands towards the library, in the numbering of `ALAuthorizationStatus`.
public enum AuthorizationStatus: Int, Hashable, Sendable, CaseIterable {
    /// Nobody decided yet; the next use asks the person.
    case notDetermined = 0
    /// Forbidden by the policy; the person can not change it.
    case restricted
    /// The person said no.
    case denied
    /// The person said yes.
    case authorized
    /// The person allowed a part of the library.
    case limited
}

/// What a program wants to do with the library.
public enum LibraryAccess: Hashable, Sendable, CaseIterable {
    /// Save, and handle what was saved.
    case add
    /// Look at everything.
    case read
    /// Look at everything and change it.
    case readAndWrite
}

/// Kinds of groups, in the bits of `ALAssetsGroupType`.
public struct AssetsGroupTypes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Makes a set of its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The group that includes all assets.
    public static let library = AssetsGroupTypes(rawValue: 1 << 0)
    /// Albums.
    public static let album = AssetsGroupTypes(rawValue: 1 << 1)
    /// Events.
    public static let event = AssetsGroupTypes(rawValue: 1 << 2)
    /// Faces.
    public static let faces = AssetsGroupTypes(rawValue: 1 << 3)
    /// What was captured or saved here.
    public static let savedPhotos = AssetsGroupTypes(rawValue: 1 << 4)
    /// The photo stream.
    public static let photoStream = AssetsGroupTypes(rawValue: 1 << 5)
    /// All of them, except `library`: so the documentation of `ALAssetsGroupAll` has it.
    public static let all = AssetsGroupTypes(rawValue: 0xFFFF_FFFF).subtracting(.library)

    var words: [GroupType] {
        GroupType.allCases.filter { contains(AssetsGroupTypes($0)) }
    }

    init(_ type: GroupType) {
        self =
            switch type {
            case .library: .library
            case .album: .album
            case .event: .event
            case .faces: .faces
            case .savedPhotos: .savedPhotos
            case .photoStream: .photoStream
            }
    }
}
