package import MessageSchema

/// A control and what it is set to.
package struct ControlChange: Hashable, Sendable {
    package let control: CameraControl
    package let value: ControlValue

    package init(control: CameraControl, value: ControlValue) {
        self.control = control
        self.value = value
    }
}

/// What a camera's settings were before somebody changed them.
package struct ControlBook: Hashable, Sendable {
    /// In the order in which they were first changed.
    private var originals: [ControlChange] = []

    package init() {}

    /// Notes what a control was set to; what it was at the first change is what counts.
    package mutating func note(_ original: ControlChange) {
        guard !originals.contains(where: { $0.control.id == original.control.id }) else { return }
        originals.append(original)
    }

    /// What has to be set to have everything as it was, and forgets it.
    ///
    /// The last change is taken back first: a switch that had to be turned off before a value could be set is turned
    /// on after the value is back.
    package mutating func takeRestorations() -> [ControlChange] {
        defer { originals = [] }
        return originals.reversed()
    }
}
