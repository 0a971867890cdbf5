/// What a decoder found out about one file, by its content and never by its name.
package struct InspectionReport: Hashable, Sendable, Codable {
    package var kind: AssetKind
    /// A uniform type identifier such as `public.jpeg` or `com.apple.quicktime-movie`; `public.data` if not known.
    package var uti: String
    /// Whether the picture can be viewed or the film played here.
    package var isUsable: Bool
    /// `ok`, `damaged` or `unplayable`.
    package var state: AssetState
    /// Why the state is not `ok`, in words.
    package var reason: String?
    /// Stored pixels, before the orientation is applied.
    package var width: Int?
    package var height: Int?
    package var orientation: Orientation?
    package var date: AssetDate?
    /// Seconds, for films.
    package var duration: Double?
    package var location: Location?
    /// Whether the bytes may say where they were made, also where no reader of ours finds it; nil, not looked at, is true.
    package var mayHoldPlace: Bool?
    package var cameraMake: String?
    package var cameraModel: String?
    package var lensModel: String?
    /// Seconds.
    package var exposureTime: Double?
    package var aperture: Double?
    /// ISO speed.
    package var sensitivity: Int?
    /// Millimetres, of the lens itself.
    package var focalLength: Double?
    /// Frames a second, for films.
    package var frameRate: Double?
    /// The codec's short name, such as `h264`, for films.
    package var codec: String?

    package init(kind: AssetKind, uti: String, isUsable: Bool, state: AssetState, reason: String? = nil) {
        self.kind = kind
        self.uti = uti
        self.isUsable = isUsable
        self.state = state
        self.reason = reason
    }
}
