package import MessageSchema

/// How a request is to be treated.
package struct CallOptions: Sendable {
    /// After this the request has no effect and its work ends; `nil` only makes sense for streams and uploads.
    package var timeout: Duration?
    package var attachments: [Attachment]
    /// Repeating with the same key has the effect once.
    package var idempotencyKey: String?
    /// For whom a service acts; programs are refused.
    package var onBehalfOf: Delegation?
    /// `false`: do not ask a person.
    package var mayPrompt: Bool
    /// Why, for the person to read; at most 200 characters.
    package var purpose: String?
    /// W3C traceparent.
    package var trace: String?

    package init(
        timeout: Duration? = .seconds(30),
        attachments: [Attachment] = [],
        idempotencyKey: String? = nil,
        onBehalfOf: Delegation? = nil,
        mayPrompt: Bool = true,
        purpose: String? = nil,
        trace: String? = nil
    ) {
        self.timeout = timeout
        self.attachments = attachments
        self.idempotencyKey = idempotencyKey
        self.onBehalfOf = onBehalfOf
        self.mayPrompt = mayPrompt
        self.purpose = purpose
        self.trace = trace
    }

    /// The options of a stream or an upload that may take as long as it takes.
    package static var unlimited: CallOptions { CallOptions(timeout: nil) }
}

/// How a client behaves.
package struct ClientConfiguration: Sendable {
    package var liveness = Liveness.Intervals()
    /// How long a request waits for the connection at most, whatever its deadline.
    package var connectLimit: Duration = .seconds(30)
    /// How long after the deadline the service's own answer is waited for.
    package var grace: Duration = .milliseconds(200)

    package init() {}
}
