import Consent
import CoordinatorService
import MessageSchema
import TestSupport
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct `The permission desk` {
    @Test func `a request waits for the person and goes on with the answer`() async throws {
        let test = try await DeskUnderTest()
        let prompter = try await test.desk.followPrompts()
        async let outcome = test.request()
        var events = prompter.events.makeAsyncIterator()
        let opened = try #require(try await events.next())
        #expect(opened.kind == .opened && opened.prompt.needs == [DeskUnderTest.front])
        #expect(opened.prompt.purpose == #"a \u{1b}test"# && opened.prompt.provenBy == "uid")
        try await test.answer(opened.prompt.prompt, .allow(.forever))
        #expect(try await outcome.standings.map(\.standing.status) == [.authorized])
        #expect(try await events.next()?.kind == .closed)
        #expect(test.storage.decisions.count == 1 && test.services.decisions == test.storage.decisions)
    }

    @Test func `a request with nobody to ask is dismissed and stores nothing`() async throws {
        let test = try await DeskUnderTest()
        #expect(try await test.request().dismissal == .noPrompter)
        let prompter = try await test.desk.followPrompts()
        try await test.desk.leavePrompts(prompter.id)
        #expect(try await test.request().dismissal == .noPrompter)
        #expect(test.storage.writes == 0)
    }

    @Test func `a prompt that nobody answers times out`() async throws {
        let test = try await DeskUnderTest()
        let prompter = try await test.desk.followPrompts()
        async let outcome = test.request()
        var events = prompter.events.makeAsyncIterator()
        _ = try await events.next()
        await test.clock.nextTimerScheduled()
        test.clock.advance(by: .seconds(120))
        #expect(try await outcome.dismissal == .timedOut)
        #expect(try await test.request().dismissal == .backingOff(.seconds(60)))
    }

    @Test func `a program that gives up takes its prompt away, and the prompters are told`() async throws {
        let test = try await DeskUnderTest()
        let prompter = try await test.desk.followPrompts()
        let first = Task { try await test.request() }
        var events = prompter.events.makeAsyncIterator()
        let prompt = try #require(try await events.next()?.prompt)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let closed = try #require(try await events.next())
        #expect(closed.kind == .closed && closed.prompt == prompt)
        await #expect(throws: PermissionRefusal.unknownPrompt) {
            try await test.answer(prompt.prompt, .allow(.forever))
        }
        #expect(test.storage.writes == 0)
        // Nothing rests: asking again is a new question.
        async let second = test.request()
        let opened = try #require(try await events.next())
        #expect(opened.kind == .opened && opened.prompt.prompt != prompt.prompt)
        try await test.answer(opened.prompt.prompt, .allow(.forever))
        #expect(try await second.dismissal == nil)
        #expect(await test.status() == .authorized)
    }

    @Test func `a grant that can not be stored is not given`() async throws {
        let test = try await DeskUnderTest()
        test.storage.fail(true)
        await #expect(throws: StorageFailure.self) { try await test.decide(.allowed) }
        #expect(await test.status() == .notDetermined && test.services.announced.isEmpty)
        test.storage.fail(false)
        try await test.decide(.allowed)
        #expect(await test.status() == .authorized)
    }

    @Test func `a revocation that can not be stored stays in force and the operator is told`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed)
        test.storage.fail(true)
        await #expect(throws: StorageFailure.self) { try await test.decide(.denied) }
        #expect(await test.status() == .denied)
        #expect(test.services.announced.count == 2)
    }

    @Test func `a command that is repeated succeeds only when what failed before is stored`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed)
        test.storage.fail(true)
        await #expect(throws: StorageFailure.self) { try await test.revoke() }
        await #expect(throws: StorageFailure.self) { try await test.revoke() }
        #expect(try await DeskUnderTest(storage: test.storage).status() == .authorized)
        test.storage.fail(false)
        try await test.revoke()
        #expect(try await DeskUnderTest(storage: test.storage).status() == .denied)
    }

    @Test func `a reset that is repeated succeeds only when what failed before is stored`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed)
        test.storage.fail(true)
        await #expect(throws: StorageFailure.self) { try await test.reset() }
        await #expect(throws: StorageFailure.self) { try await test.reset() }
        test.storage.fail(false)
        try await test.reset()
        #expect(try await DeskUnderTest(storage: test.storage).status() == .notDetermined)
    }

    @Test func `what could not be stored goes along with the next decision`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed)
        test.storage.fail(true)
        await #expect(throws: StorageFailure.self) { try await test.revoke() }
        await #expect(throws: StorageFailure.self) { try await test.decide(.allowed, .forever, .camera("back")) }
        test.storage.fail(false)
        let writes = test.storage.writes
        try await test.decide(.allowed, .forever, .camera("back"))
        #expect(test.storage.writes == writes + 1)
        #expect(test.storage.decisions == test.services.decisions && test.storage.decisions.count == 2)
        #expect(try await DeskUnderTest(storage: test.storage).status() == .denied)
    }

    @Test func `what could not be stored is tried again by itself`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed)
        test.storage.fail(true)
        await #expect(throws: StorageFailure.self) { try await test.revoke() }
        await test.clock.nextTimerScheduled()
        test.clock.advance(by: PermissionDesk.retryInterval)
        await test.clock.nextTimerScheduled()
        test.storage.fail(false)
        test.clock.advance(by: PermissionDesk.retryInterval)
        while test.storage.decisions != test.services.decisions { try await turn() }
        #expect(try await DeskUnderTest(storage: test.storage).status() == .denied)
    }

    @Test func `a program's request does not fail for what could not be stored`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed)
        test.storage.fail(true)
        await #expect(throws: StorageFailure.self) { try await test.revoke() }
        #expect(try await test.request().standings.map(\.standing.status) == [.denied])
    }

    @Test func `a denial that is stored late does not come back after its grant`() async throws {
        let test = try await DeskUnderTest()
        test.services.hold(true)
        let denial = Task { try await test.decide(.denied) }
        while test.services.announced.isEmpty { try await turn() }
        // The grant is on its way to the disk when every service has applied the denial.
        test.storage.hold(true)
        let grant = Task { try await test.decide(.allowed) }
        while test.storage.heldWrites == 0 { try await turn() }
        test.services.hold(false)
        for _ in 0..<1_000 { await Task.yield() }
        test.storage.hold(false)
        try await grant.value
        try await denial.value
        #expect(test.storage.decisions == test.services.decisions)
        #expect(test.storage.decisions.map(\.verdict) == [.allowed])
    }

    @Test func `a revocation is stored and answered when every service has applied it`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed)
        let granted = test.storage.decisions
        test.services.hold(true)
        let revocation = Task { try await test.decide(.denied) }
        while test.services.announced.count < 2 { try await turn() }
        #expect(await test.status() == .denied && test.storage.decisions == granted)
        // What comes behind it is not held up: it is stored, and holds afterwards too.
        try await test.decide(.allowed, .forever, .camera("back"))
        try await test.decide(.allowed)
        test.services.hold(false)
        try await revocation.value
        #expect(await test.status() == .authorized)
        #expect(test.storage.decisions == test.services.decisions && test.storage.decisions.count == 2)
    }

    @Test func `a decision ends when its time is over`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed, .until(Moment(milliseconds: DeskUnderTest.start + 90_000)))
        let watcher = await test.desk.followDecisions(about: DeskUnderTest.program)
        await test.clock.nextTimerScheduled()
        test.clock.advance(by: .seconds(60))
        #expect(await test.status() == .authorized)
        await test.clock.nextTimerScheduled()
        test.clock.advance(by: .seconds(30))
        var events = watcher.events.makeAsyncIterator()
        let event = try #require(try await events.next())
        #expect(event.status == .notDetermined && event.cause == "expired")
        #expect(test.services.decisions.isEmpty)
        while !test.storage.decisions.isEmpty { try await turn() }
    }

    @Test func `a once grant is redeemed by one service alone, and gone with it`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed, .once)
        let id = try #require(test.storage.decisions.first?.id)
        let service = ServiceInstance(role: .capture, processID: 7, startTime: 1)
        @Sendable func redeem() async throws {
            try await test.desk.turn { machine, now in
                try machine.redeem(
                    id,
                    for: DeskUnderTest.front,
                    principal: DeskUnderTest.program,
                    label: nil,
                    by: service.description,
                    at: now
                )
            }
        }
        let tries = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { (try? await redeem()) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(tries == 1)
        try await test.desk.keepRedeemed(by: [service])
        #expect(test.storage.decisions.map(\.redeemedBy) == ["capture-7-1"])
        try await test.desk.keepRedeemed(by: [])
        #expect(test.storage.decisions.isEmpty && test.services.decisions.isEmpty)
    }

    @Test func `a follower that reads too slowly is told so`() async throws {
        let test = try await DeskUnderTest()
        let watcher = await test.desk.followDecisions(about: nil)
        for _ in 0..<300 { try await test.decide(.allowed) }
        var events = watcher.events.makeAsyncIterator()
        let error = await #expect(throws: ErrorReply.self) { while try await events.next() != nil {} }
        #expect(error?.code == .eventsLost)
    }

    @Test func `a program watches its own decisions alone`() async throws {
        let test = try await DeskUnderTest()
        let other = await test.desk.followDecisions(about: .user(1001))
        let own = await test.desk.followDecisions(about: DeskUnderTest.program)
        try await test.decide(.denied)
        await test.desk.leaveDecisions(other.id)
        var events = own.events.makeAsyncIterator()
        #expect(try await events.next()?.status == .denied)
        for try await _ in other.events { Issue.record("saw somebody else's decision") }
    }
}
