import Consent
import EventLoop
import Files
import Glibc
import Hashing
import LibraryIndexService
import Logging
import Media
import MessageSchema
import Messaging
import ServiceRuntime
import Synchronization
import Timekeeping

/// A library on real sockets, with a person whose decisions reach the gate at once.
final class Wire: Sendable {
    static let key = "abc123"
    /// The tests' own user, whom every client of theirs is.
    static let us = Principal.user(geteuid())
    static let other = Principal.user(geteuid() + 1)

    let library: Library
    private let path: String
    private let server: MessageServer
    private let machine = Mutex(PermissionMachine())
    private let decisions: SharedGate
    private let operators = Mutex(false)
    /// What goes on.
    private let uses = UseBook(of: .library, process: getpid())
    /// One for each `once` grant that was used up.
    let releases = AsyncStream<Void>.makeStream()
    private static let clock = ClockPair(wall: Moment(milliseconds: 1_796_000_000_000), uptime: .zero)

    init(_ path: String) async throws {
        self.path = path
        let feed = ChangeFeed()
        library = try await TestLibrary.open(path) { feed.advance(to: $0.last?.generation ?? 0) }
        decisions = SharedGate(wallClock: { Wire.clock.wall }, bootClock: { BootInstant(nanoseconds: 0) })
        decisions.renewLease(until: BootInstant(nanoseconds: 1000))
        decisions.apply(machine.withLock { $0.snapshot(epoch: "e") })
        let log = Logger(service: "library", sink: .discard)
        server = MessageServer(
            ServerConfiguration(
                endpoint: ServiceEndpoint(service: "library", runtimeDirectory: path),
                identity: IdentityRules(
                    deployment: .personal,
                    roleVerifiers: [.capture: SHA256Digest(hashing: Self.key)],
                    serviceUser: geteuid()
                )
            ),
            context: try MessagingContext(),
            loop: EventLoop(name: "sockets"),
            log: log
        )
        let gate = ConsentGate(
            decisions: decisions,
            coordinator: ConsentGate.Coordinator(
                request: { _, _ in throw ErrorReply(.dismissed, "Dismissed", cause: "noPrompter") },
                redeem: { grant, asker in
                    do {
                        try self.take { machine in
                            try machine.redeem(
                                grant.id,
                                for: grant.need,
                                principal: asker.principal,
                                label: asker.label,
                                by: "library",
                                at: Self.clock
                            )
                        }
                        return true
                    } catch is PermissionRefusal {
                        return false
                    }
                },
                release: { grant, asker in
                    // The step after the last one always applies.
                    try? self.take { $0.release(grant.id, principal: asker.principal, by: "library", at: Self.clock) }
                    self.releases.continuation.yield()
                },
                forgo: { _, _ in }
            ),
            uses: uses
        )
        let rule = CallerRule.admitting { _ in
            self.operators.withLock { $0 } ? nil : ErrorReply(.operatorRequired, "Only an operator may")
        }
        await LibraryService(library: library, gate: gate, feed: feed, log: log).register(
            on: server,
            operatorsOnly: rule
        )
        try await server.start()
    }

    func stop() async {
        await server.stop()
        await library.close()
    }

    func setOperator() { operators.withLock { $0 = true } }

    func decide(_ verdict: Verdict, _ access: Access, _ principal: Principal = Wire.us) throws {
        try decide(verdict, .library, access, principal)
    }

    /// The coordinator is heard no more.
    func loseLease() {
        decisions.renewLease(until: BootInstant(nanoseconds: -1))
        decisions.wake()
    }

    func decide(
        _ verdict: Verdict,
        _ resource: Resource,
        _ access: Access,
        _ principal: Principal,
        _ lifespan: Lifespan = .forever
    ) throws {
        try take { machine in
            let selector = DecisionSelector(principal: principal, resource: resource, access: access)
            return try machine.decide(selector, verdict, lifespan, by: .user(0), at: Wire.clock)
        }
    }

    func revoke(_ resource: Resource = .library) throws {
        try take { machine in
            let selector = DecisionSelector(principal: Wire.us, resource: resource)
            return try machine.revoke(selector, by: .user(0), at: Wire.clock)
        }
    }

    /// The exporter uses up what was given last, once, and hands it on.
    func redeem(_ need: Need) throws -> DecisionID? {
        guard let grant = machine.withLock({ $0.decisions.all.last?.id }) else { return nil }
        try take { try $0.redeem(grant, for: need, principal: Wire.us, label: nil, by: "exporter", at: Wire.clock) }
        return grant
    }

    /// Ends what goes on that needs exactly this.
    func stop(_ need: Need) throws {
        for use in uses.report().flatMap(\.uses) where use.needs == [need] {
            try take { $0.stop(use.use, by: .user(0), at: Wire.clock) }
        }
    }

    func restrict() throws {
        try take { $0.follow(restrictions: [Restriction(.library)], at: Wire.clock) }
    }

    private func take(_ body: (inout PermissionMachine) throws -> [PermissionAction]) throws {
        let actions = try machine.withLock { try body(&$0) }
        for case .record(let change) in actions { try decisions.apply(change) }
    }

    /// A client; with a role it may act for others.
    func client(as credentials: Credentials = .program) throws -> MessageClient {
        try MessageClient(
            ServiceEndpoint(service: "library", runtimeDirectory: path),
            as: credentials,
            context: MessagingContext(),
            loop: EventLoop(name: "client")
        )
    }

    static func chunks(_ bytes: [UInt8], of count: Int = 500) -> @Sendable () async throws -> Attachment? {
        let rest = Mutex(bytes[...])
        return {
            rest.withLock { rest in
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(count) }
                return Attachment(Array(rest.prefix(count)))
            }
        }
    }
}

/// The error of the wire that the body throws.
func wireError(_ body: () async throws -> Void) async -> ErrorReply? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ErrorReply
    }
}
