private import Glibc
package import Video4Linux

/// A light with a node or a folder of its own, beside the node that gives pictures.
package struct SeparateLight: Hashable, Sendable {
    /// A subdevice's node, or a LED's folder in sysfs.
    package let path: String

    /// The light of a camera; nil where it has none, or the node itself has it.
    package init?(_ path: String?, besides node: String) {
        guard let path, path != node else { return nil }
        self.path = path
    }

    /// Holds the light on, as bright as it can be, or turns it off.
    ///
    /// - Throws: `absent`, `denied`, `busy`, `notSupported`, `fault`.
    package func set(_ isOn: Bool) throws(VideoError) {
        guard isLED else {
            let mode: VideoSubdevice.LightMode = isOn ? .torch : .off
            return try VideoSubdevice(path: path).set(VideoControl.Identifier.flashMode, to: mode.rawValue)
        }
        // What is no number is switched off: 0 is the only value that every LED has.
        let brightness = isOn ? SystemTree.text(path + "/max_brightness").flatMap { Int($0) } ?? 0 : 0
        let number = SystemTree.write(String(brightness), to: path + "/brightness")
        guard number == 0 else { throw VideoError(operation: "brightness", errorNumber: number) }
    }

    /// Whether it is on, whoever turned it on.
    package var isOn: Bool {
        guard isLED else {
            do throws(VideoError) {
                let mode = try VideoSubdevice(path: path).value(of: VideoControl.Identifier.flashMode)
                return mode == VideoSubdevice.LightMode.torch.rawValue
            } catch {
                return false
            }
        }
        return SystemTree.text(path + "/brightness").flatMap { Int($0) } ?? 0 > 0
    }

    private var isLED: Bool { path.contains("/class/leds/") }
}
