package import Consent

/// The second frame of every message: what it is, and how it is to be treated.
///
/// Which fields a kind uses is told in Wire.md. Fields that are not known are ignored.
package struct Header: Hashable, Sendable {
    /// What a message does.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Asks for something; opens the exchange that `id` names.
        case request
        /// The one answer to a request that is not a stream.
        case reply
        /// Closes the exchange with an error; the body is an ``ErrorReply``.
        case error
        /// One item of a stream, in either direction.
        case item
        /// Closes a stream; the body is the summary.
        case end
        /// Allows the other side `credit` further items, and shows life.
        case credit
        /// Ends the exchange early; answered by `error` with code `cancelled`.
        case cancel
        /// Shows life and nothing else.
        case ping
    }

    package var kind: Kind
    /// Chosen by the client, unique among its open exchanges, at most 64 bytes.
    package var id: String
    /// The name of the request; only on `request`.
    package var name: String?
    /// CLOCK_BOOTTIME in milliseconds after which the request must have no effect; one machine only.
    package var expiresAt: Int64?
    /// Milliseconds from receipt after which the request must have no effect.
    package var deadline: Int64?
    /// W3C traceparent.
    package var trace: String?
    /// The schema's version, 1.
    package var version: Int?
    /// How many items the other side may send now.
    package var credit: Int?
    /// The number of an item in its stream, from 0.
    package var seq: Int64?
    /// The newest numbered update that the follower has applied; on `credit` of replicated state.
    package var ack: Int64?
    /// Repeating a request with the same key has its effect once.
    package var idempotencyKey: String?
    /// For whom a service acts; accepted from a proven role alone.
    package var onBehalfOf: Delegation?
    /// Whether a person may be asked; true unless said otherwise.
    package var mayPrompt: Bool?
    /// Why the program asks, in its own words, for the prompt; at most 200 characters.
    package var purpose: String?

    package init(_ kind: Kind, id: String) {
        self.kind = kind
        self.id = id
    }
}

/// For whom a service acts, and under which grant.
package struct Delegation: Hashable, Sendable, Codable {
    package var principal: Principal
    /// The program's label, as the delegating service's kernel told it.
    package var label: String?
    /// The identifier of the grant that the receiver checks in its own replica; several are parted by a space.
    package var grant: String?

    package init(principal: Principal, label: String? = nil, grant: String? = nil) {
        self.principal = principal
        self.label = label
        self.grant = grant
    }
}
