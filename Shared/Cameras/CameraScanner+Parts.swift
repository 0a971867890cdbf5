import Video4Linux

extension CameraScanner {
    /// The lights that can be a camera's: of the flash class, or of that function.
    ///
    /// Names are `device:colour:function` (Documentation/leds/leds-class.rst); older drivers have `flash` or `torch` anywhere
    /// in it. A colour alone says nothing: keyboards and power lights are white too.
    func lights() -> [LightFacts] {
        let folder = sysfs + "/class/leds"
        return (SystemTree.entries(folder) ?? []).compactMap { name in
            let path = folder + "/" + name
            let isNamed = ["flash", "torch"].contains { name.lowercased().contains($0) }
            guard isNamed || SystemTree.text(path + "/flash_strobe") != nil,
                let most = SystemTree.text(path + "/max_brightness").flatMap({ Int($0) }), most > 0
            else { return nil }
            return LightFacts(name: name, path: path, isWritable: SystemTree.isWritable(path + "/brightness"))
        }
    }

    /// The node of a number below the folder of nodes.
    func path(of node: MediaGraph.Node) -> String? {
        SystemTree.resolved(sysfs + "/dev/char/\(node.major):\(node.minor)")
            .flatMap { $0.split(separator: "/").last }
            .map { devices + "/" + $0 }
    }
}

/// The media controllers of a machine, read once for a scan.
struct MediaControllers {
    private let scanner: CameraScanner
    private let graphs: [MediaGraph]

    init(_ scanner: CameraScanner) {
        self.scanner = scanner
        let names = (SystemTree.entries(scanner.devices) ?? []).filter { name in
            name.hasPrefix("media") && name.count > 5 && name.dropFirst(5).allSatisfy { $0.isASCII && $0.isNumber }
        }
        graphs = names.prefix(64).compactMap { scanner.readGraph(scanner.devices + "/" + $0) }
    }

    /// Adds what a node's sensor and the light beside it say.
    func complete(_ facts: inout NodeFacts, _ number: MediaGraph.Node) {
        guard let parts = graphs.lazy.compactMap({ $0.parts(of: number) }).first else { return }
        facts.isProcessor = !parts.hasSource
        // Of several sensors it is not known which one the next picture is from.
        if parts.sensors.count == 1, let sensor = parts.sensors[0], let path = scanner.path(of: sensor) {
            facts.sensor = scanner.askPart(path)?.sensor
        }
        facts.lightNode = parts.lights.lazy.compactMap { scanner.path(of: $0) }.first { path in
            scanner.askPart(path)?.lightModes.contains(.torch) ?? false
        }
    }
}
