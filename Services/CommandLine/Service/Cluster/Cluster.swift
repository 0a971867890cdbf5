package import MessageSchema

/// The services of a cluster, as a command asks them: each request goes to the service that answers its name.
///
/// All calls throw the service's own `ErrorReply`, or `serviceUnavailable`, `deadlineExceeded`, `serverSilent`. Cancelling
/// the task cancels the request.
package protocol Cluster: Sendable {
    /// Asks, and waits for the reply.
    func call<R: Request>(_ request: R, _ rules: CallRules) async throws -> R.Reply

    /// Asks, and hands each item with its bytes to the closure, one after the other.
    ///
    /// - Returns: The summary, when the stream has ended.
    func stream<R: StreamRequest>(
        _ request: R,
        _ rules: CallRules,
        _ each: @escaping @Sendable (R.Item, [UInt8]) async throws -> Void
    ) async throws -> R.Summary

    /// Asks, and sends the chunks that the closure gives until it gives nil.
    func upload<R: UploadRequest>(
        _ request: R,
        _ rules: CallRules,
        _ next: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> R.Reply
}

/// How a request is to be treated.
package struct CallRules: Sendable {
    /// Until when it may have an effect; nil, for streams alone, is without end.
    package var timeout: Duration?
    /// Whether the person may be asked.
    package var mayPrompt = true
    /// Why the caller asks.
    package var purpose: String?
    /// Repeating with the same key has the effect once.
    package var idempotencyKey: String?
    /// Bytes that go along with the request, at most ``Limits/frameBytes`` in each part.
    package var attachments: [[UInt8]] = []

    package init(timeout: Duration? = .seconds(10)) { self.timeout = timeout }

    /// As it is, without a deadline.
    var endless: CallRules {
        var rules = self
        rules.timeout = nil
        return rules
    }

    /// As it is, with those bytes.
    func attaching(_ attachments: [[UInt8]]) -> CallRules {
        var rules = self
        rules.attachments = attachments
        return rules
    }

    /// As it is, with that key.
    func keyed(_ key: String) -> CallRules {
        var rules = self
        rules.idempotencyKey = key
        return rules
    }
}

extension Cluster {
    /// Asks, with ten seconds for the answer.
    package func call<R: Request>(_ request: R) async throws -> R.Reply { try await call(request, CallRules()) }
}
