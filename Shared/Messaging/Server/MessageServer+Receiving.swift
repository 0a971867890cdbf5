import Consent
import MessageSchema
import Timekeeping

extension MessageServer {
    /// Takes what has arrived at a socket, but not so much that nothing else gets its turn.
    func receive(at door: Door) throws(MessagingError) {
        var frame = MessageFrame()
        for _ in 0..<64 {
            guard let message = try doors?.receive(at: door, using: &frame) else { return }
            handle(message, from: door)
        }
    }

    private func handle(_ message: IncomingMessage, from door: Door) {
        guard let sender = message.sender else { return drop() }
        guard case .generated(let routingID) = sender else {
            let error = ErrorReply(
                .badMessage,
                "Leave the routing id to the service.",
                reason: "The connection gave itself a name, which could be another's.",
                recoverySuggestion: "Do not set ZMQ_ROUTING_ID.",
                cause: "routingID"
            )
            return answerStranger(message, sender, door, error)
        }
        guard let token = message.token, let identity = doors?.authenticator[token] else {
            let error = ErrorReply(
                .unprovenIdentity,
                "The process that opened this connection is gone.",
                reason: "An identity is known for as long as its process lives.",
                recoverySuggestion: "Connect anew."
            )
            return answerStranger(message, sender, door, error)
        }
        let connection = ConnectionID(door: door, routingID: routingID, token: token)
        switch message.header {
        case .success(let header): dispatch(header, message, from: connection, identity)
        case .failure(let problem): refuse(problem, from: connection, identity)
        }
    }

    private func dispatch(
        _ header: Header,
        _ message: IncomingMessage,
        from connection: ConnectionID,
        _ identity: PeerIdentity
    ) {
        if header.kind == .request { return open(header, message, from: connection, identity) }
        guard let exchange = peers[connection]?.exchanges[header.id] else {
            // Late, or never known; a late `item` of an upload that was answered early is no fault either.
            if header.kind == .ping { noteStrayPing(header.id, from: identity) }
            return
        }
        exchange.liveness.heard()
        switch header.kind {
        case .credit:
            exchange.outgoing.grant(header.credit ?? 0)
            if let ack = header.ack { exchange.onAcknowledgement?(ack, header.seq ?? 0) }
            exchange.wakeWaiters()
        case .ping:
            break
        case .cancel, .error:
            end(exchange, .cancelled)
        case .item:
            receiveChunk(header, message.attachments, for: exchange)
        case .end:
            guard exchange.kind == .upload else { return endBroken(exchange, "kind") }
            exchange.incoming.isComplete = true
            exchange.wakeWaiters()
        case .request, .reply:
            endBroken(exchange, "kind")
        }
    }

    private func receiveChunk(_ header: Header, _ attachments: [Attachment], for exchange: Exchange) {
        guard exchange.kind == .upload, !exchange.incoming.isComplete, attachments.count == 1,
            attachments[0].count <= Limits.chunkBytes
        else { return endBroken(exchange, "chunk") }
        do throws(ReceiveWindow.Violation) {
            try exchange.incoming.receive(attachments[0], sequence: header.seq)
            exchange.wakeWaiters()
        } catch {
            endBroken(exchange, "credit")
        }
    }

    private func endBroken(_ exchange: Exchange, _ cause: String) {
        complain(of: exchange.connection.token, cause)
        end(exchange, .badMessage)
    }

    /// Answers a message that breaks a rule, where its identifier can be read, and ends the exchange it belongs to.
    private func refuse(_ problem: MalformedMessage, from connection: ConnectionID, _ identity: PeerIdentity) {
        complain(of: connection.token, problem.problem.rawValue)
        guard let id = problem.id else { return drop() }
        if let exchange = peers[connection]?.exchanges[id] {
            end(exchange, .badMessage)
        } else {
            sendError(ErrorReply(problem), id: id, to: connection, identity)
        }
    }

    /// Answers somebody whose state is not kept, if the message can be answered at once.
    private func answerStranger(_ message: IncomingMessage, _ sender: RoutingID, _ door: Door, _ error: ErrorReply) {
        complain(of: message.token, error.cause ?? error.code.rawValue)
        guard case .success(let header) = message.header, let body = try? BodyCodec.encode(error) else { return drop() }
        let frames = [sender.bytes, Wire.magic, HeaderCodec.encode(Header(.error, id: header.id)), body]
        // A stranger that takes nothing gets nothing.
        guard (try? doors?.send(frames, [], at: door)) == .sent else { return drop() }
        counters.errors += 1
    }

    private func drop() { counters.dropped += 1 }
}

extension ErrorReply {
    init(_ problem: MalformedMessage) {
        let code: ErrorCode = problem.problem == .tooLarge ? .tooLarge : .badMessage
        self.init(
            code,
            code == .tooLarge ? "The message is too large." : "The message can not be understood.",
            reason: "\(problem.problem.rawValue): \(problem.detail).",
            cause: problem.problem.rawValue
        )
    }
}
