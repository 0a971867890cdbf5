import Consent
import CoordinatorService
import FoundationEssentials
import Glibc
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import ServiceRuntime

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

    private func busy() -> UseRegistry {
        var registry = UseRegistry()
        _ = registry.replace([Self.use(1)], of: Self.capture)
        _ = registry.replace([Self.use(1, of: .library, process: 8)], of: Self.library)
        return registry
    }

    @Test func `what a service whose process has ended did is over at once`() {
        var registry = busy()
        let events = registry.keep([Self.library], at: .zero, lease: .seconds(5)) { $0 == Self.capture }
        #expect(events == [UseEvent(kind: .ended, use: Self.use(1))])
        #expect(registry.all.count == 1)
    }

    @Test func `what a service that is not heard does goes on as long as its lease may`() {
        var registry = busy()
        func events(_ seconds: Int64, _ heard: Set<ServiceInstance>) -> [UseEvent.Kind] {
            registry.keep(heard, at: .seconds(seconds), lease: .seconds(5)) { _ in false }.map(\.kind)
        }
        #expect(events(10, [Self.library]).isEmpty)
        #expect(events(14, [Self.library]).isEmpty)
        #expect(events(15, [Self.capture, Self.library]).isEmpty, "it is heard again")
        #expect(events(16, [Self.library]).isEmpty)
        #expect(events(20, [Self.library]).isEmpty)
        #expect(events(21, [Self.library]) == [.ended])
        #expect(events(22, [Self.library]).isEmpty)
    }

    @Test func `is listed in pages that fit into a message, each use once and in its order`() throws {
        var registry = UseRegistry()
        let many = (0..<2_000).map { number in
            var use = Self.use(UInt64(number), since: "2026-11-30T00:00:\(10 + number / 50)Z")
            use.purpose = String(repeating: "\\u{1b}", count: 200)
            use.principal = .user(number % 2 == 0 ? 1 : 2)
            return use
        }
        _ = registry.replace(many, of: Self.capture)
        for principal in [nil, Principal.user(1)] {
            var found: [Use] = []
            var pages = 0
            var next: String?
            repeat {
                let page = registry.page(by: principal, after: next)
                let reply = ListUses.Reply(uses: page.uses, next: page.next)
                #expect(try JSONEncoder().encode(reply).count < Limits.bodyBytes)
                found += page.uses
                next = page.next
                pages += 1
            } while next != nil
            #expect(found == registry.all.filter { principal == nil || $0.principal == principal } && pages > 1)
        }
        #expect(registry.page(by: .user(3), after: nil).uses.isEmpty)
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
            #expect(stop.use == use.use && stop.by == .user(geteuid()) && stop.unfinished == nil)
            _ = try await client.call(StopUse(use: use.use, unfinished: .discarded))
            #expect(wire.test.services.announced.last?.stopped?.first?.unfinished == .discarded)
            #expect(
                try await client.call(PermissionStatus(needs: [Wire.front])).permissions.map(\.status) == [.authorized]
            )
            _ = try await service.call(ReportUses(uses: []))
            #expect(try await watch.next()?.value == UseEvent(kind: .ended, use: use, reason: .stopped))
            let error = await failure { try await client.call(StopUse(use: use.use)) }
            #expect(error?.code == .invalidArgument && error?.cause == "noSuchUse")
        }
    }

    @Test func `what ended a use is told with its end, and nothing of one that ended by itself`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            let service = try wire.capture()
            let watch = try await client.stream(FollowUses())
            let ends: [(RevocationReason?, () async throws -> Void)] = [
                (nil, {}),
                (.revoked, { _ = try await client.call(RevokePermission(change: wire.change())) }),
                (.reset, { _ = try await client.call(ResetPermission(change: wire.change())) }),
                (.restricted, { _ = try await client.call(TurnResource(resource: .camera("*"), on: false)) }),
            ]
            for (number, (reason, end)) in ends.enumerated() {
                var use = try use(UInt64(number + 1), grant: try await grant(wire))
                use.needs = [Wire.front]
                _ = try await service.call(ReportUses(uses: [use]))
                #expect(try await watch.next()?.value.kind == .begun)
                try await end()
                _ = try await service.call(ReportUses(uses: []))
                #expect(try await watch.next()?.value == UseEvent(kind: .ended, use: use, reason: reason))
            }
        }
    }

    @Test func `what is forbidden is listed, and followed as it changes; a grant beneath it is not in force`()
        async throws
    {
        try await withWire { wire in
            let client = try wire.program()
            _ = try await grant(wire)
            let watch = try await client.stream(FollowRestrictions())
            #expect(try await watch.next()?.value.restrictions == [])
            #expect(try await client.call(ListPermissions()).permissions.map(\.status) == [.authorized])
            _ = try await client.call(TurnResource(resource: .camera("*"), on: false))
            let off = RestrictionState(resource: .camera("*"), cause: .switch)
            #expect(try await watch.next()?.value.restrictions == [off])
            let list = try await client.call(ListPermissions())
            #expect(list.restrictions == [off])
            #expect(list.permissions.map(\.status) == [.restricted] && list.permissions.map(\.cause) == ["switch"])
            let others = Restriction(.library, for: .unit("booth.service"))
            try await wire.test.desk.turn { $0.follow(restrictions: [others], at: $1) }
            #expect(try await watch.next()?.value.restrictions.count == 2)
            wire.speaksForPerson.withLock { $0 = false }
            let program = try wire.program()
            #expect(try await program.call(ListPermissions()).restrictions == [off], "others' are not its own")
            let own = try await program.stream(FollowRestrictions())
            #expect(try await own.next()?.value.restrictions == [off])
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

    @Test func `however much goes on, all of it is listed, watched and in force`() async throws {
        try await withWire { wire in
            let id = try await grant(wire)
            let uses = try (1...3_000).map { number in
                var use = try use(UInt64(number), grant: id)
                use.purpose = String(repeating: "x", count: 200)
                return use
            }
            let (service, client) = (try wire.capture(), try wire.program())
            let parts = ReportUses.parts(uses, past: [])
            #expect(parts.count > 1 && parts.flatMap(\.uses) == uses)
            for part in parts {
                #expect(try await client.call(ListUses()).uses.isEmpty, "it holds with its last part")
                _ = try await service.call(part)
            }
            let watch = try await client.stream(FollowUses())
            var begun: Set<UseID> = []
            while begun.count < uses.count, let event = try await watch.next() { begun.insert(event.value.use.use) }
            #expect(begun == Set(uses.map(\.use)))
            var listed: [Use] = []
            var request = ListUses()
            repeat {
                let page = try await client.call(request)
                listed += page.uses
                request.cursor = page.next
            } while request.cursor != nil
            #expect(Set(listed.map(\.use)) == begun && listed.count == uses.count)
            #expect(try await client.call(StopUse(use: uses[2_999].use)) == uses[2_999])
        }
    }

    @Test func `a part of a report that does not come after the one before it is refused`() async throws {
        try await withWire { wire in
            let service = try wire.capture()
            let use = try use(1, grant: "d1")
            _ = try await service.call(ReportUses(uses: [use], part: 1, parts: 3))
            for (part, parts) in [(3, 3), (2, 3), (0, 3), (4, 3), (1, 65)] {
                let error = await failure {
                    try await service.call(ReportUses(uses: [use], part: part, parts: parts))
                }
                #expect(error?.code == .invalidArgument, "\(part) of \(parts)")
            }
            #expect(try await wire.program().call(ListUses()).uses.isEmpty)
            _ = try await service.call(ReportUses(uses: [use]))
            #expect(try await wire.program().call(ListUses()).uses == [use])
        }
    }

    @Test func `who is no operator any more sees nothing more of others, and answers no prompts`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            let uses = try await client.stream(FollowUses())
            let decisions = try await client.stream(WatchPermissions())
            let prompts = try await client.stream(FollowPrompts())
            while await wire.test.desk.prompters == 0 { try await turn() }
            while await wire.test.desk.watchers == 0 { try await turn() }
            let first = try use(1, grant: "d1")
            _ = try await wire.capture().call(ReportUses(uses: [first]))
            #expect(try await uses.next()?.value.use == first)
            wire.speaksForPerson.withLock { $0 = false }
            // Something that is not told any more.
            _ = try await wire.capture().call(ReportUses(uses: []))
            #expect(await failure { try await uses.next()?.value }?.code == .operatorRequired)
            // And as when the policy is read again.
            try await wire.test.desk.review()
            #expect(await failure { try await decisions.next()?.value }?.code == .operatorRequired)
            #expect(await failure { try await prompts.next()?.value }?.code == .operatorRequired)
            #expect(await wire.test.desk.prompters == 0)
            let own = try await client.stream(FollowUses())
            _ = try await wire.capture().call(ReportUses(uses: [first]))
            #expect(try await own.next()?.value.use == first, "one's own are told to everybody")
        }
    }

    @Test func `a session ends also when the disk is full, once what kept it is over`() async throws {
        try await withWire { wire in
            let session = try await grant(wire, .session)
            let client = try wire.program()
            let other = wire.change(.camera("back-0"), lifespan: .unusedFor(days: 1))
            let unused = try #require(try await client.call(GrantPermission(change: other)).grant)
            let running = try use(1, grant: session)
            let service = try wire.capture()
            _ = try await service.call(ReportUses(uses: [running]))
            wire.test.clock.advance(by: .seconds(3_600))
            wire.test.storage.fail(true)
            let past = try #require(DecisionID(unused))
            let error = await failure { try await service.call(ReportUses(uses: [], past: [past])) }
            #expect(error?.cause == "notStored")
            while !wire.test.services.announced.contains(where: { $0.removed.map(\.reason) == [.sessionEnded] }) {
                wire.test.clock.advance(by: .seconds(1))
                try await turn()
            }
            wire.test.storage.fail(false)
        }
    }

    @Test func `a use is stopped, and the policy loosened, also when nothing can be stored`() async throws {
        try await withWire { wire in
            let use = try use(1, grant: try await grant(wire))
            _ = try await wire.capture().call(ReportUses(uses: [use]))
            let desk = wire.test.desk
            try await desk.turn { machine, now in machine.follow(restrictions: [Restriction(.library)], at: now) }
            wire.test.storage.fail(true)
            let writes = wire.test.storage.writes
            try await desk.turn { machine, now in machine.follow(restrictions: [], at: now) }
            #expect(await desk.snapshot(epoch: "e").restrictions == [])
            #expect(try await wire.program().call(StopUse(use: use.use)) == use)
            #expect(wire.test.storage.writes == writes)
            wire.test.storage.fail(false)
        }
    }

    @Test func `a use is noted for a grant that ends unused, and stored`() async throws {
        try await withWire { wire in
            let id = try await grant(wire, .unusedFor(days: 1))
            wire.test.clock.advance(by: .seconds(3_600))
            _ = try await wire.capture().call(ReportUses(uses: [], past: [try #require(DecisionID(id))]))
            let used = try #require(wire.test.storage.decisions.first?.usedAt)
            #expect(used == Moment(milliseconds: DeskUnderTest.start + 3_600_000))
        }
    }

    @Test func `a service tells what it does soon after it changes, and again what did not arrive`() async throws {
        try await withWire { wire in
            let id = try #require(DecisionID(try await grant(wire, .unusedFor(days: 1))))
            wire.test.clock.advance(by: .seconds(3_600))
            wire.test.storage.fail(true)
            let book = UseBook(of: .capture, process: getpid())
            let reporter = UseReporter(uses: book, coordinator: try wire.capture())
            let reporting = Task { await reporter.run() }
            let grants = [Grant(id: id, need: Wire.front, lifespan: .unusedFor(days: 1))]
            let work = book.begin(Asker(principal: .user(geteuid())), grants)
            let client = try wire.program()
            while try await client.call(ListUses()).uses.map(\.use) != [work.id] { try await turn() }
            book.end(work.number)
            while try await !client.call(ListUses()).uses.isEmpty { try await turn() }
            #expect(wire.test.storage.decisions.map(\.usedAt) == [nil])
            wire.test.storage.fail(false)
            while wire.test.storage.decisions.first?.usedAt == nil { try await turn() }
            reporting.cancel()
            await reporting.value
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

    @Test func `what the policy allows is listed as its, stored nowhere, and no more than it says`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            let granted = [try #require(PolicyGrant(.camera("*"), .use, for: .user(geteuid())))]
            try await wire.test.desk.turn { $0.follow(restrictions: [], granted: granted, at: $1) }
            // What ends nothing is told without waiting for it.
            #expect(await wire.test.desk.snapshot(epoch: "e").granted == granted && wire.test.storage.decisions.isEmpty)
            let listed = try #require(try await client.call(ListPermissions()).permissions.first)
            #expect(listed.status == .authorized && listed.cause == "policy")
            #expect(listed.decidedBy == nil && listed.lifespan == nil)
            let needs = [Wire.front, Need(.library, .read)]
            let states = try await client.call(PermissionStatus(needs: needs)).permissions
            #expect(states.map(\.status) == [.authorized, .notDetermined])
            try await wire.test.desk.turn { $0.follow(restrictions: [], at: $1) }
            #expect(wire.test.services.announced.last?.endsGrants == true)
            #expect(try await client.call(ListPermissions()).permissions.isEmpty)
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
