import Consent
import EventLoop
import Logging
import Timekeeping

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

    private func scheduleSums() {
        guard complaintTimer == nil, let due = complaints.due else { return }
        complaintTimer = loop.schedule(at: due) { [weak self] in
            self?.assumeIsolated { $0.sumUp() }
        }
    }

    private func sumUp() {
        complaintTimer = nil
        for sum in complaints.takeSums(at: .now()) {
            let peer = sum.peer.flatMap { doors?.authenticator[$0] }
            log.warning(
                "more malformed messages",
                [
                    "peer.principal": .string(peer?.principal.description ?? "several"),
                    "peer.role": .string(peer?.role?.rawValue ?? ""), "peer.label": .string(peer?.label ?? ""),
                    "peer.pid": .count(peer?.processID ?? 0), "count": .count(sum.count), "cause": .string(sum.cause),
                ]
            )
        }
        scheduleSums()
    }
}
