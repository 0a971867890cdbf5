package import Cameras
private import MessageSchema
package import ServiceRuntime

/// What the probe and capture can be told beside what every service can: which cameras there are.
///
/// Both must be told the same: capture uses the cameras that the probe lists.
package struct CameraConfiguration: Sendable {
    /// The settings.
    package static let settings = [
        Setting(
            "built-in-cameras",
            "auto|always|never",
            "whether there are cameras without hardware",
            fallback: BuiltInChoice.auto.rawValue
        ),
        Setting("file-cameras", "PATH,…", "replay these films, and folders of JPEG pictures (PATH@RATE), as cameras"),
        Setting("camera-positions", "ID=front,…", "where cameras look, by identity, whatever the kernel says"),
    ]

    package let builtIn: BuiltInChoice
    package let positions: CameraCatalogue.Positions
    package let files: FileCameras

    /// Reads the settings.
    ///
    /// - Throws: `ErrorReply` with code `usage` for a value that means nothing.
    package init(_ settings: Settings) throws {
        guard let builtIn = BuiltInChoice(rawValue: settings["built-in-cameras"] ?? "") else {
            throw ErrorReply(.usage, "--built-in-cameras is auto, always or never")
        }
        self.builtIn = builtIn
        files = FileCameras(settings["file-cameras"] ?? "")
        positions = try CameraCatalogue.positions(settings["camera-positions"] ?? "")
    }

    /// A line for each file camera that can not be used, with the reason.
    package var unusableFiles: [String] {
        files.cameras.filter { $0.availability.state != .available }.map { camera in
            "\(camera.id) can not be used: \(camera.availability.reason ?? camera.availability.state.rawValue)"
        }
    }
}
