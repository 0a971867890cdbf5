import Consent
import EventLoop
import Logging
import MessageSchema
import Timekeeping

extension MessageServer {
    // MARK: Items and chunks

    /// Sends an item of a stream; see ``ItemSink``.
    ///
    /// - Returns: Whether it was sent; always, if it may wait.
    func sendItem(
        _ serial: UInt64,
        _ body: [UInt8],
        _ attachments: [Attachment],
        mayWait: Bool,
        admitting: (@Sendable () throws -> Void)?
    ) async throws -> Bool {
        try Self.checkSize(body, attachments)
        while true {
            let exchange = try openExchange(serial)
            if exchange.outgoing.credit > 0 {
                try admitting?()
                if try sendItemNow(exchange, body, attachments) {
                    // A long stream to a fast client must not keep the loop for itself.
                    if exchange.outgoing.nextSequence.isMultiple(of: 16) { await Task.yield() }
                    return true
                }
            }
            guard mayWait else { return false }
            await waitForChange(exchange)
        }
    }

    func waitForCredit(_ serial: UInt64) async throws {
        while true {
            let exchange = try openExchange(serial)
            // Who does not take what was sent already takes nothing more, whatever it allowed.
            if exchange.outgoing.credit > 0, peers[exchange.connection]?.isParked != true { return }
            await waitForChange(exchange)
        }
    }

    func setAcknowledgementHandler(_ serial: UInt64, _ handler: @escaping @Sendable (Int64, Int64) -> Void) {
        exchanges[serial]?.onAcknowledgement = handler
    }

    func receivedBytes(_ serial: UInt64) -> Int64 { exchanges[serial]?.incoming.byteCount ?? 0 }

    func nextChunk(_ serial: UInt64) async throws -> Attachment? {
        while true {
            let exchange = try openExchange(serial)
            if let credit = exchange.incoming.open() { grant(credit, exchange) }
            if let next = exchange.incoming.next() {
                if let credit = next.credit { grant(credit, exchange) }
                return next.chunk
            }
            if exchange.incoming.isComplete { return nil }
            await waitForChange(exchange)
        }
    }

    private func grant(_ credit: Int, _ exchange: Exchange) {
        guard !exchange.incoming.isComplete else { return }
        var header = Header(.credit, id: exchange.id)
        header.credit = credit
        say(header, for: exchange)
    }

    private func openExchange(_ serial: UInt64) throws -> Exchange {
        try Task.checkCancellation()
        guard let exchange = exchanges[serial], !exchange.isClosed else { throw CancellationError() }
        return exchange
    }

    private func sendItemNow(_ exchange: Exchange, _ body: [UInt8], _ attachments: [Attachment]) throws -> Bool {
        // What is parked goes first.
        guard let peer = peers[exchange.connection], !peer.isParked else { return false }
        var header = Header(.item, id: exchange.id)
        header.seq = exchange.outgoing.nextSequence
        switch transmit(HeaderCodec.encode(header), body, attachments, to: exchange.connection) {
        case .sent:
            _ = exchange.outgoing.take()
            exchange.liveness.said()
            counters.items += 1
            return true
        case .wouldBlock:
            park(exchange.connection, peer)
            return false
        case .unreachable:
            forget(exchange.connection)
            throw CancellationError()
        }
    }

    static func checkSize(_ body: [UInt8], _ attachments: [Attachment]) throws {
        guard body.count <= Limits.bodyBytes, attachments.count <= Limits.frames - 3,
            attachments.allSatisfy({ $0.count <= Limits.frameBytes })
        else { throw ErrorReply(.tooLarge, "An answer is larger than a message may be.") }
    }

    /// Suspends until something about the exchange has changed, or the task was cancelled.
    private func waitForChange(_ exchange: Exchange) async {
        lastNumber += 1
        let (number, serial) = (lastNumber, exchange.serial)
        await withTaskCancellationHandler {
            await withCheckedContinuation { park($0, number, exchange) }
        } onCancel: {
            // The table belongs to the actor; an unstructured task is the way to it from here.
            Task { await self.wakeWaiter(number, serial) }
        }
    }

    private func park(_ continuation: CheckedContinuation<Void, Never>, _ number: UInt64, _ exchange: Exchange) {
        exchange.addWaiter(number, continuation)
    }

    private func wakeWaiter(_ number: UInt64, _ serial: UInt64) { exchanges[serial]?.wakeWaiter(number) }

    // MARK: Messages that must arrive

    func peer(_ connection: ConnectionID, _ identity: PeerIdentity) -> Peer {
        if let peer = peers[connection] { return peer }
        let peer = Peer(identity: identity)
        peers[connection] = peer
        return peer
    }

    func sendError(_ error: ErrorReply, id: String, to connection: ConnectionID, _ identity: PeerIdentity) {
        counters.errors += 1
        let body = (try? BodyCodec.encode(error)) ?? BodyCodec.empty
        let header = HeaderCodec.encode(Header(.error, id: id))
        post(Outbox.Message(header: header, body: body, attachments: []), to: connection, peer(connection, identity))
    }

    /// Sends credit or a ping of an open exchange; one that can not go out now is no loss.
    func say(_ header: Header, for exchange: Exchange) {
        guard let peer = peers[exchange.connection] else { return }
        exchange.liveness.said()
        if header.kind == .ping, peer.isParked { return }
        let message = Outbox.Message(header: HeaderCodec.encode(header), body: BodyCodec.empty, attachments: [])
        post(message, to: exchange.connection, peer)
    }

    /// Sends a message, or keeps it until the peer takes it.
    func post(_ message: Outbox.Message, to connection: ConnectionID, _ peer: Peer) {
        defer { if peer.isIdle { peers[connection] = nil } }
        if !peer.isParked {
            switch transmit(message.header, message.body, message.attachments, to: connection) {
            case .sent: return
            case .unreachable: return forget(connection)
            case .wouldBlock: break
            }
        }
        guard peer.outbox.append(message) else {
            if isNews("peer takes no answers", peer.identity.principal.description) {
                log.warning("peer takes no answers", ["peer.label": .string(peer.identity.label)])
            }
            return forget(connection)
        }
        park(connection, peer)
    }

    private func transmit(
        _ header: [UInt8],
        _ body: [UInt8],
        _ attachments: [Attachment],
        to connection: ConnectionID
    ) -> SocketHandle.Sending {
        let frames = [RoutingID.generated(connection.routingID).bytes, Wire.magic, header, body]
        do throws(MessagingError) {
            return try doors?.send(frames, attachments, at: connection.door) ?? .unreachable
        } catch {
            if isNews("sending failed", "\(error)") { log.error("sending failed", ["error": .text(error)]) }
            return .unreachable
        }
    }

    /// The connection is gone, or as good as gone: its work ends.
    private func forget(_ connection: ConnectionID) {
        guard let peer = peers[connection] else { return }
        peer.outbox = Outbox()
        peer.isParked = false
        parkedConnections.remove(connection)
        for exchange in peer.exchanges.values { end(exchange, .peerGone) }
        if peer.isIdle { peers[connection] = nil }
    }

    // MARK: Slow peers

    /// A router does not tell when one peer takes messages again, so it is asked again and again, for this peer alone.
    private func park(_ connection: ConnectionID, _ peer: Peer) {
        if !peer.isParked { counters.parked += 1 }
        peer.isParked = true
        parkedConnections.insert(connection)
        scheduleRetry()
    }

    private func scheduleRetry() {
        guard retryTimer == nil else { return }
        retryTimer = loop.schedule(at: .now() + configuration.retryInterval) { [weak self] in
            self?.assumeIsolated { $0.retryParked() }
        }
    }

    private func retryParked() {
        retryTimer = nil
        for connection in parkedConnections {
            guard let peer = peers[connection] else {
                parkedConnections.remove(connection)
                continue
            }
            guard flush(peer, connection) else { continue }
            peer.isParked = false
            parkedConnections.remove(connection)
            for exchange in peer.exchanges.values { exchange.wakeWaiters() }
            if peer.isIdle { peers[connection] = nil }
        }
        if !parkedConnections.isEmpty { scheduleRetry() }
        if isIdle { wakeIdleWaiters() }
    }

    /// - Returns: Whether everything that waited is out.
    private func flush(_ peer: Peer, _ connection: ConnectionID) -> Bool {
        while let message = peer.outbox.first {
            switch transmit(message.header, message.body, message.attachments, to: connection) {
            case .sent:
                peer.outbox.removeFirst()
            case .wouldBlock:
                return false
            case .unreachable:
                forget(connection)
                return false
            }
        }
        return true
    }

    // MARK: Life

    func startTicking() {
        guard tickTimer == nil else { return }
        tickTimer = loop.schedule(at: .now() + configuration.liveness.tick) { [weak self] in
            self?.assumeIsolated { $0.tick() }
        }
    }

    private func tick() {
        tickTimer = nil
        guard liveCount > 0 else { return }
        for exchange in exchanges.values where exchange.kind != .request && !exchange.isClosed {
            switch exchange.liveness.tick() {
            case .nothing: break
            case .ping: say(Header(.ping, id: exchange.id), for: exchange)
            case .silent: end(exchange, .holderSilent)
            }
        }
        startTicking()
    }
}
