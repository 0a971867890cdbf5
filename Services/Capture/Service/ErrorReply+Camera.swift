package import Cameras
package import MessageSchema
private import Movies

extension ErrorReply {
    /// A camera's error as programs see it, with what to do about it.
    package init(_ error: CameraError, camera: Camera) {
        let reason = error.description
        let parameters = ["camera": camera.id]
        switch error.code {
        case .absent:
            self.init(
                .cameraAbsent,
                "The camera is not there",
                reason: reason,
                recoverySuggestion: "obscura cameras list"
            )
        case .denied:
            self.init(
                .cameraDenied,
                "The service may not open the camera",
                reason: reason,
                recoverySuggestion: "Let the services' user into the group video, and start the cluster again"
            )
        case .inUse:
            self.init(.inUse, "Another program uses the camera", reason: reason, retryAfter: 1_000)
        case .removed:
            self.init(.removed, "The camera was unplugged", reason: reason, recoverySuggestion: "Plug it in again")
        case .noSignal:
            self.init(.noSignal, "The camera's input has no signal", reason: reason)
        case .noBandwidth:
            self.init(
                .noBandwidth,
                "The USB bus has no room for the camera",
                reason: reason,
                recoverySuggestion: "Ask for a smaller picture, or put the camera on another bus",
                retryAfter: 1_000
            )
        case .stalled:
            self.init(.stalled, "The camera gives no pictures", reason: reason, recoverySuggestion: "Plug it in again")
        case .notSupported, .fault:
            self.init(.cameraFault, "The camera failed", reason: reason)
        case .cancelled:
            self.init(.cancelled, "The work was cancelled")
        }
        self.parameters = parameters
    }

    /// Whatever ended a capture, as programs see it.
    package init(capture error: any Error, camera: Camera) {
        switch error {
        case let error as ErrorReply: self = error
        case let error as CameraError: self.init(error, camera: camera)
        case let error as MovieError where error.code == .noSpace:
            self.init(
                .diskFull,
                "The disk is full",
                reason: "The spool has no room for the film; what was filmed before is kept.",
                recoverySuggestion: "Free some space below the data directory"
            )
        case let error as MovieError:
            self.init(.inputOutput, "The film can not be written", reason: error.description)
        case is CancellationError: self.init(.cancelled, "The work was cancelled")
        default: self.init(.internalFault, "The capture failed")
        }
    }
}
