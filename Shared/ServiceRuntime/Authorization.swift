package import Consent
package import MessageSchema
package import Messaging
private import Synchronization

/// For whom a service is asked to do something, and how far it may go to get permission.
package struct Asker: Hashable, Sendable {
    /// The program that the work is for.
    package var principal: Principal
    /// What the program looks like.
    package var label: String?
    /// Why it asks, in its own words.
    package var purpose: String?
    /// Whether the person may be asked.
    package var mayPrompt: Bool
    /// How long it waits for the person.
    package var patience: Duration
    /// The grants that are meant for this request: those that another service, which works for the program, goes by, and
    /// those that the person gave when asked for it.
    package var grants: [DecisionID]
    /// The process that waits for the work, where one does: what is asked, or used up once, is so for a living one only.
    package var caller: PeerIdentity?
    /// Where it is noted that the person is asked, for whom the request's deadline ends.
    package var question: OpenQuestion?

    /// Makes an asker.
    package init(
        principal: Principal,
        label: String? = nil,
        purpose: String? = nil,
        mayPrompt: Bool = true,
        patience: Duration = .seconds(150),
        grants: [DecisionID] = [],
        caller: PeerIdentity? = nil
    ) {
        self.principal = principal
        self.label = label
        self.purpose = purpose
        self.mayPrompt = mayPrompt
        self.patience = patience
        self.grants = grants
        self.caller = caller
    }

    /// The label as decisions have it: escaped; nil when there is none.
    package var decisionLabel: String? { EscapedText.label(label) }
}

/// That work may go on; to be asked again before every item, frame and chunk.
///
/// Any thread may use it. Dropping it ends it.
package final class Authorization: Sendable {
    /// For whom.
    package let asker: Asker
    /// The grants it rests on, one for each need, in their order.
    package let grants: [Grant]

    /// The name by which an operator can end it; nil where uses are not told.
    package let use: UseID?

    let gate: SharedGate
    private let all: GrantWatch
    private let isEnded = Atomic<Bool>(false)
    private let release: @Sendable (_ leavesUnspent: Bool) -> Void

    /// Makes an authorization that was true at `epoch`; `release` is called once at its end.
    init(
        asker: Asker,
        grants: [Grant],
        gate: SharedGate,
        epoch: UInt64,
        use: UseID? = nil,
        release: @escaping @Sendable (_ leavesUnspent: Bool) -> Void
    ) {
        self.asker = asker
        self.grants = grants
        self.gate = gate
        self.use = use
        all = GrantWatch(grants, epoch: epoch)
        self.release = release
    }

    deinit { end() }

    /// Throws as soon as one of the grants is gone, or the coordinator was not heard for longer than the lease.
    ///
    /// As long as nothing was taken away from anybody this reads two atomics and a clock. To be sure that nothing goes out
    /// after a revocation, call it on the loop that sends, with nothing awaited in between.
    ///
    /// - Throws: `ErrorReply` with code `revoked`.
    package func check() throws(ErrorReply) { try all.check(self) }

    /// Throws when the work has ended and what it was making is to be discarded: to be called before what was made is kept.
    ///
    /// - Throws: `ErrorReply` with code `revoked`, of which ``MessageSchema/ErrorReply/discardsUnfinished`` is true.
    package func checkUnfinished() throws(ErrorReply) {
        if let revocation, revocation.unfinished == .discarded { throw all.error(revocation, self) }
    }

    /// Why the work has to end; nil while it may go on.
    package var revocation: Revocation? { all.revocation(self) }

    /// Waits until the work has to end.
    ///
    /// - Returns: The error for the program; nil when the task was cancelled.
    package func revoked() async -> ErrorReply? { await all.revoked(self) }

    /// The same work as far as it rests on some of the grants: it may go on when the others are gone, unless what it was
    /// making is to be discarded then.
    ///
    /// - Parameter isIncluded: Says which.
    /// - Returns: The part, which keeps this authorization.
    package func part(where isIncluded: (Need) -> Bool) -> AuthorizationPart {
        AuthorizationPart(
            of: self,
            GrantWatch(
                grants.filter { isIncluded($0.need) },
                besides: grants.filter { !isIncluded($0.need) },
                epoch: all.epoch
            )
        )
    }

    /// The grant for a need; nil when the authorization is not about it.
    package func grant(for need: Need) -> Grant? {
        grants.first { $0.need == need }
    }

    /// For whom, and by which grant, another service is asked to do its part.
    package func delegation(of need: Need) -> Delegation { delegation(of: [need]) }

    /// For whom, and by which grants, another service is asked to do its part.
    package func delegation(of needs: [Need]) -> Delegation {
        let ids = needs.compactMap { grant(for: $0)?.id.description }
        return Delegation(
            principal: asker.principal,
            label: asker.label,
            grant: ids.isEmpty ? nil : ids.joined(separator: " ")
        )
    }

    /// The request or stream is over: `once` grants are used up, also those that it asked for and nobody has used.
    ///
    /// `leavesUnspent` leaves those to work that another service still has to do for the request.
    package func end(leavesUnspent: Bool = false) {
        if !isEnded.exchange(true, ordering: .acquiringAndReleasing) { release(leavesUnspent) }
    }
}
