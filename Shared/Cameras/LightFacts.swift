import Media

/// A light of the machine that is no part of a camera (`/sys/class/leds`).
package struct LightFacts: Hashable, Sendable {
    /// Such as `white:flash`.
    package var name: String
    /// Its folder in sysfs.
    package var path: String
    /// Whether this process may switch it.
    package var isWritable: Bool

    /// A light with all its parts.
    package init(name: String, path: String, isWritable: Bool) {
        self.name = name
        self.path = path
        self.isWritable = isWritable
    }

    var isTorch: Bool { name.lowercased().contains("torch") }

    /// The position of the camera that it shines for, by its name.
    var position: CameraPosition { name.lowercased().contains("front") ? .front : .back }
}
