private import Glibc
package import Video4Linux

/// Finds the video nodes of a machine and what the kernel says about them.
///
/// Blocks on drivers: call it from a thread that may wait.
package struct CameraScanner: Sendable {
    /// What a scan found.
    package struct Scan: Hashable, Sendable {
        /// Every node that could be a camera, in the order of their places in the machine.
        package var nodes: [NodeFacts]
        /// The lights that are no part of a camera, by name (`/sys/class/leds`).
        package var lights: [LightFacts]
        /// Why there can be no camera at all, or why it could not be looked for; nil where the kernel has V4L2.
        package var problem: String?
        /// Whether what is not in it is not there.
        package var isComplete: Bool

        /// A scan with its parts.
        package init(
            nodes: [NodeFacts],
            lights: [LightFacts] = [],
            problem: String? = nil,
            isComplete: Bool = true
        ) {
            self.nodes = nodes
            self.lights = lights
            self.problem = problem
            self.isComplete = isComplete
        }
    }

    /// Asks a part of a camera that has a node of its own; nil where it can not be opened.
    package typealias PartQuestion = @Sendable (_ path: String) -> PartFacts?
    /// Reads the graph of a media controller; nil where it can not be read.
    package typealias GraphQuestion = @Sendable (_ path: String) -> MediaGraph?

    /// How many nodes are looked at; the kernel has no more (VIDEO_NUM_DEVICES).
    private static let nodeLimit = 256

    let devices, sysfs: String
    let askPart: PartQuestion
    let readGraph: GraphQuestion
    private let procfs: String
    private let ask: @Sendable (String) -> Result<NodeFacts.Opened, VideoError>

    /// A scanner of this machine, or of folders that look like one.
    ///
    /// - Parameters:
    ///   - devices: Where the nodes are.
    ///   - sysfs: Where the kernel describes them (`sysfs(5)`).
    ///   - procfs: Where processes are (`proc(5)`), to tell who uses a busy camera.
    ///   - ask: Opens a node and asks it.
    ///   - graph: Reads the graph of a media controller.
    ///   - part: Asks a sensor or a light.
    package init(
        devices: String = "/dev",
        sysfs: String = "/sys",
        procfs: String = "/proc",
        ask: @escaping @Sendable (String) -> Result<NodeFacts.Opened, VideoError> = { path in
            Result { () throws(VideoError) in try NodeFacts.Opened(asking: path) }
        },
        graph: @escaping GraphQuestion = { try? MediaGraph(reading: $0) },
        part: @escaping PartQuestion = { PartFacts(asking: $0) }
    ) {
        self.devices = devices
        self.sysfs = sysfs
        self.procfs = procfs
        self.ask = ask
        askPart = part
        readGraph = graph
    }

    /// Looks at every node once.
    package func scan() -> Scan {
        let folder = sysfs + "/class/video4linux"
        let entries: [String]?
        var problem: String?
        switch SystemTree.listing(folder) {
        case .success(let names): entries = names
        case .failure(let error) where error.errorNumber == ENOENT && SystemTree.entries(sysfs + "/class") != nil:
            return Scan(
                nodes: [],
                lights: lights(),
                problem: "this kernel has no V4L2: \(folder) is missing (cloud kernels are built without it)"
            )
        case .failure(let error):
            // Without sysfs the nodes themselves are left, which have no place in the machine then.
            problem = "\(folder) can not be read (errno \(error.errorNumber)): cameras are known by their nodes alone"
            entries = SystemTree.entries(devices)
        }
        let controllers = MediaControllers(self)
        let found = (entries ?? []).filter { Self.isVideoNode($0) }.prefix(Self.nodeLimit).compactMap {
            facts(of: $0, in: folder, controllers)
        }
        return Scan(
            nodes: found.sorted { ($0.devicePath, $0.index, $0.path) < ($1.devicePath, $1.index, $1.path) },
            lights: lights(),
            problem: problem,
            isComplete: entries != nil
        )
    }

    private static func isVideoNode(_ name: String) -> Bool {
        name.hasPrefix("video") && name.count > 5 && name.dropFirst(5).allSatisfy { $0.isASCII && $0.isNumber }
    }

    private func facts(of name: String, in folder: String, _ controllers: MediaControllers) -> NodeFacts? {
        let path = devices + "/" + name
        let place = folder + "/" + name
        let index = SystemTree.text(place + "/index").flatMap { Int($0) } ?? 0
        let device = SystemTree.resolved(place + "/device") ?? SystemTree.resolved(place) ?? place
        var facts = NodeFacts(
            path: path,
            name: SystemTree.text(place + "/name") ?? name,
            index: index,
            devicePath: device.split(separator: "/").suffix(2).joined(separator: "/"),
            usb: usb(device),
            opened: ask(path)
        )
        facts.panel = panel(device)
        switch facts.opened {
        case .success(let opened):
            if opened.isInUse { findHolder(&facts) }
            if let number = SystemTree.text(place + "/dev").flatMap({ MediaGraph.Node($0) }) {
                controllers.complete(&facts, number)
            }
        case .failure(let error):
            // Metadata, output, codec and memory-to-memory nodes. What can not be opened, for whatever reason, may be a
            // camera; the first of a device's nodes is its pictures.
            guard error.code != .notCamera, index == 0 else { return nil }
            if error.code == .busy { findHolder(&facts) }
            facts.group = SystemTree.group(path)
        }
        return facts
    }

    /// The side of the case at which the firmware puts the device, or what it is plugged into.
    ///
    /// Source: Documentation/ABI/testing/sysfs-devices-physical_location.
    private func panel(_ device: String) -> String? {
        var parts = device.split(separator: "/")
        while parts.count > 2 {
            let folder = "/" + parts.joined(separator: "/")
            if let panel = SystemTree.text(folder + "/physical_location/panel"), panel != "unknown" { return panel }
            parts.removeLast()
        }
        return nil
    }

    /// Walks up from the interface to the USB device, whose folder is named by its ports.
    private func usb(_ device: String) -> NodeFacts.USB? {
        var parts = device.split(separator: "/").map(String.init)
        while parts.count > 2 {
            let folder = "/" + parts.joined(separator: "/")
            if let vendor = SystemTree.text(folder + "/idVendor"), let product = SystemTree.text(folder + "/idProduct")
            {
                let name = parts[parts.count - 1]
                let ports = name.split(separator: "-").dropFirst().joined(separator: "-")
                let root = parts.firstIndex { $0.hasPrefix("usb") && $0.dropFirst(3).allSatisfy(\.isNumber) }
                return NodeFacts.USB(
                    vendor: vendor,
                    product: product,
                    serial: SystemTree.text(folder + "/serial") ?? "",
                    controller: root.flatMap { $0 > 0 ? parts[$0 - 1] : nil } ?? "usb",
                    ports: ports.isEmpty ? name : ports,
                    isFixed: SystemTree.text(folder + "/removable") == "fixed"
                )
            }
            parts.removeLast()
        }
        return nil
    }

    /// Finds who has the node open, also where that is this very process.
    ///
    /// Processes of other users can not be looked into, and are not known then. Of several the kernel does not say who
    /// streams: this system's capture service is believed to, another is told as a guess.
    private func findHolder(_ facts: inout NodeFacts) {
        var others: [String] = []
        for name in SystemTree.entries(procfs) ?? [] {
            guard let pid = Int32(name) else { continue }
            let folder = procfs + "/" + name
            let isHolder = (SystemTree.entries(folder + "/fd") ?? []).contains {
                SystemTree.link(folder + "/fd/" + $0) == facts.path
            }
            guard isHolder else { continue }
            let command = SystemTree.text(folder + "/comm") ?? "a program"
            let holder = "\(command) (pid \(pid))"
            if command == "obscura-capture" {
                facts.holder = holder
                facts.isHeldByCapture = true
                return
            }
            others.append(holder)
        }
        facts.holder = others.count > 1 ? others.first.map { "probably \($0)" } : others.first
    }
}
