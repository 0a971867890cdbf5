private import Cameras
package import MessageSchema

extension CaptureSettings {
    /// Refuses a size that no picture has, before anybody is asked for permission.
    ///
    /// - Throws: `ErrorReply` with code `invalidArgument` for a side outside 1 to 65,500 pixels.
    package func checkSize() throws(ErrorReply) {
        for (name, side) in [("width", width), ("height", height)] {
            guard let side, !(1...FormatChoice.maximumSide).contains(side) else { continue }
            throw ErrorReply(
                .invalidArgument,
                "A picture can not be of that size",
                reason: "\(name) is from 1 to \(FormatChoice.maximumSide) pixels",
                parameters: ["argument": name]
            )
        }
    }
}
