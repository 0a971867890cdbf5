package import Cameras
package import Consent
private import Encoding
private import Media
package import MessageSchema
private import Movies
private import ServiceRuntime

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

    /// A camera that others hold, with who they are as far as whoever asks may know it.
    package init(_ error: CameraInUse, camera: Camera, mayKnow: (Principal) -> Bool) {
        let owners = Set(error.holds.flatMap(\.owners))
        let known = owners.filter(mayKnow).map(\.description).sorted()
        let use = error.holds.first?.use ?? .film
        let who = known.isEmpty ? "Another program" : known.joined(separator: ", ")
        let suggestion = use == .film ? "Wait for the end of the film, or ask for no size." : nil
        self.init(
            .inUse,
            "The camera is in use",
            reason: error.isH264
                ? "\(who) films with it in H.264, which has no single pictures."
                : "\(who) has it for a \(use.rawValue), in a way that does not go with this.",
            recoverySuggestion: error.isH264 ? "Wait for the end of the film." : suggestion,
            retryAfter: 1_000,
            parameters: ["camera": camera.id, "use": use.rawValue]
        )
        if !known.isEmpty { parameters?["holder"] = known.joined(separator: ",") }
    }

    /// Whatever ended a capture, as programs see it.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - camera: Of which camera.
    ///   - mayKnow: Whether whoever asks may hear that the principal holds the camera.
    package init(
        capture error: any Error,
        camera: Camera,
        mayKnow: (Principal) -> Bool = { _ in false }
    ) {
        switch error {
        case let error as ErrorReply: self = error
        case let error as CameraError: self.init(error, camera: camera)
        case let error as CameraInUse: self.init(error, camera: camera, mayKnow: mayKnow)
        case let error as MovieError where error.code == .noSpace:
            self.init(
                .diskFull,
                "The disk is full",
                reason: "The spool has no room for more of the film.",
                recoverySuggestion: "Free some space below the data directory"
            )
        case let error as MovieError:
            self.init(.inputOutput, "The film can not be written", reason: error.description)
        case let error as EncodingError:
            self.init(.internalFault, "The film can not be encoded", reason: error.description)
        case is CancellationError: self.init(.cancelled, "The work was cancelled")
        default: self.init(.internalFault, "The capture failed")
        }
    }
}

extension ErrorReply {
    /// The same error of a film that it has ended, with what became of what was filmed until then.
    func ending(_ film: Unfinished, _ sentence: String) -> ErrorReply {
        code == .revoked ? adding(sentence).telling(film) : adding(sentence)
    }

    /// The same error with one more sentence in its reason.
    func adding(_ sentence: String?) -> ErrorReply {
        var reply = self
        reply.reason = ErrorWords.joined([reason, sentence], by: ". ")
        return reply
    }
}

extension Camera {
    /// Refuses photos and previews of a camera that films and gives no single pictures, before anybody is asked.
    ///
    /// - Throws: `invalidArgument` with the cause `mediaTypeUnavailable`.
    package func checkGivesPictures() throws(ErrorReply) {
        guard mediaTypes.contains(.movie), !mediaTypes.contains(.image) else { return }
        throw ErrorReply(
            .invalidArgument,
            "The camera gives no single pictures",
            reason: "It gives H.264 alone, most of whose pictures need the ones before them.",
            recoverySuggestion: "Film with it, or choose a camera that takes photos: obscura cameras list",
            cause: "mediaTypeUnavailable",
            parameters: ["camera": id]
        )
    }
}
