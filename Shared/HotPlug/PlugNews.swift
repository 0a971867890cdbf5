package import Timekeeping

/// What is to be looked at anew, merged from events until somebody takes it; a value of bounded size.
///
/// An event is a hint and no fact: what there is tells a look at the machine.
package struct PlugNews: Hashable, Sendable {
    /// Names that are kept; more make the news incomplete.
    static let limit = 256

    /// The names below `/dev` of the nodes that came, went or changed.
    package private(set) var nodes: Set<String> = []
    /// Whether events were lost, so that any device may have changed.
    package private(set) var isIncomplete = false
    /// When the first of it was heard.
    package let since: BootInstant

    /// Nothing yet, heard at an instant.
    package init(since: BootInstant) { self.since = since }

    /// News of these nodes.
    package init(of nodes: Set<String>, isIncomplete: Bool = false, since: BootInstant) {
        self.since = since
        self.isIncomplete = isIncomplete
        for node in nodes { add(node) }
    }

    mutating func add(_ node: String) {
        if nodes.count < Self.limit || nodes.contains(node) {
            nodes.insert(node)
        } else {
            isIncomplete = true
        }
    }

    mutating func addOverflow() { isIncomplete = true }

    /// Whether a device's event can change what cameras there are: the nodes of cameras, their subdevices and media
    /// controllers, and lights.
    static func concerns(_ event: DeviceEvent) -> Bool {
        switch event.subsystem {
        case "video4linux", "media", "leds": true
        default: false
        }
    }

    /// Whether a name below `/dev` can be that of a camera's node.
    static func concerns(node name: String) -> Bool {
        ["video", "v4l-subdev", "media"].contains { name.hasPrefix($0) }
    }
}
