import Consent
import EventLoop
import Hashing
import Logging
package import MessageSchema
import Timekeeping

extension MessageServer {
    // MARK: Opening

    func open(
        _ header: Header,
        _ message: IncomingMessage,
        from connection: ConnectionID,
        _ identity: PeerIdentity
    ) {
        counters.requests += 1
        let now = BootInstant.now()
        let name = header.name ?? ""
        if isDraining { return sendError(.shuttingDown, id: header.id, to: connection, identity) }
        guard let handler = handlers[name] else {
            let error = ErrorReply(.unknownRequest, "There is no such request here.", parameters: ["name": name])
            return sendError(error, id: header.id, to: connection, identity)
        }
        let deadline = deadline(of: header, kind: handler.kind, now: now)
        let owner = ServerShares.Owner(connection, identity, onBehalfOf: header.onBehalfOf?.principal)
        if let refusal = accessRefusal(of: header, handler, connection, identity)
            ?? messageRefusal(of: header, message, handler, connection, deadline: deadline, now: now)
            ?? shareRefusal(owner, connection, bytes: message.byteCount)
        {
            return sendError(refusal, id: header.id, to: connection, identity)
        }
        let exchange = addExchange(header.id, handler, connection, identity, owner, requestBytes: message.byteCount)
        exchange.outgoing.grant(header.credit ?? 0)
        let call = Call(
            caller: identity,
            onBehalfOf: header.onBehalfOf,
            name: name,
            deadline: deadline,
            mayPrompt: header.mayPrompt ?? true,
            purpose: header.purpose,
            idempotencyKey: header.idempotencyKey,
            trace: header.trace,
            attachments: message.attachments,
            connection: connection,
            state: exchange.state
        )
        if let deadline {
            exchange.deadline = loop.schedule(at: deadline) { [weak self, serial = exchange.serial] in
                self?.assumeIsolated { $0.endBySerial(serial, .deadlineExceeded) }
            }
        }
        // Structured by the exchange: `end` and `finish` are its two ways out.
        exchange.task = Task { [serial = exchange.serial, body = message.body] in
            await run(serial, handler, body, call)
        }
    }

    private func deadline(of header: Header, kind: Exchange.Kind, now: BootInstant) -> BootInstant? {
        if let expiresAt = header.expiresAt { return BootInstant(milliseconds: expiresAt) }
        if let deadline = header.deadline { return now + .milliseconds(deadline) }
        return kind == .request ? now + configuration.defaultDeadline : nil
    }

    private func addExchange(
        _ id: String,
        _ handler: Handler,
        _ connection: ConnectionID,
        _ identity: PeerIdentity,
        _ owner: ServerShares.Owner,
        requestBytes: Int
    ) -> Exchange {
        lastNumber += 1
        let exchange = Exchange(
            serial: lastNumber,
            id: id,
            connection: connection,
            owner: owner,
            requestBytes: requestBytes,
            kind: handler.kind,
            liveness: Liveness(configuration.liveness),
            creditLimit: handler.creditLimit,
            uploadWindow: configuration.uploadWindow
        )
        let peer = peer(connection, identity)
        peer.exchanges[id] = exchange
        peer.openCount += 1
        exchanges[exchange.serial] = exchange
        shares.open(owner, bytes: requestBytes)
        if handler.kind != .request {
            liveCount += 1
            startTicking()
        }
        return exchange
    }

    // MARK: Running

    private func run(_ serial: UInt64, _ handler: Handler, _ body: Attachment?, _ call: Call) async {
        guard let exchange = exchanges[serial] else { return }
        // Ended before it began, by a message that came with the request.
        guard !exchange.isClosed else { return finish(exchange, .failure(CancellationError())) }
        let reference = ExchangeReference(server: self, serial: serial, state: exchange.state)
        do {
            let outcome = try await perform(handler, body, call, reference)
            // What is too large would cost the client its connection.
            try Self.checkSize(outcome.body, outcome.attachments)
            finish(exchange, .success(outcome))
        } catch {
            // A handler's refusal is logged as the server's own is: before the program hears of it.
            if let refusal = error as? ErrorReply, refusal.isRefusal {
                logRefusal(refusal, of: call.name, by: call.caller, call.connection.token)
            }
            finish(exchange, .failure(error))
        }
    }

    private func perform(
        _ handler: Handler,
        _ body: Attachment?,
        _ call: Call,
        _ exchange: ExchangeReference
    ) async throws -> Outcome {
        guard let key = call.idempotencyKey, handler.remembersReplies else {
            return try await handler.handle(body, call, exchange)
        }
        let scope = IdempotencyScope(principal: call.principal, name: call.name, key: key)
        let hash = try Self.hash(of: body)
        // One at a time for each key; the next one finds the first one's reply.
        while runningKeys[scope] != nil {
            await withCheckedContinuation { waitForKey(scope, $0) }
            try Task.checkCancellation()
        }
        runningKeys[scope] = []
        defer { for waiter in runningKeys.removeValue(forKey: scope) ?? [] { waiter.resume() } }
        if let stored = try await idempotency.reply(for: scope) {
            guard stored.requestHash == hash else { throw ErrorReply.idempotencyConflict }
            return Outcome(body: stored.body)
        }
        let outcome = try await handler.handle(body, call, exchange)
        try await idempotency.store(StoredReply(requestHash: hash, body: outcome.body), for: scope)
        return outcome
    }

    private func waitForKey(_ scope: IdempotencyScope, _ continuation: CheckedContinuation<Void, Never>) {
        runningKeys[scope, default: []].append(continuation)
    }

    /// The hash of what is asked, not of how it was written: coders differ in the order of fields, and from run to run.
    private static func hash(of body: Attachment?) throws -> SHA256Digest {
        guard let body, body.count > 0 else { return SHA256Digest(hashing: BodyCodec.empty) }
        try BodyCodec.check(body)
        return SHA256Digest(hashing: try CanonicalJSON.bytes(of: body.bytes))
    }

    // MARK: Ending

    /// The handler is done.
    private func finish(_ exchange: Exchange, _ result: Result<Outcome, any Error>) {
        if !exchange.isClosed {
            switch result {
            case .success(let outcome):
                var header = Header(exchange.kind == .stream ? .end : .reply, id: exchange.id)
                if exchange.kind == .stream { header.seq = exchange.outgoing.nextSequence }
                counters.replies += 1
                close(exchange, header, outcome.body, outcome.attachments)
            case .failure(let error):
                closeWithError(exchange, wireError(error, of: exchange))
            }
        }
        exchanges[exchange.serial] = nil
        shares.close(exchange.owner, bytes: exchange.requestBytes)
        if let peer = peers[exchange.connection] {
            peer.openCount -= 1
            if peer.isIdle { peers[exchange.connection] = nil }
        }
        if isIdle { wakeIdleWaiters() }
    }

    func endBySerial(_ serial: UInt64, _ reason: EndReason) {
        if let exchange = exchanges[serial] { end(exchange, reason) }
    }

    /// Ends an exchange before its handler is done: the client gets the error now, the handler is cancelled.
    func end(_ exchange: Exchange, _ reason: EndReason) {
        guard !exchange.isClosed else { return }
        exchange.state.end(reason)
        if reason == .peerGone {
            markClosed(exchange)
        } else {
            let error = reason == .deadlineExceeded ? exchange.state.question.deadlineExceeded : ErrorReply(reason)
            closeWithError(exchange, error)
        }
        exchange.task?.cancel()
        exchange.wakeWaiters()
    }

    /// Ends an exchange with an error of the service's own, before its handler is done.
    func fail(_ serial: UInt64, _ error: ErrorReply) {
        guard let exchange = exchanges[serial], !exchange.isClosed else { return }
        exchange.state.end(.failed)
        closeWithError(exchange, error)
        exchange.task?.cancel()
        exchange.wakeWaiters()
    }

    private func closeWithError(_ exchange: Exchange, _ error: ErrorReply) {
        counters.errors += 1
        let body = (try? BodyCodec.encode(error)) ?? BodyCodec.empty
        close(exchange, Header(.error, id: exchange.id), body, [])
    }

    private func close(_ exchange: Exchange, _ header: Header, _ body: [UInt8], _ attachments: [Attachment]) {
        markClosed(exchange)
        guard let peer = peers[exchange.connection] else { return }
        post(
            Outbox.Message(header: HeaderCodec.encode(header), body: body, attachments: attachments),
            to: exchange.connection,
            peer
        )
    }

    private func markClosed(_ exchange: Exchange) {
        exchange.isClosed = true
        peers[exchange.connection]?.exchanges[exchange.id] = nil
        if let deadline = exchange.deadline { loop.remove(deadline) }
        if exchange.kind != .request { liveCount -= 1 }
    }

    private func wireError(_ error: any Error, of exchange: Exchange) -> ErrorReply {
        switch error {
        case let error as ErrorReply: return error
        case let error as MalformedMessage:
            complain(of: exchange.connection.token, error.problem.rawValue)
            return ErrorReply(error)
        case is CancellationError: return .cancelled
        default:
            if let mapped = errorMapping(error) { return mapped }
            if isNews("handler failed", "\(error)") { log.error("handler failed", ["error": .text(error)]) }
            return ErrorReply(.internalFault, "The service failed.")
        }
    }
}

extension ErrorReply {
    /// Whether the caller asked for what it may not have; a log shows who did.
    fileprivate var isRefusal: Bool {
        switch code {
        case .roleRequired, .operatorRequired, .unprovenIdentity, .accessDenied, .accessRestricted, .destinationRefused:
            true
        case .dataUnavailable: cause == ErrorCode.accessDenied.rawValue
        default: false
        }
    }

    static let shuttingDown = ErrorReply(
        .shuttingDown,
        "The service is ending.",
        recoverySuggestion: "Try again when it has started anew.",
        retryAfter: 1_000
    )
    static let cancelled = ErrorReply(.cancelled, "The request was cancelled.")
    static let deadlineExceeded = ErrorReply(.deadlineExceeded, "The deadline has passed.")
    /// What a key gets that was used for another request.
    package static let idempotencyConflict = ErrorReply(
        .idempotencyConflict,
        "The same key was used for another request."
    )

    init(_ reason: EndReason) {
        switch reason {
        case .cancelled: self = .cancelled
        case .deadlineExceeded: self = .deadlineExceeded
        case .holderSilent:
            self.init(
                .holderSilent,
                "The client showed no life.",
                recoverySuggestion: "Send credit or ping at least each second."
            )
        case .peerGone:
            self.init(
                .cancelled,
                "The connection is gone.",
                reason: "The program closed it, or takes no answers.",
                recoverySuggestion: "Connect and ask again.",
                cause: "peerGone"
            )
        case .shuttingDown: self = .shuttingDown
        case .failed:
            self.init(.cancelled, "The service ended the exchange.", reason: "It could not go on with it.")
        case .badMessage:
            self.init(
                .badMessage,
                "The message breaks a rule of this exchange.",
                reason: "It is not one that may come at this point, or more than there was credit for."
            )
        }
    }
}
