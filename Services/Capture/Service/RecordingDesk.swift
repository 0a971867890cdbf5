package import Consent
private import MessageSchema

/// The recordings that run, and whose they are.
package actor RecordingDesk {
    private var running: [String: (owner: Principal, stop: Latch)] = [:]

    package init() {}

    /// A recording began.
    package func add(_ recording: String, owner: Principal) -> Latch {
        let stop = Latch()
        running[recording] = (owner, stop)
        return stop
    }

    /// A recording is over.
    package func remove(_ recording: String) { running[recording] = nil }

    /// Asks a recording of the same program to stop.
    ///
    /// - Throws: `unknownRecording`; another program's recording is unknown to this one.
    package func stop(_ recording: String, for principal: Principal) throws {
        guard let entry = running[recording], entry.owner == principal else {
            throw ErrorReply(
                .unknownRecording,
                "There is no such recording",
                reason: "It is over, or it is not yours.",
                parameters: ["recording": recording]
            )
        }
        entry.stop.open()
    }
}
