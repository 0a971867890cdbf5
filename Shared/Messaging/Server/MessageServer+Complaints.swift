import Consent
import EventLoop
import Logging
import MessageSchema
import Timekeeping

/// What a process was refused, for the log to say once.
struct RefusedRequest: Hashable, Sendable {
    let token: PeerToken
    /// Of a request that is known here, so that a program can not make up many.
    let name: String
    let code: ErrorCode
}

extension MessageServer {
    /// Counts and logs that a message broke a rule: who sent it and which rule, never what was in it.
    ///
    /// The first of a principal is logged at once, those that follow as one line each `complaintInterval`.
    func complain(of token: PeerToken?, _ cause: String) {
        counters.malformed += 1
        let peer = token.flatMap { doors?.authenticator[$0] }
        if complaints.admit(peer?.principal, cause: cause, at: .now()) {
            log.warning(
                "malformed message",
                [
                    "peer.principal": .string(peer?.principal.description ?? "unknown"),
                    "peer.role": .string(peer?.role?.rawValue ?? ""), "peer.label": .string(peer?.label ?? ""),
                    "peer.pid": .count(peer?.processID ?? 0), "cause": .string(cause),
                ]
            )
        }
        scheduleSums()
    }

    /// Logs who asked for what it may not have; repetitions as one line each `complaintInterval`.
    func logRefusal(_ refusal: ErrorReply, of name: String, by identity: PeerIdentity, _ token: PeerToken) {
        let refused = RefusedRequest(token: token, name: name, code: refusal.code)
        if refusals.admit(refused, cause: refusal.code.rawValue, at: .now()) {
            log.warning(
                "request refused",
                [
                    "request.name": .string(name),
                    "peer.principal": .text(identity.principal),
                    "peer.label": .string(identity.label),
                    "peer.pid": .count(identity.processID),
                    "error.code": .string(refusal.code.rawValue),
                ]
            )
        }
        scheduleSums()
    }

    /// Whether a failure of ours is to be logged now, and not only counted for the next sum.
    func isNews(_ failure: String, _ cause: String) -> Bool {
        defer { scheduleSums() }
        return failures.admit(failure, cause: cause, at: .now())
    }

    /// Sets the timer for what was not said yet of messages, requests, connections and failures.
    func scheduleSums() {
        guard complaintTimer == nil else { return }
        let all = [complaints.due, refusals.due, failures.due, doors?.authenticator.complaints.due]
        guard let due = all.compactMap(\.self).min() else { return }
        complaintTimer = loop.schedule(at: due) { [weak self] in
            self?.assumeIsolated { $0.sumUp() }
        }
    }

    private func sumUp() {
        complaintTimer = nil
        let now = BootInstant.now()
        for sum in complaints.takeSums(at: now) {
            log.warning(
                "more malformed messages",
                ["peer.principal": Self.principal(sum.peer), "count": .count(sum.count), "cause": .string(sum.cause)]
            )
        }
        for sum in refusals.takeSums(at: now) {
            let peer = (sum.peer?.token).flatMap { doors?.authenticator[$0] }
            log.warning(
                "more requests refused",
                [
                    "request.name": .string(sum.peer?.name ?? "several"),
                    "peer.principal": Self.principal(peer?.principal), "peer.pid": .count(peer?.processID ?? 0),
                    "count": .count(sum.count), "error.code": .string(sum.cause),
                ]
            )
        }
        for sum in failures.takeSums(at: now) {
            log.error(
                "more failures",
                [
                    "failure": .string(sum.peer ?? "several"), "count": .count(sum.count),
                    "cause": .string(sum.cause),
                ]
            )
        }
        doors?.authenticator.sumUpRefusals(at: now)
        scheduleSums()
    }

    private static func principal(_ principal: Principal?) -> LogValue {
        .string(principal?.description ?? "several")
    }
}
