import Consent
import MessageSchema
import ServiceRuntime

/// That something of the library may go to a caller; asked again before each item that does.
struct ReadingPermit: Sendable {
    /// Throws as soon as it may not; to be called on the loop that sends, with nothing awaited in between.
    let check: @Sendable () throws -> Void
    /// Waits until it may not, and says why; nil when the task was cancelled.
    let revoked: @Sendable () async -> ErrorReply?
    /// The request is over.
    let end: @Sendable () -> Void

    /// What a grant allows.
    init(_ authorization: Authorization) {
        check = { try authorization.check() }
        revoked = { await authorization.revoked() }
        end = { authorization.end() }
    }

    /// What a program has saved may be looked at by it without more, unless the library was denied or forbidden to it.
    ///
    /// `need` is in whose words a refusal is.
    /// - Throws: `accessDenied` or, for a write, `dataUnavailable`; `accessRestricted`, `noLease`.
    init(own asker: Asker, _ gate: ConsentGate, refusing need: Need = .read) throws {
        let rule = OwnAssetRule(gate: gate, asker: asker, need: need)
        if let refusal = rule.refusal { throw refusal }
        check = { if let ending = rule.ending { throw ending } }
        revoked = { await rule.ended() }
        end = {}
    }
}

/// What the gate says about a program's own assets: a no to adding is a no to them, too.
private struct OwnAssetRule {
    let gate: ConsentGate
    let asker: Asker
    let need: Need

    private var answer: GateAnswer { gate.standing(of: .addOnly, for: asker) }

    /// Why looking at them can not begin.
    var refusal: ErrorReply? {
        switch answer {
        case .allowed, .notDetermined: nil
        case .denied, .restricted, .noLease: ErrorReply.refusal(answer, of: need, to: asker)
        }
    }

    /// Why looking at them has to end.
    var ending: ErrorReply? {
        let now = gate.decisions.now
        let revocation: Revocation
        switch answer {
        case .allowed, .notDetermined: return nil
        case .denied(let decision):
            revocation = Revocation(
                reason: .revoked,
                by: decision.decidedBy,
                at: decision.decidedAt,
                need: .addOnly
            )
        case .restricted: revocation = Revocation(reason: .restricted, by: nil, at: now, need: .addOnly)
        case .noLease: revocation = Revocation(reason: .leaseLost, by: nil, at: now, need: .addOnly)
        }
        return ErrorReply.revoked(revocation, asker: asker)
    }

    func ended() async -> ErrorReply? {
        while !Task.isCancelled {
            let version = gate.decisions.version
            if let ending { return ending }
            await gate.decisions.change(after: version)
        }
        return nil
    }
}
