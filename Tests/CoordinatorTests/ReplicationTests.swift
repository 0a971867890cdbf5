import Consent
import CoordinatorService
import EventLoop
import Files
import Glibc
import Logging
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import ServiceRuntime

/// A coordinator as its executable puts it together, without the process.
private struct RunningCoordinator: Sendable {
    let directory: String
    let keyring: RoleKeyring
    let host: ServiceHost
    let coordinator: Coordinator
    private let watching: Task<Void, Never>

    init(in directory: String, keyring: RoleKeyring = RoleKeyring()) async throws {
        self.directory = directory
        self.keyring = keyring
        let place = try Directory(creating: directory, permissions: 0o700)
        _ = try place.writeAtomically(keyring.keys(for: .coordinator).encoded, to: "keys")
        let start = try ServiceStart(
            name: .coordinator,
            declared: Setting.common,
            arguments: [
                "--data", "\(directory)/data", "--runtime", "\(directory)/run", "--role-keys", "\(directory)/keys",
                // These are the test's own process.
                "--address-space", "0", "--open-files", "1048576",
            ]
        )
        let log = Logger(service: "coordinator", sink: .discard)
        host = try await start.host(log: log, notifier: ReadinessNotifier(environment: [:]))
        coordinator = try await Coordinator(host: host)
        await coordinator.register()
        try await host.server.start()
        host.report(.ready)
        watching = Task { [coordinator] in await coordinator.watch() }
    }

    var endpoint: ServiceEndpoint { ServiceEndpoint(service: "coordinator", runtimeDirectory: "\(directory)/run") }

    func `operator`() throws -> MessageClient {
        try MessageClient(endpoint, context: MessagingContext(), loop: EventLoop(name: "operator"))
    }

    func service(_ role: Role) throws -> Service { try Service(endpoint, keys: keyring.keys(for: role)) }

    /// Ends it without a farewell.
    func end() async {
        watching.cancel()
        await host.server.stop()
        await watching.value
        await coordinator.close()
    }
}

/// A service's gate with its copy of the decisions.
private final class Service: Sendable {
    let gate = SharedGate()
    private let loop = EventLoop(name: "service")
    private let hold = Hold()
    private let task: Task<Void, Never>

    init(_ coordinator: ServiceEndpoint, keys: RoleKeys) throws {
        let client = try MessageClient(
            coordinator,
            as: .role(keys.role, key: keys.key),
            context: MessagingContext(),
            loop: loop
        )
        let follower = DecisionFollower(
            decisions: gate,
            coordinator: client,
            loop: loop,
            log: Logger(service: keys.role.rawValue, sink: .discard)
        )
        task = Task { await follower.run() }
    }

    deinit { task.cancel() }

    func answer(_ need: Need) -> GateAnswer { gate.answer(need, principal: .user(geteuid()), label: nil) }

    func allows(_ need: Need) -> Bool { if case .allowed = answer(need) { true } else { false } }

    func wait(until condition: (Service) -> Bool) async {
        while !Task.isCancelled, !condition(self) { await Task.yield() }
    }

    /// Nothing on its loop goes on until the body is done, as if the process had been stopped.
    func standStill(_ body: () async throws -> Void) async rethrows {
        let held = Task { [loop, hold] in await Holder(loop: loop).wait(on: hold) }
        await waitUntilHeld()
        defer { hold.end() }
        try await body()
        hold.end()
        await held.value
    }

    func waitUntilHeld() async { while !Task.isCancelled, !hold.hasBegun { await Task.yield() } }
}

/// What an operator has been told, if anything.
private final class Answer: Sendable {
    private let told = Mutex<Status?>(nil)

    var status: Status? {
        get { told.withLock(\.self) }
        set { told.withLock { $0 = newValue } }
    }
}

private final class Hold: Sendable {
    private let state = Atomic(0)

    var hasBegun: Bool { state.load(ordering: .acquiring) > 0 }

    func end() { state.store(2, ordering: .releasing) }

    func waitForEnd() {
        _ = state.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing)
        while state.load(ordering: .acquiring) < 2 { usleep(1_000) }
    }
}

private actor Holder {
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(loop: EventLoop) { self.loop = loop }

    func wait(on hold: Hold) { hold.waitForEnd() }
}

@Suite("Decisions at the services", .timeLimit(.minutes(1)))
struct ReplicationTests {
    private let front = Need(.camera("front-0"))

    private var change: PermissionChange {
        PermissionChange(principal: .user(geteuid()), resource: front.resource, lifespan: .forever)
    }

    @Test func `a service allows nothing before it knows the decisions`() async throws {
        try await withTemporaryDirectory { path in
            let coordinator = try await RunningCoordinator(in: path)
            let person = try coordinator.operator()
            _ = try await person.call(GrantPermission(change: change))
            let capture = try coordinator.service(.capture)
            if !capture.gate.leaseIsValid { #expect(capture.answer(front) == .noLease) }
            await capture.wait { $0.gate.leaseIsValid }
            #expect(capture.allows(front))
            await coordinator.end()
        }
    }

    @Test func `when a revocation returns, it is in force in every service`() async throws {
        try await withTemporaryDirectory { path in
            let coordinator = try await RunningCoordinator(in: path)
            let person = try coordinator.operator()
            let services = [try coordinator.service(.capture), try coordinator.service(.library)]
            for service in services { await service.wait { $0.gate.leaseIsValid } }
            for _ in 0..<50 {
                _ = try await person.call(GrantPermission(change: change))
                for service in services { await service.wait { $0.allows(front) } }
                let epochs = services.map(\.gate.epoch)
                _ = try await person.call(RevokePermission(change: change))
                for (service, epoch) in zip(services, epochs) {
                    #expect(!service.allows(front))
                    #expect(service.gate.epoch > epoch, "running work looks again when the epoch has moved")
                }
            }
            await coordinator.end()
        }
    }

    @Test func `a denial waits for a service that is late, and not for longer`() async throws {
        try await withTemporaryDirectory { path in
            let coordinator = try await RunningCoordinator(in: path)
            let person = try coordinator.operator()
            let (capture, library) = (try coordinator.service(.capture), try coordinator.service(.library))
            _ = try await person.call(GrantPermission(change: change))
            for service in [capture, library] { await service.wait { $0.allows(front) } }
            let answer = Answer()
            let denying = Task { [change] in
                await library.waitUntilHeld()
                answer.status = try await person.call(DenyPermission(change: change)).status
            }
            await library.standStill {
                await capture.wait { !$0.allows(front) }
                #expect(answer.status == nil)
            }
            try await denying.value
            #expect(answer.status == .denied)
            #expect(!library.allows(front))
            #expect(library.gate.leaseIsValid)
            await coordinator.end()
        }
    }

    @Test(.tags(.slow)) func `a service that stands still is waited for until its lease is over`() async throws {
        try await withTemporaryDirectory { path in
            let coordinator = try await RunningCoordinator(in: path)
            let person = try coordinator.operator()
            let (capture, library) = (try coordinator.service(.capture), try coordinator.service(.library))
            _ = try await person.call(GrantPermission(change: change))
            for service in [capture, library] { await service.wait { $0.allows(front) } }
            try await library.standStill {
                let start = BootInstant.now()
                _ = try await person.call(RevokePermission(change: change))
                #expect(!library.gate.leaseIsValid && library.answer(front) == .noLease)
                #expect(start.duration(to: .now()) < .seconds(7))
                #expect(capture.gate.leaseIsValid && !capture.allows(front))
            }
            await library.wait { $0.gate.leaseIsValid }
            #expect(!library.allows(front))
            await coordinator.end()
        }
    }

    @Test(.tags(.slow)) func `a coordinator that comes back keeps decisions and honours old leases`() async throws {
        try await withTemporaryDirectory { path in
            let first = try await RunningCoordinator(in: path)
            let capture = try first.service(.capture)
            _ = try await first.operator().call(GrantPermission(change: change))
            await capture.wait { $0.allows(front) }
            while CoordinatorPulse(in: "\(path)/run").predecessorEnd == nil { try await turn() }
            // It follows nobody any more, and may act until its lease is over.
            let leaseEnd = BootInstant.now() + LeaseTimes().lease
            try await capture.standStill {
                await first.end()
                try await expectSettled(in: path, keyring: first.keyring, after: leaseEnd, capture)
            }
        }
    }

    private func expectSettled(
        in path: String,
        keyring: RoleKeyring,
        after leaseEnd: BootInstant,
        _ stopped: Service
    ) async throws {
        let second = try await RunningCoordinator(in: path, keyring: keyring)
        let person = try second.operator()
        let kept = try await person.call(ListPermissions()).permissions
        #expect(kept.map(\.status) == [.authorized] && kept.first?.resource == front.resource)
        _ = try await person.call(RevokePermission(change: change))
        #expect(!stopped.gate.leaseIsValid, "nobody acts on the old decision when it returns")
        #expect(BootInstant.now() + .seconds(1) > leaseEnd)
        await second.end()
        let third = try await RunningCoordinator(in: path, keyring: keyring)
        let left = try await third.operator().call(ListPermissions()).permissions
        #expect(left.map(\.status) == [.denied])
        await third.end()
    }
}
