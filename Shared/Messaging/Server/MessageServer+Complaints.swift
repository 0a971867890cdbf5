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
    /// The first of a process is logged at once, those that follow as one line each `complaintInterval`.
    func complain(of token: PeerToken?, _ cause: String) {
        counters.malformed += 1
        if complaints.admit(token, cause: cause, at: .now()) {
            let peer = token.flatMap { doors?.authenticator[$0] }
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

    /// Sets the timer for what was not said yet of messages, requests and connections.
    func scheduleSums() {
        guard complaintTimer == nil else { return }
        let due = [complaints.due, refusals.due, doors?.authenticator.complaints.due].compactMap(\.self).min()
        guard let due else { return }
        complaintTimer = loop.schedule(at: due) { [weak self] in
            self?.assumeIsolated { $0.sumUp() }
        }
    }

    private func sumUp() {
        complaintTimer = nil
        let now = BootInstant.now()
        if let due = complaints.due, due <= now {
            for sum in complaints.takeSums(at: now) {
                let peer = sum.peer.flatMap { doors?.authenticator[$0] }
                log.warning(
                    "more malformed messages",
                    [
                        "peer.principal": .string(peer?.principal.description ?? "several"),
                        "peer.role": .string(peer?.role?.rawValue ?? ""), "peer.label": .string(peer?.label ?? ""),
                        "peer.pid": .count(peer?.processID ?? 0), "count": .count(sum.count),
                        "cause": .string(sum.cause),
                    ]
                )
            }
        }
        if let due = refusals.due, due <= now {
            for sum in refusals.takeSums(at: now) {
                let peer = (sum.peer?.token).flatMap { doors?.authenticator[$0] }
                log.warning(
                    "more requests refused",
                    [
                        "request.name": .string(sum.peer?.name ?? "several"),
                        "peer.principal": .string(peer?.principal.description ?? "several"),
                        "peer.label": .string(peer?.label ?? ""), "peer.pid": .count(peer?.processID ?? 0),
                        "count": .count(sum.count), "error.code": .string(sum.cause),
                    ]
                )
            }
        }
        if let authenticator = doors?.authenticator, let due = authenticator.complaints.due, due <= now {
            authenticator.sumUpRefusals(at: now)
        }
        scheduleSums()
    }
}
