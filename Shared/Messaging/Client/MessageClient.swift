package import EventLoop
import MessageSchema
import Timekeeping

/// Asks one service: one connection, over which requests, streams and uploads go side by side.
///
/// Pinned to the socket loop. libzmq connects, and connects again after a loss, by itself; nothing that was sent is ever
/// sent again. What was open when the connection was lost fails at once with `serviceUnavailable`, cause `connectionLost`.
package actor MessageClient {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }
    /// The service that is asked.
    package nonisolated let service: String

    let configuration: ClientConfiguration
    let loop: EventLoop
    private let context: MessagingContext
    private let socket: SocketHandle
    private let monitor: ConnectionMonitor
    private let address: String
    private var mustConnect = false
    var exchanges: [UInt64: ClientExchange] = [:]
    private var lastNumber: UInt64 = 0
    private var registrations: [EventLoop.Token] = []
    private var writable: EventLoop.Token?
    /// Whether something could not be sent yet.
    var isWaitingForRoom: Bool { writable != nil }
    private var tickTimer: EventLoop.Token?
    private var isListening = false

    /// Makes a client; it starts to connect at its first request.
    ///
    /// - Parameters:
    ///   - endpoint: The service; the credentials choose which of its sockets.
    ///   - credentials: As whom.
    ///   - context: The process's context.
    ///   - loop: The process's socket loop.
    ///   - configuration: Intervals and limits.
    /// - Throws: ``MessagingError`` for a path that is too long, or without descriptors.
    package init(
        _ endpoint: ServiceEndpoint,
        as credentials: Credentials = .program,
        context: MessagingContext,
        loop: EventLoop,
        configuration: ClientConfiguration = ClientConfiguration()
    ) throws(MessagingError) {
        try endpoint.checkLength()
        let socket = try SocketHandle(.dealer, in: context)
        try SocketOptions.setClient(socket, as: credentials)
        monitor = try ConnectionMonitor(of: socket, context: context)
        address = credentials == .program ? endpoint.programs : endpoint.roles
        try socket.connect(address)
        self.socket = socket
        self.context = context
        self.loop = loop
        self.configuration = configuration
        service = endpoint.service
    }

    isolated deinit {
        for token in registrations { loop.remove(token) }
        for token in [writable, tickTimer] { if let token { loop.remove(token) } }
    }

    // MARK: Exchanges

    /// Opens an exchange: waits for the connection, and sends the request.
    ///
    /// - Throws: `ErrorReply`.
    func open(
        _ kind: ClientExchange.Kind,
        _ name: String,
        _ body: [UInt8],
        _ options: CallOptions,
        window: Int
    ) async throws -> ClientExchange {
        try listen()
        lastNumber += 1
        let exchange = ClientExchange(
            serial: lastNumber,
            kind: kind,
            liveness: Liveness(configuration.liveness),
            window: window
        )
        exchanges[exchange.serial] = exchange
        let deadline = options.timeout.map { BootInstant.now() + $0 }
        setDeadline(deadline ?? .now() + configuration.connectLimit, of: exchange)
        var header = Header(.request, id: exchange.id)
        header.name = name
        header.expiresAt = deadline?.milliseconds
        header.idempotencyKey = options.idempotencyKey
        header.onBehalfOf = options.onBehalfOf
        header.mayPrompt = options.mayPrompt ? nil : false
        header.purpose = options.purpose
        header.trace = options.trace
        if kind == .stream { header.credit = exchange.incoming.size }
        do {
            try await send(header, body, options.attachments, for: exchange)
        } catch {
            close(exchange)
            throw error
        }
        exchange.isSent = true
        if let deadline {
            setDeadline(deadline + configuration.grace, of: exchange)
        } else {
            removeDeadline(of: exchange)
        }
        if kind != .request { startTicking() }
        return exchange
    }

    /// Forgets an exchange; tells the service, if it still works for it.
    func close(_ exchange: ClientExchange) {
        guard exchanges.removeValue(forKey: exchange.serial) != nil else { return }
        removeDeadline(of: exchange)
        if exchange.isSent, exchange.outcome == nil { say(Header(.cancel, id: exchange.id)) }
        exchange.finish(.failure(.cancelled))
    }

    /// Waits for the final message.
    ///
    /// - Throws: `ErrorReply`.
    func outcome(of exchange: ClientExchange) async throws -> RawMessage {
        while true {
            if let outcome = exchange.outcome { return try outcome.get() }
            try await waitForChange(exchange)
        }
    }

    /// Sends a message of an exchange, waiting for the connection and for room.
    func send(
        _ header: Header,
        _ body: [UInt8],
        _ attachments: [Attachment],
        for exchange: ClientExchange
    ) async throws {
        let frames = [Wire.magic, HeaderCodec.encode(header), body]
        while true {
            // A loss that happened before must not be taken for one that happens after this message.
            try noteConnectionEvents()
            switch exchange.outcome {
            case .failure(let error)?: throw error
            // Answered early: nobody wants the rest.
            case .success?: return
            case nil: break
            }
            if try socket.send(frames, attachments) == .sent { return exchange.liveness.said() }
            waitForRoom()
            try await waitForChange(exchange)
        }
    }

    /// Sends a message that needs no answer; one that can not go out now is no loss.
    ///
    /// - Returns: Whether it went out.
    @discardableResult
    func say(_ header: Header) -> Bool {
        // A socket that fails is noticed by whoever waits for an answer.
        (try? socket.send([Wire.magic, HeaderCodec.encode(header), BodyCodec.empty])) == .sent
    }

    /// Sends credit that must not be lost, now or when there is room.
    func sayUnsaid(_ exchange: ClientExchange) {
        guard let header = exchange.unsaid, exchange.outcome == nil else { return }
        guard say(header) else { return waitForRoom() }
        exchange.unsaid = nil
        exchange.liveness.said()
    }

    /// Suspends until something about the exchange has changed; not at all if it is over.
    ///
    /// - Throws: `ErrorReply` `cancelled` if the task was cancelled.
    func waitForChange(_ exchange: ClientExchange) async throws {
        guard exchange.outcome == nil else { return }
        lastNumber += 1
        let (number, serial) = (lastNumber, exchange.serial)
        await withTaskCancellationHandler {
            await withCheckedContinuation { park($0, number, exchange) }
        } onCancel: {
            // The table belongs to the actor; an unstructured task is the way to it from here.
            Task { await self.wakeWaiter(number, serial) }
        }
        if Task.isCancelled, exchange.outcome == nil { throw ErrorReply.cancelled }
    }

    private func park(_ continuation: CheckedContinuation<Void, Never>, _ number: UInt64, _ exchange: ClientExchange) {
        exchange.addWaiter(number, continuation)
    }

    private func wakeWaiter(_ number: UInt64, _ serial: UInt64) { exchanges[serial]?.wakeWaiter(number) }

    // MARK: Deadlines

    private func setDeadline(_ deadline: BootInstant, of exchange: ClientExchange) {
        removeDeadline(of: exchange)
        exchange.deadline = loop.schedule(at: deadline) { [weak self, serial = exchange.serial] in
            self?.assumeIsolated { $0.deadlineHasCome(serial) }
        }
    }

    private func removeDeadline(of exchange: ClientExchange) {
        if let deadline = exchange.deadline { loop.remove(deadline) }
        exchange.deadline = nil
    }

    private func deadlineHasCome(_ serial: UInt64) {
        guard let exchange = exchanges[serial] else { return }
        if exchange.isSent { say(Header(.cancel, id: exchange.id)) }
        exchange.finish(.failure(exchange.isSent ? .deadlineExceeded : .serviceUnavailable(service)))
    }

    // MARK: The connection

    /// Starts to listen, once, and connects again after a refusal: libzmq gives up then.
    private func listen() throws(MessagingError) {
        if mustConnect {
            mustConnect = false
            socket.disconnect(address)
            try socket.connect(address)
        }
        guard !isListening else { return }
        isListening = true
        registrations = [
            loop.onReady(socket.readable) { [weak self] in self?.assumeIsolated { $0.receive() } },
            loop.onReady(monitor.readable) { [weak self] in self?.assumeIsolated { try? $0.noteConnectionEvents() } },
        ]
    }

    private func noteConnectionEvents() throws(MessagingError) {
        while let event = try monitor.next() {
            switch event {
            case .lost:
                // What came before the end may not have been looked at yet. With ZMQ_IMMEDIATE libzmq drops it when it next
                // looks at the socket (4.3.4, `socket_base_t::hiccuped`), so this finds only what it still has.
                while receiveNext() {}
                for exchange in exchanges.values where exchange.isSent {
                    exchange.finish(.failure(.connectionLost(service)))
                }
            case .refused:
                mustConnect = true
                for exchange in exchanges.values where !exchange.isSent {
                    exchange.finish(.failure(.connectionRefused(service)))
                }
            }
        }
    }

    /// Wakes what waits for the connection or for room, once there is some.
    private func waitForRoom() {
        guard writable == nil else { return }
        writable = loop.onReady(socket.writable) { [weak self] in self?.assumeIsolated { $0.roomHasCome() } }
    }

    private func roomHasCome() {
        if let writable { loop.remove(writable) }
        writable = nil
        for exchange in exchanges.values {
            sayUnsaid(exchange)
            exchange.wakeWaiters()
        }
    }

    private func receive() {
        for _ in 0..<64 { guard receiveNext() else { return } }
    }

    /// - Returns: Whether there was a message.
    private func receiveNext() -> Bool {
        var frame = MessageFrame()
        guard let message = try? socket.receiveMessage(using: &frame, isRouted: false) else { return false }
        // What can not be understood can not be matched with an exchange, which then ends by its own limits.
        guard case .success(let header) = message.header, let serial = UInt64(header.id),
            let exchange = exchanges[serial], exchange.outcome == nil
        else { return true }
        receive(header, message, for: exchange)
        return true
    }

    private func receive(_ header: Header, _ message: IncomingMessage, for exchange: ClientExchange) {
        exchange.liveness.heard()
        let raw = RawMessage(sequence: header.seq ?? 0, body: message.body, attachments: message.attachments)
        switch header.kind {
        case .reply where exchange.kind != .stream, .end where exchange.kind == .stream:
            exchange.finish(.success(raw))
        case .error:
            exchange.finish(.failure(ErrorReply(received: message.body)))
        case .item where exchange.kind == .stream:
            do throws(ReceiveWindow.Violation) {
                try exchange.incoming.receive(sequence: header.seq)
                exchange.items.append(raw)
                exchange.wakeWaiters()
            } catch {
                say(Header(.cancel, id: exchange.id))
                exchange.finish(.failure(ErrorReply(.badMessage, "\(service) broke a rule of the stream.")))
            }
        case .credit:
            exchange.outgoing.grant(header.credit ?? 0)
            exchange.wakeWaiters()
        default:
            break
        }
    }

    // MARK: Life

    private func startTicking() {
        guard tickTimer == nil else { return }
        tickTimer = loop.schedule(at: .now() + configuration.liveness.tick) { [weak self] in
            self?.assumeIsolated { $0.tick() }
        }
    }

    private func tick() {
        tickTimer = nil
        var isNeeded = false
        for exchange in exchanges.values where exchange.kind != .request && exchange.isSent && exchange.outcome == nil {
            isNeeded = true
            switch exchange.liveness.tick() {
            case .nothing: break
            case .ping: say(Header(.ping, id: exchange.id))
            case .silent:
                say(Header(.cancel, id: exchange.id))
                exchange.finish(.failure(.serverSilent(service)))
            }
        }
        if isNeeded { startTicking() }
    }
}
