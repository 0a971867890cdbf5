package import Media
package import MessageSchema

/// What a file says about the camera that made it.
package struct CapturedWith: Hashable, Sendable {
    package let make: String
    package let model: String
    package let orientation: Orientation
    /// The program that wrote the file.
    package static let software = "Obscura"

    /// From a camera as the catalogue has it: the driver stands for a maker that the kernel does not know.
    package init(_ camera: Camera) {
        make = camera.builtIn ? "Obscura" : camera.driver
        model = camera.name
        orientation = Orientation(sensorRotation: camera.rotation)
    }
}
