import MessageSchema
private import Synchronization

/// Enter at the person's terminal: it begins a film with pre-roll, pauses it, and lets it go on.
final class RecordingKeys: Sendable {
    private struct State {
        var name: String?
        var isPaused = true
    }

    private let state = Mutex(State())
    /// Whose terminal it is; nil where no key is waited for.
    private let person: PersonTerminal?
    private let armed: AsyncStream<Never>
    private let arming: AsyncStream<Never>.Continuation

    init(of person: PersonTerminal?) {
        self.person = person
        (armed, arming) = AsyncStream.makeStream()
    }

    /// Notes what the service says of the recording.
    func note(_ progress: RecordingProgress) {
        state.withLock { state in
            state.name = progress.recording
            state.isPaused = progress.paused ?? false
        }
        arming.finish()
    }

    /// Waits for the recording to be armed, then for one key after the other, until the terminal or the task ends.
    func follow(_ cluster: any Cluster, _ terminal: Terminal) async {
        guard let person else { return }
        for await _ in armed {}
        // What was typed for the question is no wish to begin.
        await person.discardTyped()
        while !Task.isCancelled, await person.readLine() != nil {
            let (name, isPaused) = state.withLock { ($0.name, $0.isPaused) }
            guard let name else { return }
            do {
                if isPaused {
                    _ = try await cluster.call(ResumeRecording(recording: name))
                } else {
                    _ = try await cluster.call(PauseRecording(recording: name))
                }
                // The next key means the opposite, also before the service has said so.
                state.withLock { $0.isPaused = !isPaused }
            } catch let error as ErrorReply {
                terminal.writeError(ErrorLine.text(error))
            } catch {
                return
            }
        }
    }

    /// The line of progress of a film that is paused; nil for one that is not.
    func line(_ progress: RecordingProgress) -> String? {
        guard progress.paused == true else { return nil }
        let key = person == nil ? "" : "Enter or "
        return progress.frames == 0
            ? "waiting  nothing is filmed; \(key)'obscura record resume \(progress.recording)' begins"
            : "paused   \(progress.duration.text) s; \(key)'obscura record resume \(progress.recording)' goes on"
    }
}
