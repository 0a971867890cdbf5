import Consent
import CoordinatorService
import Glibc
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct `The registry of uses` {
    private static let capture = ServiceInstance(role: .capture, processID: 7, startTime: 1)
    private static let library = ServiceInstance(role: .library, processID: 8, startTime: 1)

    static func use(
        _ number: UInt64,
        of role: Role = .capture,
        process: Int32 = 7,
        grants: [UInt64] = [1],
        since: String = "2026-11-30T00:00:00Z"
    ) -> Use {
        Use(
            use: UseID(role, process: process, number: number),
            service: .capture,
            principal: .user(1000),
            label: nil,
            needs: [Need(.camera("front"))],
            grants: grants.map { DecisionID(generation: $0) },
            purpose: nil,
            since: since
        )
    }

    @Test func `tells what begins and what is over, once`() {
        var registry = UseRegistry()
        #expect(registry.replace([Self.use(1), Self.use(2)], of: Self.capture).map(\.kind) == [.begun, .begun])
        #expect(registry.replace([Self.use(1), Self.use(2)], of: Self.capture).isEmpty)
        let events = registry.replace([Self.use(2), Self.use(3)], of: Self.capture)
        #expect(events == [UseEvent(kind: .ended, use: Self.use(1)), UseEvent(kind: .begun, use: Self.use(3))])
        #expect(registry.all.map(\.use) == [Self.use(2).use, Self.use(3).use])
    }

    @Test func `knows which grants are used by what`() {
        var registry = UseRegistry()
        _ = registry.replace([Self.use(1, grants: [1, 2])], of: Self.capture)
        _ = registry.replace([Self.use(1, of: .library, process: 8, grants: [2])], of: Self.library)
        #expect(registry.running.count == 2)
        #expect(registry.running[Self.use(1).use] == [DecisionID(generation: 1), DecisionID(generation: 2)])
    }

    @Test func `a service speaks for itself alone`() {
        var registry = UseRegistry()
        _ = registry.replace([Self.use(1)], of: Self.capture)
        #expect(registry.replace([Self.use(1), Self.use(2)], of: Self.library).isEmpty)
        #expect(registry.all == [Self.use(1)])
    }

    @Test func `what a service that is gone did is over`() {
        var registry = UseRegistry()
        _ = registry.replace([Self.use(1)], of: Self.capture)
        _ = registry.replace([Self.use(1, of: .library, process: 8)], of: Self.library)
        #expect(registry.keep([Self.library]) == [UseEvent(kind: .ended, use: Self.use(1))])
        #expect(registry.all.count == 1)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Uses, sessions and the switch on the wire` {
    /// A use of this process as if it were the capture service.
    private func use(_ number: UInt64, grant: String) throws -> Use {
        var use = `The registry of uses`.use(number, process: getpid())
        use.principal = .user(geteuid())
        use.grants = [try #require(DecisionID(grant))]
        return use
    }

    private func grant(_ wire: Wire, _ lifespan: Lifespan = .forever) async throws -> String {
        let client = try wire.program()
        return try #require(try await client.call(GrantPermission(change: wire.change(lifespan: lifespan))).grant)
    }

    @Test func `who uses what is listed, watched as it changes, and can be stopped`() async throws {
        try await withWire { wire in
            let use = try use(1, grant: try await grant(wire))
            let (service, client) = (try wire.capture(), try wire.program())
            let watch = try await client.stream(FollowUses())
            _ = try await service.call(ReportUses(uses: [use]))
            #expect(try await watch.next()?.value == UseEvent(kind: .begun, use: use))
            #expect(try await client.call(ListUses()).uses == [use])
            #expect(try await client.call(StopUse(use: use.use)) == use)
            let stop = try #require(wire.test.services.announced.last?.stopped?.first)
            #expect(stop.use == use.use && stop.by == .user(geteuid()))
            #expect(
                try await client.call(PermissionStatus(needs: [Wire.front])).permissions.map(\.status) == [.authorized]
            )
            _ = try await service.call(ReportUses(uses: []))
            #expect(try await watch.next()?.value == UseEvent(kind: .ended, use: use))
            let error = await failure { try await client.call(StopUse(use: use.use)) }
            #expect(error?.code == .invalidArgument && error?.cause == "noSuchUse")
        }
    }

    @Test func `a program sees its own uses alone, stops none and reports none`() async throws {
        try await withWire { wire in
            var others = try use(1, grant: "d1")
            others.principal = .unit("booth.service")
            let mine = try use(2, grant: "d2")
            _ = try await wire.capture().call(ReportUses(uses: [others, mine]))
            wire.speaksForPerson.withLock { $0 = false }
            let program = try wire.program()
            #expect(try await program.call(ListUses()).uses == [mine])
            #expect(
                await failure { try await program.call(ListUses(principal: others.principal)) }?.code
                    == .operatorRequired
            )
            #expect(await failure { try await program.call(StopUse(use: mine.use)) }?.code == .operatorRequired)
            #expect(await failure { try await program.call(TurnResource()) }?.code == .operatorRequired)
            #expect(await failure { try await program.call(ReportUses(uses: [])) }?.code == .roleRequired)
        }
    }

    @Test func `a use is noted for a grant that ends unused, and stored`() async throws {
        try await withWire { wire in
            let id = try await grant(wire, .unusedFor(days: 1))
            wire.test.clock.advance(by: .seconds(3_600))
            _ = try await wire.capture().call(ReportUses(uses: [], past: [DecisionID(id) ?? DecisionID(generation: 0)]))
            let used = try #require(wire.test.storage.decisions.first?.usedAt)
            #expect(used == Moment(milliseconds: DeskUnderTest.start + 3_600_000))
        }
    }

    @Test func `a session is kept by a stream, and its grant ends ten seconds after it`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            let session = try await client.stream(KeepSession())
            _ = try await grant(wire, .session)
            #expect(try await session.next()?.value.lifespan == .session)
            wire.test.clock.advance(by: .seconds(60))
            #expect(wire.test.storage.decisions.count == 1)
            await session.cancel()
            while !wire.test.storage.decisions.isEmpty {
                wire.test.clock.advance(by: .seconds(1))
                try await turn()
            }
            #expect(wire.test.services.announced.last?.removed.map(\.reason) == [.sessionEnded])
        }
    }

    @Test func `the switch restricts, says so, is stored, and gives back`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            _ = try await grant(wire)
            let off = try await client.call(TurnResource(resource: .camera("*"), on: false))
            #expect(off.switchedOff == [.camera("*")] && wire.test.storage.switchedOff == [.camera("*")])
            let state = try await client.call(PermissionStatus(needs: [Wire.front])).permissions.first
            #expect(state?.status == .restricted && state?.cause == "switch")
            #expect(try await client.call(TurnResource()).switchedOff == [.camera("*")])
            #expect(try await client.call(TurnResource(resource: .camera("*"), on: true)).switchedOff.isEmpty)
            #expect(
                try await client.call(PermissionStatus(needs: [Wire.front])).permissions.map(\.status) == [.authorized]
            )
            #expect(wire.test.storage.switchedOff.isEmpty)
        }
    }
}
