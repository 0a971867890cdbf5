package import MessageSchema
package import Sound

extension ErrorReply {
    /// A microphone's error as programs see it, with what to do about it.
    package init(_ error: SoundError, microphone: String) {
        let reason = error.description
        switch error.code {
        case .absent, .removed:
            self.init(
                .microphoneAbsent,
                "The microphone is not there",
                reason: reason,
                recoverySuggestion: "obscura microphones list"
            )
        case .denied:
            self.init(
                .microphoneDenied,
                "The service may not open the microphone",
                reason: reason,
                recoverySuggestion: "Let the services' user into the group audio, and start the cluster again"
            )
        case .inUse:
            self.init(
                .inUse,
                "Another program uses the microphone",
                reason: reason,
                recoverySuggestion: "Film without sound, or wait",
                retryAfter: 1_000
            )
        case .stalled, .notSupported, .fault:
            self.init(.microphoneFault, "The microphone failed", reason: reason)
        case .cancelled:
            self.init(.cancelled, "The work was cancelled")
        }
        parameters = ["microphone": microphone]
    }
}
