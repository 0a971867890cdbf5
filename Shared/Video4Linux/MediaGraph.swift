private import CVideo4Linux
private import Glibc

/// How the parts of a media device are connected: which sensor and which light belong to a video node.
///
/// Source: Documentation/userspace-api/media/mediactl, MEDIA_IOC_G_TOPOLOGY. A value; whatever the driver says, every walk
/// over it ends.
package struct MediaGraph: Sendable {
    /// A node below `/dev` by its numbers.
    package struct Node: Hashable, Sendable {
        package var major, minor: UInt32

        /// A node with its numbers.
        package init(major: UInt32, minor: UInt32) {
            self.major = major
            self.minor = minor
        }

        /// Numbers as sysfs writes them, `81:0`; nil for other texts.
        package init?(_ text: String) {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let major = UInt32(parts[0]), let minor = UInt32(parts[1]) else { return nil }
            self.init(major: major, minor: minor)
        }
    }

    /// What a part does (`MEDIA_ENT_F_…`).
    package enum Function {
        package static let sensor: UInt32 = 0x0002_0001
        package static let flash: UInt32 = 0x0002_0002
        /// Where pictures come from: sensors, parts whose driver does not say what they are, decoders of television and
        /// HDMI, and bridges to sensors that the graph does not show.
        static let sources: Set<UInt32> = [sensor, 0x0002_0000, 0x0002_0004, 0x6001, 0x5002]
    }

    /// What belongs to a video node.
    package struct Parts: Hashable, Sendable {
        /// The sensors whose pictures reach it, with their nodes where they have one; several where a switch chooses.
        package var sensors: [Node?]
        /// The lights beside those sensors.
        package var lights: [Node]
        /// Whether anything is connected with it that pictures can come from.
        package var hasSource: Bool

        /// The parts.
        package init(sensors: [Node?], lights: [Node], hasSource: Bool) {
            self.sensors = sensors
            self.lights = lights
            self.hasSource = hasSource
        }
    }

    /// A connection: data from a pad to a pad, an interface that steers an entity, or an entity beside another.
    package struct Link: Hashable, Sendable {
        package var source, sink, flags: UInt32

        /// A link with all its parts.
        package init(source: UInt32, sink: UInt32, flags: UInt32) {
            self.source = source
            self.sink = sink
            self.flags = flags
        }

        /// MEDIA_LNK_FL_ENABLED.
        var isEnabled: Bool { flags & 1 != 0 }
        /// MEDIA_LNK_FL_LINK_TYPE: 0 data, 1 interface, 2 ancillary.
        var kind: UInt32 { flags >> 28 }
    }

    private let functions: [UInt32: UInt32]
    /// The entities that each node steers, and the node of each entity.
    private let entitiesOfNode: [Node: [UInt32]]
    private let nodeOfEntity: [UInt32: Node]
    private let sources: [UInt32: [(entity: UInt32, isEnabled: Bool)]]
    private let besides: [UInt32: [UInt32]]

    /// A graph of parts.
    ///
    /// - Parameters:
    ///   - functions: What each entity does, by its number.
    ///   - interfaces: The node of each interface, by its number.
    ///   - pads: The entity of each pad, by its number.
    ///   - links: All connections.
    package init(
        functions: [UInt32: UInt32],
        interfaces: [UInt32: Node],
        pads: [UInt32: UInt32],
        links: [Link]
    ) {
        self.functions = functions
        var entitiesOfNode: [Node: [UInt32]] = [:]
        var nodeOfEntity: [UInt32: Node] = [:]
        var sources: [UInt32: [(entity: UInt32, isEnabled: Bool)]] = [:]
        var besides: [UInt32: [UInt32]] = [:]
        for link in links {
            switch link.kind {
            case 0:
                guard let from = pads[link.source], let to = pads[link.sink] else { continue }
                sources[to, default: []].append((from, link.isEnabled))
            case 1:
                guard let node = interfaces[link.source], functions[link.sink] != nil else { continue }
                entitiesOfNode[node, default: []].append(link.sink)
                nodeOfEntity[link.sink] = nodeOfEntity[link.sink] ?? node
            case 2:
                besides[link.source, default: []].append(link.sink)
            default: continue
            }
        }
        self.entitiesOfNode = entitiesOfNode
        self.nodeOfEntity = nodeOfEntity
        self.sources = sources
        self.besides = besides
    }

    /// What belongs to a video node; nil where the graph does not know it.
    ///
    /// Only enabled links count where any sensor is reached by them, else all: a graph that nobody has set up yet still
    /// tells what could be reached.
    package func parts(of node: Node) -> Parts? {
        guard let entities = entitiesOfNode[node] else { return nil }
        let all = self.entities(before: entities, enabledOnly: false)
        let enabled = sensors(of: self.entities(before: entities, enabledOnly: true))
        let found = enabled.isEmpty ? sensors(of: all) : enabled
        var lights = found.flatMap { besides[$0] ?? [] }.filter { functions[$0] == Function.flash }
        if lights.isEmpty, functions.values.filter({ $0 == Function.sensor }).count == 1, found.count == 1 {
            // Kernels before 5.19 do not say which sensor a light is beside; with one sensor there is no question.
            lights = functions.filter { $0.value == Function.flash }.map(\.key)
        }
        return Parts(
            sensors: found.map { nodeOfEntity[$0] },
            lights: lights.sorted().compactMap { nodeOfEntity[$0] },
            hasSource: all.contains { functions[$0].map { Function.sources.contains($0) } ?? false }
        )
    }

    private func sensors(of entities: Set<UInt32>) -> [UInt32] {
        entities.filter { functions[$0] == Function.sensor }.sorted()
    }

    /// The entities and all from which data reaches them.
    private func entities(before entities: [UInt32], enabledOnly: Bool) -> Set<UInt32> {
        var seen = Set(entities)
        var waiting = entities
        while let entity = waiting.popLast() {
            for (source, isEnabled) in sources[entity] ?? [] where isEnabled || !enabledOnly {
                if seen.insert(source).inserted { waiting.append(source) }
            }
        }
        return seen
    }
}

extension MediaGraph {
    /// Reads the graph of a media controller's node, such as `/dev/media0`.
    ///
    /// Nothing is changed, and nothing waits.
    ///
    /// - Throws: `absent`, `denied`, `notSupported` for kernels before 4.19.
    package init(reading path: String) throws(VideoError) {
        let descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw VideoError(operation: "open", errorNumber: errno) }
        defer { _ = close(descriptor) }
        var raw = unsafe cv4l2_topology()
        let result = unsafe cv4l2_get_topology(descriptor, &raw)
        guard result == 0 else { throw VideoError(operation: "MEDIA_IOC_G_TOPOLOGY", errorNumber: -result) }
        defer { unsafe cv4l2_free_topology(&raw) }
        let entities = unsafe UnsafeBufferPointer(start: raw.entities, count: Int(raw.entity_count))
        let interfaces = unsafe UnsafeBufferPointer(start: raw.interfaces, count: Int(raw.interface_count))
        let pads = unsafe UnsafeBufferPointer(start: raw.pads, count: Int(raw.pad_count))
        let links = unsafe UnsafeBufferPointer(start: raw.links, count: Int(raw.link_count))
        self.init(
            functions: unsafe Dictionary(entities.map { ($0.id, $0.function) }) { first, _ in first },
            interfaces: unsafe Dictionary(
                interfaces.map { ($0.id, Node(major: $0.major, minor: $0.minor)) }
            ) { first, _ in first },
            pads: unsafe Dictionary(pads.map { ($0.id, $0.entity) }) { first, _ in first },
            links: unsafe links.map { Link(source: $0.source, sink: $0.sink, flags: $0.flags) }
        )
    }
}
