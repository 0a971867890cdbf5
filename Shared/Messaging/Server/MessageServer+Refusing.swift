import Consent
import Logging
import MessageSchema
import Timekeeping

/// Requests that are refused before a handler sees them.
extension MessageServer {
    /// Why this caller may not send this request at all.
    func accessRefusal(
        of header: Header,
        _ handler: Handler,
        _ connection: ConnectionID,
        _ identity: PeerIdentity
    ) -> ErrorReply? {
        guard let refusal = handler.access.refusal(identity) ?? delegationRefusal(header, identity) else { return nil }
        logRefusal(refusal, of: header.name ?? "", by: identity, connection.token)
        return refusal
    }

    /// What is wrong with the message.
    func messageRefusal(
        of header: Header,
        _ message: IncomingMessage,
        _ handler: Handler,
        _ connection: ConnectionID,
        deadline: BootInstant?,
        now: BootInstant
    ) -> ErrorReply? {
        if let deadline, deadline <= now { return .deadlineExceeded }
        if let purpose = header.purpose, purpose.count > Limits.purposeCharacters {
            return ErrorReply(.tooLarge, "A purpose has at most \(Limits.purposeCharacters) characters.")
        }
        if !message.attachments.isEmpty, !handler.takesAttachments {
            complain(of: connection.token, "attachments")
            return ErrorReply(
                .badMessage,
                "This request has no attachments.",
                reason: "They would be kept for as long as the request is, and nobody would look at them.",
                recoverySuggestion: "Send chunks of an upload as items, when there is credit.",
                cause: "attachments"
            )
        }
        if peers[connection]?.exchanges[header.id] != nil {
            complain(of: connection.token, "id")
            return ErrorReply(
                .badMessage,
                "Another exchange of this connection has the same id.",
                reason: "An answer could not be told from the other's.",
                recoverySuggestion: "Give each request an id of its own.",
                cause: "id"
            )
        }
        return nil
    }

    /// Whether the caller, or whom it asks for, has its share of the service already.
    func shareRefusal(_ owner: ServerShares.Owner, _ connection: ConnectionID, bytes: Int) -> ErrorReply? {
        let isFull =
            switch owner {
            case .user:
                (peers[connection]?.openCount ?? 0) >= configuration.exchangesPerConnection
                    || shares.exchanges(of: owner) >= configuration.exchangesPerUser
                    || shares.bytes(of: owner) + bytes > configuration.requestBytesPerUser
                    || isFullForPrograms
            case .delegation:
                shares.exchanges(of: owner) >= configuration.exchangesPerDelegation || isFullForPrograms
            case .service:
                exchanges.count >= configuration.exchanges
            }
        guard isFull else { return nil }
        return ErrorReply(
            .tooManyRequests,
            "Too much is asked at once.",
            retryAfter: 100
        )
    }

    private var isFullForPrograms: Bool {
        exchanges.count >= configuration.exchanges - configuration.exchangesReserved
    }

    private func delegationRefusal(_ header: Header, _ identity: PeerIdentity) -> ErrorReply? {
        header.onBehalfOf != nil && identity.role == nil ? .roleRequired : nil
    }
}

extension IncomingMessage {
    /// The bytes that a request keeps while it is worked on.
    var byteCount: Int { (body?.count ?? 0) + attachments.reduce(0) { $0 + $1.count } }
}
