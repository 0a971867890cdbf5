package import Consent
package import MessageSchema
private import Synchronization
package import Timekeeping

/// Why a handler's work was ended before it was done.
package enum EndReason: UInt8, Hashable, Sendable {
    /// The client sent `cancel`.
    case cancelled = 1
    /// The request's deadline has passed.
    case deadlineExceeded
    /// The client showed no life.
    case holderSilent
    /// The client's connection is gone.
    case peerGone
    /// The service is ending.
    case shuttingDown
    /// The client broke a rule of the wire.
    case badMessage
    /// The service itself ended it, with an error.
    case failed
}

/// One connection: the identity that was proven for it, and our socket's name for it.
package struct ConnectionID: Hashable, Sendable {
    let door: Door
    let routingID: UInt32
    let token: PeerToken
}

/// A server's two sockets.
enum Door: Hashable, Sendable, CaseIterable {
    /// For programs: no mechanism.
    case programs
    /// For the services among themselves: PLAIN.
    case roles
}

/// What a handler knows about the request beside its body.
package struct Call: Sendable {
    /// Who sent it, as proven.
    package let caller: PeerIdentity
    /// For whom it is sent; only ever from a proven role.
    package let onBehalfOf: Delegation?
    /// The request's name.
    package let name: String
    /// After this, the work is ended by itself; `nil` for streams and uploads without one.
    package let deadline: BootInstant?
    /// Whether a person may be asked.
    package let mayPrompt: Bool
    /// Why the program asks, in its own words.
    package let purpose: String?
    package let idempotencyKey: String?
    /// W3C traceparent.
    package let trace: String?
    package let attachments: [Attachment]
    package let connection: ConnectionID
    let state: CallState

    /// For whom the work is done: the delegation's principal, else the caller's.
    package var principal: Principal { onBehalfOf?.principal ?? caller.principal }

    /// The program as a person may recognise it: the delegation's label, else the caller's.
    package var label: String { onBehalfOf.map { $0.label ?? "" } ?? caller.label }

    /// What the person is asked while the request waits.
    package var question: OpenQuestion { state.question }

    /// Why the handler's task was cancelled; `nil` while it is wanted.
    ///
    /// Readable from any thread.
    package var ended: EndReason? { state.ended }
}

/// The part of an exchange that other threads may look at.
final class CallState: Sendable {
    let question = OpenQuestion()
    private let endReason = Atomic<UInt8>(0)
    private let creditNow = Atomic<Int>(0)

    var ended: EndReason? { EndReason(rawValue: endReason.load(ordering: .acquiring)) }

    var credit: Int { creditNow.load(ordering: .acquiring) }

    /// The first reason stays.
    func end(_ reason: EndReason) {
        _ = endReason.compareExchange(expected: 0, desired: reason.rawValue, ordering: .acquiringAndReleasing)
    }

    func setCredit(_ credit: Int) { creditNow.store(credit, ordering: .releasing) }
}
