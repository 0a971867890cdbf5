package import Consent
private import MessageSchema

/// The recordings that run, and whose they are.
package actor RecordingDesk {
    /// By what a recording is told what its program wants.
    package struct Handles: Sendable {
        package let stop = Latch()
        package let pause: PauseSwitch
    }

    private var running: [String: (owner: Principal, handles: Handles)] = [:]

    package init() {}

    /// A recording began, or waits for the wish to go on.
    package func add(_ recording: String, owner: Principal, isPaused: Bool = false) -> Handles {
        let handles = Handles(pause: PauseSwitch(isPaused: isPaused))
        running[recording] = (owner, handles)
        return handles
    }

    /// A recording is over.
    package func remove(_ recording: String) { running[recording] = nil }

    /// The recordings of a program that run, in the order of their names.
    package func names(of principal: Principal) -> [String] {
        running.filter { $0.value.owner == principal }.keys.sorted()
    }

    /// Asks a recording of the same program to stop.
    ///
    /// - Throws: `unknownRecording`; another program's recording is unknown to this one.
    package func stop(_ recording: String, for principal: Principal) throws {
        try handles(of: recording, for: principal).stop.open()
    }

    /// Pauses a recording of the same program, or lets it go on.
    ///
    /// - Throws: `unknownRecording`; another program's recording is unknown to this one.
    package func setPaused(_ isPaused: Bool, _ recording: String, for principal: Principal) throws {
        try handles(of: recording, for: principal).pause.set(isPaused)
    }

    private func handles(of recording: String, for principal: Principal) throws -> Handles {
        guard let entry = running[recording], entry.owner == principal else {
            throw ErrorReply(
                .unknownRecording,
                "There is no such recording",
                reason: "It is over, or it is not yours.",
                parameters: ["recording": recording]
            )
        }
        return entry.handles
    }
}
