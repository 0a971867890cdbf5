package import EventLoop
import MessageSchema
import Timekeeping

/// Asks one service: one connection, over which requests, streams and uploads go side by side.
///
/// Pinned to the socket loop. It connects, and connects again after a loss, by itself; nothing that was sent is ever sent
/// again. What came before a loss counts; what was still open then fails at once with `serviceUnavailable`, cause
/// `connectionLost`.
package actor MessageClient {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }
    /// The service that is asked.
    package nonisolated let service: String

    let configuration: ClientConfiguration
    let loop: EventLoop
    private let context: MessagingContext
    private let credentials: Credentials
    private let address: String
    /// `nil` after a refusal, until somebody asks again, and during a pause before the next one.
    private var connection: ClientConnection?
    private var pause = ReconnectPause()
    /// Before then there is no new connection.
    private var pauseEnd = BootInstant(nanoseconds: 0)
    private var pauseTimer: EventLoop.Token?
    var exchanges: [UInt64: ClientExchange] = [:]
    private var lastNumber: UInt64 = 0
    private var writable: EventLoop.Token?
    /// Whether something could not be sent yet, because the service takes nothing now.
    var isWaitingForRoom: Bool { writable != nil }
    private var tickTimer: EventLoop.Token?

    /// Makes a client; it starts to connect at its first request.
    ///
    /// - Parameters:
    ///   - endpoint: The service; the credentials choose which of its sockets.
    ///   - credentials: As whom.
    ///   - context: The process's context.
    ///   - loop: The process's socket loop.
    ///   - configuration: Intervals and limits.
    /// - Throws: ``MessagingError`` for a path that is too long.
    package init(
        _ endpoint: ServiceEndpoint,
        as credentials: Credentials = .program,
        context: MessagingContext,
        loop: EventLoop,
        configuration: ClientConfiguration = ClientConfiguration()
    ) throws(MessagingError) {
        try endpoint.checkLength()
        address = credentials == .program ? endpoint.programs : endpoint.roles
        self.credentials = credentials
        self.context = context
        self.loop = loop
        self.configuration = configuration
        service = endpoint.service
    }

    isolated deinit {
        disconnect()
        if let tickTimer { loop.remove(tickTimer) }
        if let pauseTimer { loop.remove(pauseTimer) }
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
        try connect()
        lastNumber += 1
        let exchange = ClientExchange(
            serial: lastNumber,
            kind: kind,
            liveness: Liveness(configuration.liveness),
            window: window
        )
        exchanges[exchange.serial] = exchange
        let deadline = options.timeout.map { BootInstant.now() + $0 }
        // However long the work may take: what can not be sent soon, nobody is there to take.
        let sending = BootInstant.now() + configuration.connectLimit
        setDeadline(deadline.map { min($0, sending) } ?? sending, of: exchange)
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
            if let connection, connection.isUp {
                if try connection.socket.send(frames, attachments) == .sent { return exchange.liveness.said() }
                waitForRoom(connection)
            }
            try await waitForChange(exchange)
        }
    }

    /// Sends a message that needs no answer; one that can not go out now is no loss.
    ///
    /// - Returns: Whether it went out.
    @discardableResult
    func say(_ header: Header) -> Bool {
        // A socket that fails is noticed by whoever waits for an answer.
        guard let connection, connection.isUp else { return false }
        return (try? connection.socket.send([Wire.magic, HeaderCodec.encode(header), BodyCodec.empty])) == .sent
    }

    /// Sends credit that must not be lost, now or when there is room.
    func sayUnsaid(_ exchange: ClientExchange) {
        guard let header = exchange.unsaid, exchange.outcome == nil else { return }
        guard say(header) else {
            if let connection, connection.isUp { waitForRoom(connection) }
            return
        }
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

    /// Starts to connect where there is no connection, now or when the pause is over.
    private func connect() throws(MessagingError) {
        guard connection == nil, pauseTimer == nil else { return }
        guard pauseEnd <= .now() else {
            pauseTimer = loop.schedule(at: pauseEnd) { [weak self] in self?.assumeIsolated { $0.pauseIsOver() } }
            return
        }
        let new = try ClientConnection(to: address, as: credentials, context: context)
        new.registrations = [
            loop.onReady(new.socket.readable) { [weak self] in self?.assumeIsolated { $0.receive() } },
            loop.onReady(new.monitor.readable) { [weak self] in
                self?.assumeIsolated { try? $0.noteConnectionEvents() }
            },
        ]
        connection = new
    }

    private func pauseIsOver() {
        pauseTimer = nil
        do throws(MessagingError) {
            try connect()
        } catch {
            // No socket can be made: whoever waits is told, and the next request tries again.
            for exchange in exchanges.values where !exchange.isSent {
                exchange.finish(.failure(.serviceUnavailable(service)))
            }
        }
    }

    /// Lets go of the connection, with what libzmq has not sent yet; the next one comes after a pause.
    private func endConnection() {
        let now = BootInstant.now()
        pauseEnd = now + pause.after(life: connection?.upSince.map { $0.duration(to: now) } ?? .zero)
        disconnect()
    }

    private func disconnect() {
        for token in connection?.registrations ?? [] { loop.remove(token) }
        if let writable { loop.remove(writable) }
        writable = nil
        connection = nil
    }

    private func noteConnectionEvents() throws(MessagingError) {
        while let connection, let event = try connection.monitor.next() {
            switch event {
            case .up:
                connection.upSince = .now()
                sayWhatWaits()
            case .lost where connection.isUp:
                while receiveNext() {}
                for exchange in exchanges.values where exchange.isSent {
                    exchange.finish(.failure(.connectionLost(service)))
                }
                endConnection()
                try connect()
            case .lost:
                break
            case .refused:
                for exchange in exchanges.values where !exchange.isSent {
                    exchange.finish(.failure(.connectionRefused(service)))
                }
                endConnection()
            }
        }
    }

    /// Wakes what waits for room, once there is some.
    private func waitForRoom(_ connection: ClientConnection) {
        guard writable == nil else { return }
        writable = loop.onReady(connection.socket.writable) { [weak self] in self?.assumeIsolated { $0.roomHasCome() } }
    }

    private func roomHasCome() {
        if let writable { loop.remove(writable) }
        writable = nil
        sayWhatWaits()
    }

    private func sayWhatWaits() {
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
        guard let message = try? connection?.socket.receiveMessage(using: &frame, isRouted: false) else { return false }
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
