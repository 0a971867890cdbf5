package import Media
package import MessageSchema
private import Video4Linux

/// When the built-in cameras appear.
package enum BuiltInChoice: String, Hashable, Sendable, Codable, CaseIterable {
    /// Where there is no camera of hardware.
    case auto
    case always
    case never
}

/// The cameras of a machine as programs see them, decided from what a scan found; a value without any device.
package struct CameraCatalogue: Hashable, Sendable {
    /// Positions by identity that the administrator gave: the kernel seldom knows them.
    package typealias Positions = [String: CameraPosition]

    /// All cameras, those of hardware first.
    package let cameras: [Camera]

    /// Why there is none of hardware, where that is the machine's nature; or why it could not be looked for.
    package let problem: String?

    /// Whether a camera that is not in it is not there.
    package let isComplete: Bool

    /// Whether the built-in cameras are among them, other than those that replay files.
    package var showsBuiltIn: Bool { cameras.contains { camera in BuiltInCameras.all.contains { $0.id == camera.id } } }

    /// The catalogue for a scan, and the cameras that replay files.
    ///
    /// - Parameters:
    ///   - scan: What was found.
    ///   - builtIn: When the built-in cameras appear.
    ///   - positions: Where cameras look, by identity: the administrator knows best.
    ///   - files: The cameras that replay files.
    ///   - whyForbidden: Why nobody may use the camera of an identity; nil where programs may be allowed to.
    package init(
        _ scan: CameraScanner.Scan,
        builtIn: BuiltInChoice,
        positions: Positions = [:],
        files: FileCameras = FileCameras(),
        whyForbidden: (String) -> String? = { _ in nil }
    ) {
        let nodes = scan.nodes.filter { Self.mayBeCamera($0) }
        let identities = CameraIdentity.identities(of: nodes)
        let found = zip(nodes, identities).map { Self.camera($0, id: $1, positions: positions) }
        // In a container the kernel lists nodes of the machine that are not there.
        let hasHardware = found.contains { $0.availability.state != .absent }
        let replayed = files.cameras.map { camera in
            var camera = camera
            camera.position = positions[camera.id] ?? camera.position
            return camera
        }
        let showsBuiltIn = builtIn == .always || builtIn == .auto && !hasHardware && replayed.isEmpty
        let all = Self.lit(found, by: scan.lights) + replayed + (showsBuiltIn ? BuiltInCameras.all : [])
        cameras = all.map { camera in
            guard let reason = whyForbidden(camera.id) else { return camera }
            var camera = camera
            camera.availability = Availability(.disabled, reason: reason)
            return camera
        }
        problem = scan.problem
        isComplete = scan.isComplete
    }

    /// The catalogue of cameras that are known already.
    package init(cameras: [Camera], problem: String? = nil, isComplete: Bool = true) {
        self.cameras = cameras
        self.problem = problem
        self.isComplete = isComplete
    }

    /// The same cameras, where those say so that capture finds something wrong with: what no look at them shows.
    package func troubled(by troubles: [CameraTrouble]) -> CameraCatalogue {
        guard !troubles.isEmpty else { return self }
        let states = Dictionary(troubles.map { ($0.camera, $0.availability) }, uniquingKeysWith: { first, _ in first })
        let cameras = cameras.map { camera in
            guard let trouble = states[camera.id], [.available, .busy].contains(camera.availability.state) else {
                return camera
            }
            var camera = camera
            camera.availability = trouble
            return camera
        }
        return CameraCatalogue(cameras: cameras, problem: problem, isComplete: isComplete)
    }

    /// The camera with this identity, or the first at this position.
    package func camera(_ idOrPosition: String) -> Camera? {
        if let exact = cameras.first(where: { $0.id == idOrPosition }) { return exact }
        return CameraPosition(rawValue: idOrPosition).flatMap { camera(at: $0) }
    }

    /// The first camera at a position, by identity; one that can be used goes before one that can not.
    package func camera(at position: CameraPosition) -> Camera? {
        let there = cameras.filter { $0.position == position }.sorted { $0.id < $1.id }
        return there.first { $0.availability.state == .available } ?? there.first
    }

    /// The camera that is meant where none is named: back, front, external, the usable ones first.
    package var standard: Camera? {
        let all = [CameraPosition.back, .front, .external].compactMap { camera(at: $0) }
        return all.first { $0.availability.state == .available } ?? all.first
    }

    private static func mayBeCamera(_ node: NodeFacts) -> Bool {
        guard case .success(let opened) = node.opened else { return true }
        // Nodes that enumerate nothing are not set up (v4l2loopback without a writer) or no cameras.
        return opened.capabilities.captureInterface != nil && !opened.formats.isEmpty
            && !(opened.capabilities.isGraphDriven && node.isProcessor)
    }

    private static func camera(_ node: NodeFacts, id: String, positions: Positions) -> Camera {
        guard case .success(let opened) = node.opened else {
            return Camera(
                id: id,
                name: node.name,
                position: positions[id] ?? position(of: node, kernel: nil),
                driver: "unknown",
                builtIn: false,
                availability: availability(node),
                mediaTypes: [],
                flash: false,
                torch: false,
                formats: [],
                node: node.path
            )
        }
        let isUsable = FormatChoice(WantedFormat(), among: opened.formats) != nil
        let canFilm = FormatChoice(WantedFormat(h264: .fallback), among: opened.formats) != nil
        let light = opened.hasLight ? node.path : node.lightNode
        return Camera(
            id: id,
            name: opened.capabilities.card.isEmpty ? node.name : opened.capabilities.card,
            position: positions[id] ?? position(of: node, kernel: opened.orientation ?? node.sensor?.orientation),
            driver: opened.capabilities.driver,
            builtIn: false,
            availability: availability(node),
            mediaTypes: isUsable ? [.image, .movie] : canFilm ? [.movie] : [],
            flash: light != nil,
            torch: light != nil,
            formats: opened.formats.map { CameraFormat($0) },
            rotation: Int(opened.rotation ?? node.sensor?.rotation ?? 0),
            node: node.path,
            light: light
        )
    }

    /// What the kernel's control says, then the firmware, then whether the port is inside the case.
    private static func position(of node: NodeFacts, kernel: Int32?) -> CameraPosition {
        switch kernel {
        case 0: return .front
        case 1: return .back
        case 2: return .external
        default: break
        }
        switch node.panel {
        case "front": return .front
        case "back": return .back
        default: break
        }
        // A camera inside the case looks at the person, as a laptop's does.
        return node.usb?.isFixed == true ? .front : .external
    }

    /// Gives lights that are no part of a camera to the cameras they shine for.
    ///
    /// No kernel says which: a name with a side in it means the camera there, any other the one at the back, as a telephone
    /// has it. Cameras outside the machine have no part in it, nor lights that this process may not switch.
    private static func lit(_ cameras: [Camera], by lights: [LightFacts]) -> [Camera] {
        var cameras = cameras
        // What is held on is a torch, where a driver tells the two apart.
        let usable = lights.filter(\.isWritable).sorted {
            ($0.isTorch ? 0 : 1, $0.name) < ($1.isTorch ? 0 : 1, $1.name)
        }
        for light in usable {
            let there = cameras.indices.filter { cameras[$0].position == light.position }
            guard let first = there.min(by: { cameras[$0].id < cameras[$1].id }), cameras[first].light == nil,
                !cameras[first].mediaTypes.isEmpty
            else { continue }
            cameras[first].light = light.path
            cameras[first].flash = true
            cameras[first].torch = true
        }
        return cameras
    }

    private static func availability(_ node: NodeFacts) -> Availability {
        switch node.opened {
        case .success(let opened):
            if opened.isInUse, !node.isHeldByCapture {
                return Availability(.busy, reason: "in use by \(node.holder ?? "another program")")
            }
            if opened.isCovered { return Availability(.disabled, reason: "its cover is closed, or its switch is off") }
            if opened.hasSignal == false { return Availability(.noSignal, reason: "its input has no signal") }
            if FormatChoice(WantedFormat(h264: .fallback), among: opened.formats) == nil {
                return Availability(.unknown, reason: "it has no format that can be used")
            }
            return Availability(.available)
        case .failure(let error):
            switch error.code {
            case .absent:
                return Availability(.absent, reason: "\(node.path) is listed by the kernel and can not be opened")
            case .denied:
                let group = node.group.map { "; members of group \($0) may" } ?? ""
                return Availability(.denied, reason: "this user may not open \(node.path)\(group)")
            case .busy:
                return Availability(.busy, reason: "in use by \(node.holder ?? "another program")")
            case .noSignal: return Availability(.noSignal)
            case .noBandwidth: return Availability(.noBandwidth)
            case .notCamera, .notSupported, .fault:
                return Availability(.unknown, reason: error.description)
            }
        }
    }
}
