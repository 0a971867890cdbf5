/// A camera's settings with their values.
package struct ControlsReply: Hashable, Sendable, Codable {
    /// In the order of the driver.
    package var controls: [CameraControl]

    package init(controls: [CameraControl]) { self.controls = controls }
}

/// Asks for the settings of a camera that the program uses; needs `camera/<id>` use.
package struct ReadControls: Request {
    package typealias Reply = ControlsReply
    package static let name = "camera.controls"
    /// An identity or a position.
    package var camera: String

    package init(camera: String) { self.camera = camera }
}

/// Sets values of a camera that the program uses, all or none; they are put back when nobody uses it any more.
package struct SetControls: Request {
    package typealias Reply = ControlsReply
    package static let name = "camera.controls.set"
    /// An identity or a position.
    package var camera: String
    /// By name; menus take an index or the name of an item.
    package var values: [String: ControlValue]

    package init(camera: String, values: [String: ControlValue]) {
        self.camera = camera
        self.values = values
    }
}

/// Sets values of a camera that the program uses to what it starts with.
package struct ResetControls: Request {
    package typealias Reply = ControlsReply
    package static let name = "camera.controls.reset"
    /// An identity or a position.
    package var camera: String
    /// All that have such a value when absent.
    package var names: [String]?

    package init(camera: String, names: [String]? = nil) {
        self.camera = camera
        self.names = names
    }
}
