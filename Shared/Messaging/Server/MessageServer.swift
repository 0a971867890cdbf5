private import CZeroMQ
import Consent
package import EventLoop
private import Glibc
package import Logging
package import MessageSchema
import Timekeeping

/// Serves requests, streams and uploads of one service on its two sockets.
///
/// Pinned to the socket loop; handlers start on that loop too and leave it only where they call an actor of another one.
/// See README.md for the contract and ThreatModel.md for what is proven about callers.
package actor MessageServer {
    /// Answers a request that was understood so far.
    typealias Handling = @Sendable (_ body: Attachment?, Call, ExchangeReference) async throws -> Outcome

    /// The body and the attachments of a reply or an end.
    struct Outcome: Sendable {
        var body: [UInt8]
        var attachments: [Attachment] = []
    }

    struct Handler: Sendable {
        let kind: Exchange.Kind
        let access: CallerRule
        /// Whether a repetition with the same key gets the reply of the first one.
        let remembersReplies: Bool
        /// Whether the request itself may have attachments.
        let takesAttachments: Bool
        /// How many items a receiver can allow ahead.
        let creditLimit: Int
        let handle: Handling
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    let configuration: ServerConfiguration
    let loop: EventLoop
    let log: Logger
    let idempotency: any IdempotencyStore
    let errorMapping: @Sendable (any Error) -> ErrorReply?
    private let context: MessagingContext

    var handlers: [String: Handler] = [:]
    var doors: ServerDoors?
    var peers: [ConnectionID: Peer] = [:]
    var exchanges: [UInt64: Exchange] = [:]
    /// What is open for whom.
    var shares = ServerShares()
    var parkedConnections: Set<ConnectionID> = []
    var counters = ServerStatistics()
    var isDraining = false
    var lastNumber: UInt64 = 0
    var tickTimer: EventLoop.Token?
    var retryTimer: EventLoop.Token?
    var complaintTimer: EventLoop.Token?
    var complaints: ComplaintSieve<Principal>
    /// How much of the log what programs bring about again and again may take.
    var failures: ComplaintSieve<String>
    var refusals: ComplaintSieve<RefusedRequest>
    /// Exchanges that must show life.
    var liveCount = 0
    var runningKeys: [IdempotencyScope: [CheckedContinuation<Void, Never>]] = [:]
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
    private var registrations: [EventLoop.Token] = []
    private var selfCheck: SelfCheck?

    /// Makes a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen, whom to believe, what to bear.
    ///   - context: The process's context.
    ///   - loop: The process's socket loop.
    ///   - log: Refusals go here at `warning`; nothing a peer sent is logged.
    ///   - idempotency: Where replies to requests with a key are remembered.
    ///   - errorMapping: The wire's word for an error of a handler; `nil` makes it an `internalFault` without text. Runs on
    ///     the socket loop.
    package init(
        _ configuration: ServerConfiguration,
        context: MessagingContext,
        loop: EventLoop,
        log: Logger,
        idempotency: any IdempotencyStore = MemoryIdempotencyStore(),
        errorMapping: @escaping @Sendable (any Error) -> ErrorReply? = { _ in nil }
    ) {
        self.configuration = configuration
        self.context = context
        self.loop = loop
        self.log = log
        self.idempotency = idempotency
        self.errorMapping = errorMapping
        complaints = ComplaintSieve(interval: configuration.complaintInterval)
        refusals = ComplaintSieve(interval: configuration.complaintInterval)
        failures = ComplaintSieve(interval: configuration.complaintInterval)
    }

    // On the loop, so that the sockets are closed on the thread that used them.
    isolated deinit { removeRegistrations() }

    // MARK: Start and end

    /// Takes the service's place in the runtime directory, and listens.
    ///
    /// - Throws: ``MessagingError``: `alreadyRunning`, `pathTooLong`, `runtimeDirectory`, or `authenticationUnavailable` when
    ///   the server's own connection was not authenticated within `selfCheckLimit`.
    package func start() async throws(MessagingError) {
        precondition(doors == nil, "a server is started once")
        let doors = try ServerDoors(configuration, context: context, log: log)
        self.doors = doors
        listen(doors.authenticator.readable) { server in
            try server.doors?.authenticator.answer()
            server.scheduleSums()
        }
        for door in Door.allCases {
            listen(doors.readable(door)) { try $0.receive(at: door) }
        }
        do throws(MessagingError) {
            try await checkAuthentication()
        } catch {
            stop()
            throw error
        }
    }

    /// Closes the sockets at once, ends all work and lets go of every handler.
    package func stop() {
        for exchange in exchanges.values { end(exchange, .shuttingDown) }
        removeRegistrations()
        doors = nil
        handlers = [:]
    }

    /// Refuses new requests, ends streams with `shuttingDown`, and waits for running work to finish.
    ///
    /// Answers that a peer has not taken yet are waited for as well. Then the sockets are closed, and what libzmq still has
    /// of them gets the time that `configuration.linger` says.
    ///
    /// - Parameter limit: When this has passed, what still runs is ended with `shuttingDown`, too.
    package func drain(within limit: Duration) async {
        isDraining = true
        for exchange in exchanges.values where exchange.kind == .stream { end(exchange, .shuttingDown) }
        let timer = loop.schedule(at: .now() + limit) { [weak self] in
            self?.assumeIsolated { $0.endAllWork() }
        }
        while !isIdle, !hasGivenUp {
            await withCheckedContinuation { waitForIdle($0) }
        }
        loop.remove(timer)
        await closeDoors()
    }

    /// Whether nothing is open and everybody has what was said to him.
    var isIdle: Bool { exchanges.isEmpty && parkedConnections.isEmpty }

    /// Closes the sockets, and waits until libzmq has sent what it has, or given up.
    private func closeDoors() async {
        guard doors != nil else { return }
        removeRegistrations()
        let closing = try? doors?.prepareToClose(lingering: configuration.linger, context: context)
        doors = nil
        guard let closing else { return }
        let deadline = BootInstant.now() + configuration.linger + .milliseconds(100)
        for end in closing.ends { _ = await loop.wait(for: end, until: deadline) }
    }

    /// What the server has done.
    package func statistics() -> ServerStatistics {
        var statistics = counters
        statistics.connections = peers.count
        statistics.exchanges = exchanges.count
        statistics.identities = doors?.authenticator.count ?? 0
        statistics.refusedConnections = doors?.authenticator.refused ?? 0
        return statistics
    }

    /// Whether the time for draining is over.
    private var hasGivenUp = false

    private func endAllWork() {
        hasGivenUp = true
        for exchange in exchanges.values { end(exchange, .shuttingDown) }
        wakeIdleWaiters()
    }

    private func waitForIdle(_ continuation: CheckedContinuation<Void, Never>) { idleWaiters.append(continuation) }

    func wakeIdleWaiters() {
        let waiters = idleWaiters
        idleWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func listen(
        _ source: WaitSource,
        _ body: @escaping @Sendable (isolated MessageServer) throws -> Void
    ) {
        registrations.append(
            loop.onReady(source) { [weak self] in
                self?.assumeIsolated { server in
                    do {
                        try body(server)
                    } catch {
                        server.log.error("socket failed", ["error": .text(error)])
                    }
                }
            }
        )
    }

    private func removeRegistrations() {
        for token in registrations { loop.remove(token) }
        registrations = []
        for timer in [tickTimer, retryTimer, complaintTimer] { if let timer { loop.remove(timer) } }
        (tickTimer, retryTimer, complaintTimer) = (nil, nil, nil)
    }

    // MARK: Is everybody authenticated?

    private struct SelfCheck {
        let id: String
        var isPassed = false
        /// Why our own connection was refused.
        var refusal: IdentityRefusal?
        var continuation: CheckedContinuation<Void, Never>?
    }

    /// Connects to itself as a program would, and waits until its own message comes with its own identity.
    private func checkAuthentication() async throws(MessagingError) {
        let deadline = BootInstant.now() + configuration.selfCheckLimit
        let id = "self-check-\(getpid())-\(deadline.nanoseconds)"
        selfCheck = SelfCheck(id: id)
        defer { selfCheck = nil }
        let probe = try SocketHandle(.dealer, in: context)
        try SocketOptions.setClient(probe, as: .program)
        doors?.authenticator.onRefusal = { [weak self] refusal, processID in
            guard processID == getpid() else { return }
            self?.assumeIsolated { $0.selfCheck?.refusal = refusal }
        }
        defer { doors?.authenticator.onRefusal = nil }
        try probe.connect(configuration.endpoint.programs)
        guard await loop.wait(for: probe.writable, until: deadline) == .ready,
            try probe.send([Wire.magic, HeaderCodec.encode(Header(.ping, id: id))]) == .sent
        else { throw selfCheckFailure }
        let timer = loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.endSelfCheck() } }
        await withCheckedContinuation { waitForSelfCheck($0) }
        loop.remove(timer)
        guard selfCheck?.isPassed == true else { throw selfCheckFailure }
    }

    private var selfCheckFailure: MessagingError {
        MessagingError(
            .authenticationUnavailable,
            configuration.endpoint.service,
            reason: selfCheck?.refusal?.rawValue ?? "this service's own connection was not answered in time"
        )
    }

    private func waitForSelfCheck(_ continuation: CheckedContinuation<Void, Never>) {
        if selfCheck?.isPassed == true { return continuation.resume() }
        selfCheck?.continuation = continuation
    }

    private func endSelfCheck() {
        selfCheck?.continuation?.resume()
        selfCheck?.continuation = nil
    }

    /// Notes a `ping` outside any exchange, which may be the server's own.
    func noteStrayPing(_ id: String, from identity: PeerIdentity) {
        guard id == selfCheck?.id, identity.processID == getpid(), identity.userID == geteuid() else { return }
        selfCheck?.isPassed = true
        endSelfCheck()
    }
}
