package import Consent
import MessageSchema
private import Synchronization

/// What the person is being asked while a request waits, so that a deadline that passes meanwhile says so.
///
/// One for each request; any thread may use it. It is equal to itself alone.
package final class OpenQuestion: Sendable {
    private let needs = Mutex<[Need]>([])

    /// A question that is not asked yet.
    package init() {}

    /// Does what asks the person about these needs, and returns when there is an answer.
    ///
    /// - Throws: What the body throws.
    package func asking<Result: Sendable>(
        about needs: [Need],
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        self.needs.withLock { $0 = needs }
        defer { self.needs.withLock { $0 = [] } }
        return try await body()
    }

    /// What a program is told whose deadline has passed.
    var deadlineExceeded: ErrorReply {
        let needs = needs.withLock(\.self)
        guard !needs.isEmpty else { return .deadlineExceeded }
        return ErrorReply(
            .deadlineExceeded,
            "Nobody answered in time",
            reason: "The deadline passed while the person was asked about "
                + needs.map(\.description).joined(separator: ", ") + ".",
            recoverySuggestion: "Ask again with more time (--timeout), and have it answered: where "
                + "`obscura permissions prompts --answer` runs, or before with `obscura permissions grant`.",
            cause: "unanswered"
        )
    }
}

extension OpenQuestion: Hashable {
    package static func == (left: OpenQuestion, right: OpenQuestion) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
