import Consent
import CoordinatorService
import EventLoop
import Glibc
import Hashing
import Logging
import MessageSchema
import Messaging
import Synchronization
import TestSupport

/// A coordinator's messages on real sockets, with a desk whose services and store are fake.
final class Wire: Sendable {
    static let key = "5ec7e7"
    static let front = Need(.camera("front-0"))

    let endpoint: ServiceEndpoint
    let context: MessagingContext
    let server: MessageServer
    let services: ServiceDirectory
    let uses: UseDirectory
    let test: DeskUnderTest
    let consents: ConsentDesk
    let decisions: DecisionStore
    let consentClock: ClockOfTheWall
    let log = LogRecord()
    /// Whether programs of this user are operators.
    let speaksForPerson = Mutex(true)

    init(in directory: String) async throws {
        endpoint = ServiceEndpoint(service: "coordinator", runtimeDirectory: directory)
        context = try MessagingContext()
        test = try await DeskUnderTest()
        let clock = ClockOfTheWall()
        consentClock = clock
        decisions = try DecisionStore(in: directory)
        consents = ConsentDesk(store: ConsentStore(in: decisions), key: .random()) {
            clock.moment
        }
        let loop = test.loop
        let logger = Logger(service: "coordinator", sink: log.sink)
        server = MessageServer(
            ServerConfiguration(
                endpoint: endpoint,
                identity: IdentityRules(
                    deployment: .personal,
                    roleVerifiers: [.capture: SHA256Digest(hashing: Self.key)],
                    serviceUser: geteuid()
                )
            ),
            context: context,
            loop: loop,
            log: logger
        )
        uses = UseDirectory(desk: test.desk, loop: loop, uptime: { .zero }, isGone: { _ in false })
        services = ServiceDirectory(
            own: { Self.status(.coordinator) },
            process: ServiceInstance(role: .coordinator, processID: getpid(), startTime: 1),
            deployment: "personal",
            loop: loop,
            log: logger
        )
    }

    func start() async throws {
        let isOperator: @Sendable (PeerIdentity) -> Bool = { caller in
            caller.role == nil && self.speaksForPerson.withLock { $0 }
        }
        let operatorsOnly = CallerRule.admitting {
            isOperator($0) ? nil : ErrorReply(.operatorRequired, "operators only")
        }.audited(as: .operatorRefused, by: test.desk)
        await CoordinatorMessages(
            desk: test.desk,
            services: services,
            uses: uses,
            isOperator: isOperator,
            operatorsOnly: operatorsOnly,
            rolesOnly: .anyRole.audited(as: .serviceRefused, by: test.desk)
        ).register(on: server)
        await AuditMessages(
            store: decisions.audit,
            desk: test.desk,
            now: { [clock = consentClock] in clock.moment },
            operatorsOnly: operatorsOnly
        ).register(on: server)
        await ConsentMessages(desk: consents, operatorsOnly: operatorsOnly).register(on: server)
        try await server.start()
    }

    static func status(_ name: ServiceName) -> ServiceStatus {
        ServiceStatus(
            name: name,
            instance: "i",
            pid: 1,
            version: "1",
            state: .ready,
            since: "2026-11-30T00:00:00Z",
            endpoints: ["ipc:///x/\(name)"]
        )
    }

    func program() throws -> MessageClient {
        try MessageClient(endpoint, context: MessagingContext(), loop: EventLoop(name: "program"))
    }

    func capture() throws -> MessageClient {
        try MessageClient(
            endpoint,
            as: .role(.capture, key: Self.key),
            context: MessagingContext(),
            loop: EventLoop(name: "capture")
        )
    }

    func change(
        _ resource: Resource = .camera("front-0"),
        _ access: Access? = nil,
        lifespan: Lifespan? = nil
    ) -> PermissionChange {
        PermissionChange(principal: .user(geteuid()), resource: resource, access: access, lifespan: lifespan)
    }
}

/// The time by which consents stand.
final class ClockOfTheWall: Sendable {
    private let now = Mutex(Moment(milliseconds: DeskUnderTest.start))

    var moment: Moment { now.withLock(\.self) }

    func set(_ moment: Moment) { now.withLock { $0 = moment } }
}

func withWire(_ body: (Wire) async throws -> Void) async throws {
    try await withTemporaryDirectory { path in
        let wire = try await Wire(in: path)
        try await wire.start()
        do {
            try await body(wire)
        } catch {
            await wire.server.stop()
            throw error
        }
        await wire.server.stop()
    }
}

func failure(_ body: () async throws -> some Sendable) async -> ErrorReply? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? ErrorReply
    }
}
