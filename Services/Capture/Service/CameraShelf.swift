package import Cameras
private import EventLoop
private import Media
package import MessageSchema
private import Timekeeping

/// The cameras of this machine, and the sessions of those that are open.
///
/// Looks for cameras on a thread that may wait for drivers; each camera that is opened has a loop of its own.
package actor CameraShelf {
    /// Makes the device of a camera.
    package typealias DeviceFactory = @Sendable (Camera) -> any CameraDevice

    private let loop = EventLoop(name: "scan")
    private let scanner: CameraScanner
    private let builtIn: BuiltInChoice
    private let positions: CameraCatalogue.Positions
    private let files: FileCameras
    private let device: DeviceFactory
    private let tell: (@Sendable (_ camera: String, Availability?) -> Void)?
    private let freshness: Duration
    private var sessions: [String: Known] = [:]
    /// When each camera was last found, as it was then.
    private var found: [String: (camera: Camera, time: BootInstant)] = [:]

    private struct Known {
        let session: CameraSession
        let preview: Preview
        let node: String?
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// - Parameters:
    ///   - scanner: What finds the nodes.
    ///   - builtIn: When the built-in cameras appear.
    ///   - positions: Positions that the administrator gave, by identity.
    ///   - files: The cameras that replay files.
    ///   - device: Makes the device of a camera.
    ///   - freshness: How long a camera is taken to be where it was found.
    ///   - tell: Is told when something becomes wrong with a camera that is used, and with nil when it is right again.
    package init(
        scanner: CameraScanner,
        builtIn: BuiltInChoice,
        positions: CameraCatalogue.Positions,
        files: FileCameras = FileCameras(),
        device: @escaping DeviceFactory = CameraShelf.realDevice,
        freshness: Duration = .milliseconds(100),
        tell: (@Sendable (_ camera: String, Availability?) -> Void)? = nil
    ) {
        self.tell = tell
        self.freshness = freshness
        self.scanner = scanner
        self.builtIn = builtIn
        self.positions = positions
        self.files = files
        self.device = device
    }

    /// The device behind a camera: its node, or the built-in pattern.
    package static let realDevice: DeviceFactory = { camera in
        guard let node = camera.node else { return PatternCamera(camera, clock: ContinuousClock()) }
        return V4L2Camera(camera, path: node)
    }

    /// Finds a camera by identity, by position, or the usual one when nothing is named.
    ///
    /// Its node is the one that it has now; see ``camera(again:)`` for later.
    ///
    /// - Throws: `ErrorReply` with code `cameraAbsent`, or `cameraDenied` where the service may not open it: nobody needs to
    ///   be asked then.
    package func camera(_ name: String) throws -> Camera {
        let catalogue = catalogue
        let named = name.isEmpty ? catalogue.standard : catalogue.camera(name)
        if let named, named.availability.state != .denied {
            found[named.id] = (named, .now())
            return named
        }
        // Where a camera looks is not known before it is opened: one that may not be opened may be the one that is meant.
        let isVague = name.isEmpty || CameraPosition(rawValue: name) != nil
        let denied = named ?? (isVague ? catalogue.cameras.first { $0.availability.state == .denied } : nil)
        if let denied {
            throw ErrorReply(
                .cameraDenied,
                "The service may not open the camera",
                reason: denied.availability.reason,
                recoverySuggestion: "Let the services' user into that group, and start the cluster again",
                parameters: ["camera": denied.id]
            )
        }
        throw ErrorReply(
            .cameraAbsent,
            name.isEmpty ? "There is no camera" : "There is no camera \"\(name)\"",
            reason: catalogue.problem,
            recoverySuggestion: "obscura cameras list",
            parameters: ["camera": name]
        )
    }

    /// The same camera for whoever may have waited since, as for a person's answer: another one may have come to its node.
    ///
    /// Looks again only where it was not found a moment ago.
    ///
    /// - Throws: As ``camera(_:)``.
    package func camera(again named: Camera) throws -> Camera {
        if let found = found[named.id], found.time.duration(to: .now()) < freshness { return found.camera }
        return try camera(named.id)
    }

    /// Whether the built-in cameras appear now, other than those that replay files.
    package var showsBuiltIn: Bool { catalogue.showsBuiltIn }

    private var catalogue: CameraCatalogue {
        CameraCatalogue(scanner.scan(), builtIn: builtIn, positions: positions, files: files)
    }

    /// The session of a camera: one for each, however many hold it.
    package func session(of camera: Camera) -> CameraSession { known(camera).session }

    /// What is seen of a camera: one for each, however many look.
    package func preview(of camera: Camera) -> Preview { known(camera).preview }

    private func known(_ camera: Camera) -> Known {
        // A camera that was plugged in again may have another node.
        if let known = sessions[camera.id], known.node == camera.node { return known }
        var told: (@Sendable (Availability?) -> Void)?
        if let tell { told = { [id = camera.id] trouble in tell(id, trouble) } }
        let session = CameraSession(device: files.device(of: camera) ?? device(camera), tell: told)
        let known = Known(session: session, preview: Preview(session: session), node: camera.node)
        sessions[camera.id] = known
        return known
    }
}
