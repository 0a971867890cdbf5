import Consent
import MessageSchema
private import Synchronization

/// The demo's operator: answers the demo's own program, and takes the answers back at the end.
final class DemoAnswers: Sendable {
    private let person: any Cluster
    private let principal: Principal
    private let allowed = Mutex<[Need]>([])

    init(person: any Cluster, principal: Principal) {
        self.person = person
        self.principal = principal
    }

    /// Allows what the demo's program asks, until the task is cancelled; other programs' questions are not its business.
    func answer() async throws {
        _ = try await person.stream(FollowPrompts(), CallRules().endless) { [self] event, _ in
            guard event.kind == .opened, event.prompt.principal == principal,
                event.prompt.purpose == DemoStory.purpose
            else { return }
            allowed.withLock { $0 += event.prompt.needs }
            _ = try await person.call(AnswerPrompt(prompt: event.prompt.prompt, answer: .allow))
        }
    }

    /// Forgets what was allowed for the demo, so that it leaves things as they were.
    func forget() async {
        for need in allowed.withLock({ $0 }) {
            let change = PermissionChange(
                principal: principal,
                resource: need.resource,
                access: need.access
            )
            // A coordinator that is away keeps the answer; `permissions list` shows it.
            _ = try? await person.call(ResetPermission(change: change))
        }
    }
}
