private import Media
package import MessageSchema
private import Video4Linux

/// The file cameras of a machine, from the setting that names their files.
package struct FileCameras: Hashable, Sendable {
    private struct Footage: Hashable, Sendable {
        let path: String
        let framesPerSecond: Double?
    }

    /// The cameras as they are listed; one whose file can not be replayed is there, with the reason.
    package let cameras: [Camera]
    private let sources: [String: Footage]

    /// No cameras.
    package init() {
        cameras = []
        sources = [:]
    }

    /// Reads the setting: `PATH,PATH@RATE,…`, where the rate is the frames a second of a folder's pictures.
    ///
    /// Looks at the files, and so blocks on the disk.
    package init(_ text: String) {
        var cameras: [Camera] = []
        var sources: [String: Footage] = [:]
        for entry in text.split(separator: ",") {
            let source = Self.source(String(entry))
            let id = Self.identity(source.path, taken: { sources[$0] != nil })
            sources[id] = source
            cameras.append(Self.camera(id, source))
        }
        self.cameras = cameras
        self.sources = sources
    }

    /// The device of a camera of these; nil for any other.
    package func device(of camera: Camera) -> (any CameraDevice)? {
        sources[camera.id].map { source in
            FileCamera(
                camera,
                path: source.path,
                framesPerSecond: source.framesPerSecond,
                clock: ContinuousClock()
            )
        }
    }

    private static func source(_ entry: String) -> Footage {
        if let at = entry.lastIndex(of: "@"), let rate = Double(entry[entry.index(after: at)...]), rate > 0 {
            return Footage(path: String(entry[..<at]), framesPerSecond: rate)
        }
        return Footage(path: entry, framesPerSecond: nil)
    }

    /// `file-` and the file's name without its kind, of characters that need no care anywhere.
    private static func identity(_ path: String, taken: (String) -> Bool) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? "root"
        let stem = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? String(name[..<$0]) : nil } ?? name
        let plain = stem.utf8.prefix(80).map { byte -> Character in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain || byte == 0x2E || byte == 0x5F ? Character(Unicode.Scalar(byte)) : "-"
        }
        let id = "file-" + String(plain)
        guard taken(id) else { return id }
        return (2...).lazy.map { "\(id)-\($0)" }.first { !taken($0) } ?? id
    }

    private static func camera(_ id: String, _ source: Footage) -> Camera {
        var format: VideoFormatDescription?
        var availability = Availability(.available)
        do throws(CameraError) {
            format = try FileFootage(source.path, framesPerSecond: source.framesPerSecond).description
        } catch {
            let state: Availability.State =
                switch error.code {
                case .absent: .absent
                case .denied: .denied
                default: .unknown
                }
            availability = Availability(state, reason: error.detail)
        }
        // A photo is a JPEG picture, which a film of H.264 has none of.
        let isJPEG = format.map { $0.pixelFormat == .motionJPEG } ?? false
        return Camera(
            id: id,
            name: "File camera, \(id.dropFirst(5))",
            position: .external,
            driver: "file",
            builtIn: true,
            availability: availability,
            mediaTypes: format == nil ? [] : isJPEG ? [.image, .movie] : [.movie],
            flash: false,
            torch: false,
            formats: format.map { [CameraFormat($0)] } ?? []
        )
    }
}
