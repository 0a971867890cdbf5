import Consent
package import MessageSchema
private import Synchronization

/// That a part of some work may go on: a film without its sound, or the sound alone.
///
/// Any thread may use it. It keeps the authorization that it is a part of.
package final class AuthorizationPart: Sendable {
    private let whole: Authorization
    private let watch: GrantWatch

    /// Makes the part that the watch is for.
    init(of whole: Authorization, _ watch: GrantWatch) {
        self.whole = whole
        self.watch = watch
    }

    /// Throws as soon as one of its grants is gone, as ``Authorization/check()``, or another grant of the whole is and what
    /// the work was making is to be discarded.
    ///
    /// - Throws: `ErrorReply` with code `revoked`.
    package func check() throws(ErrorReply) { try watch.check(whole) }

    /// Waits until it has to end.
    ///
    /// - Returns: The error for the program; nil when the task was cancelled.
    package func revoked() async -> ErrorReply? { await watch.revoked(whole) }
}

/// Grants that are looked at again and again.
final class GrantWatch: Sendable {
    private let grants: [Grant]
    /// Grants whose end ends the work as well where what it was making is to be discarded.
    private let others: [Grant]
    private let seenEpoch: Atomic<UInt64>
    /// The earliest moment at which a grant ends by itself.
    private let expiry: Moment?

    /// A watch over grants that were in force at `epoch`.
    init(_ grants: [Grant], besides others: [Grant] = [], epoch: UInt64) {
        self.grants = grants
        self.others = others
        seenEpoch = Atomic(epoch)
        expiry = grants.compactMap(\.lifespan.end).min()
    }

    /// The last epoch at which all were in force.
    var epoch: UInt64 { seenEpoch.load(ordering: .relaxed) }

    func check(_ whole: Authorization) throws(ErrorReply) {
        let gate = whole.gate
        let epoch = gate.epoch
        if epoch == seenEpoch.load(ordering: .relaxed), gate.leaseIsValid, expiry.map({ gate.now < $0 }) ?? true {
            return
        }
        if let revocation = revocation(whole) { throw error(revocation, whole) }
        seenEpoch.store(epoch, ordering: .relaxed)
    }

    func revocation(_ whole: Authorization) -> Revocation? {
        var found: [Revocation] = []
        if let use = whole.use, let stop = whole.gate.stop(of: use), let need = grants.first?.need {
            let unfinished = stop.unfinished ?? .kept
            found.append(Revocation(reason: .stopped, by: stop.by, at: stop.at, need: need, unfinished: unfinished))
        }
        found += revocations(of: grants, whole)
        found += revocations(of: others, whole).filter { $0.unfinished == .discarded }
        // Of two that ended it, one may have said that nothing of it is to be left.
        if found.contains(where: { $0.unfinished == .discarded }) { found[0].unfinished = .discarded }
        return found.first
    }

    private func revocations(of grants: [Grant], _ whole: Authorization) -> [Revocation] {
        let (principal, label) = (whole.asker.principal, whole.asker.decisionLabel)
        return grants.compactMap { whole.gate.revocation(of: $0, principal: principal, label: label) }
    }

    func revoked(_ whole: Authorization) async -> ErrorReply? {
        while !Task.isCancelled {
            let version = whole.gate.version
            if let revocation = revocation(whole) { return error(revocation, whole) }
            await whole.gate.change(after: version)
        }
        return nil
    }

    func error(_ revocation: Revocation, _ whole: Authorization) -> ErrorReply {
        let asker = whole.asker
        let denials = whole.gate.denials(of: revocation.need, principal: asker.principal, label: asker.decisionLabel)
        return .revoked(revocation, asker: asker, denials: denials)
    }
}
