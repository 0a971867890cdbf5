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

    /// Why there is none of hardware, where that is the machine's nature.
    package let problem: String?

    /// The catalogue for a scan.
    package init(_ scan: CameraScanner.Scan, builtIn: BuiltInChoice, positions: Positions = [:]) {
        let nodes = scan.nodes.filter { Self.mayBeCamera($0) }
        let identities = CameraIdentity.identities(of: nodes)
        let found = zip(nodes, identities).map { Self.camera($0, id: $1, positions: positions) }
        // In a container the kernel lists nodes of the machine that are not there.
        let hasHardware = found.contains { $0.availability.state != .absent }
        let showsBuiltIn = builtIn == .always || builtIn == .auto && !hasHardware
        cameras = found + (showsBuiltIn ? BuiltInCameras.all : [])
        problem = scan.problem
    }

    /// The catalogue of cameras that are known already.
    package init(cameras: [Camera], problem: String? = nil) {
        self.cameras = cameras
        self.problem = problem
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
    }

    private static func camera(_ node: NodeFacts, id: String, positions: Positions) -> Camera {
        let position = positions[id]
        guard case .success(let opened) = node.opened else {
            return Camera(
                id: id,
                name: node.name,
                position: position ?? (node.usb?.isFixed == true ? .front : .external),
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
        let kernelPosition: CameraPosition? =
            switch opened.orientation {
            case 0: .front
            case 1: .back
            case 2: .external
            default: nil
            }
        return Camera(
            id: id,
            name: opened.capabilities.card.isEmpty ? node.name : opened.capabilities.card,
            // A camera inside the case looks at the person, as a laptop's does.
            position: position ?? kernelPosition ?? (node.usb?.isFixed == true ? .front : .external),
            driver: opened.capabilities.driver,
            builtIn: false,
            availability: availability(node),
            mediaTypes: isUsable ? [.image, .movie] : [],
            flash: opened.hasLight,
            torch: opened.hasLight,
            formats: opened.formats.map { CameraFormat($0) },
            rotation: Int(opened.rotation ?? 0),
            node: node.path
        )
    }

    private static func availability(_ node: NodeFacts) -> Availability {
        switch node.opened {
        case .success(let opened):
            if opened.isInUse, !node.isHeldByCapture {
                return Availability(.busy, reason: "in use by \(node.holder ?? "another program")")
            }
            if opened.hasSignal == false { return Availability(.noSignal, reason: "its input has no signal") }
            if FormatChoice(WantedFormat(), among: opened.formats) == nil {
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
