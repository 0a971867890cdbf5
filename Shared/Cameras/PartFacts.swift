package import Video4Linux

/// What a sensor or a light with a node of its own says.
package struct PartFacts: Hashable, Sendable {
    package var sensor: NodeFacts.Sensor
    /// Empty for what is no light.
    package var lightModes: Set<VideoSubdevice.LightMode>

    /// Facts with both their parts.
    package init(sensor: NodeFacts.Sensor = NodeFacts.Sensor(), lightModes: Set<VideoSubdevice.LightMode> = []) {
        self.sensor = sensor
        self.lightModes = lightModes
    }

    /// Opens a node, asks, and closes it; nil where it can not be opened.
    package init?(asking path: String) {
        do throws(VideoError) {
            let part = try VideoSubdevice(path: path)
            self.init(
                sensor: NodeFacts.Sensor(
                    orientation: part.value(of: VideoControl.Identifier.cameraOrientation),
                    rotation: part.value(of: VideoControl.Identifier.sensorRotation)
                ),
                lightModes: part.lightModes()
            )
        } catch {
            return nil
        }
    }
}
