import Consent
import MessageSchema
private import Synchronization
private import Timekeeping

/// The demo's operator: answers the demo's own program.
final class DemoAnswers: Sendable {
    /// A demo that is killed can take nothing back; what it was allowed ends by itself.
    private static let lifespanMilliseconds: Int64 = 600_000

    private let person: any Cluster
    private let principal: Principal
    private let seen = Mutex<String?>(nil)

    init(person: any Cluster, principal: Principal) {
        self.person = person
        self.principal = principal
    }

    /// The label of the demo's program, once it has asked.
    var label: String? { seen.withLock { $0 } }

    /// Allows what the demo's program asks, until the task is cancelled; other programs' questions are not its business.
    ///
    /// Only to programs with its label, and for ten minutes.
    func answer() async throws {
        _ = try await person.stream(FollowPrompts(), CallRules().endless) { [self] event, _ in
            guard event.kind == .opened, event.prompt.principal == principal,
                event.prompt.purpose == DemoStory.purpose
            else { return }
            seen.withLock { $0 = event.prompt.label }
            let end = Moment(milliseconds: Timestamp.now().microseconds / 1_000 + Self.lifespanMilliseconds)
            let answer = AnswerPrompt(
                prompt: event.prompt.prompt,
                answer: .allow,
                lifespan: .until(end),
                narrowed: event.prompt.label != nil
            )
            // A task of its own: an answer that is on its way when Ctrl-C comes has to be known, so that it is taken back.
            _ = try await Task { [person] in try await person.call(answer) }.value
        }
    }
}
