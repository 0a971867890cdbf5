import Consent
import CoordinatorService
import EventLoop
import Logging
import Synchronization
import Timekeeping

/// A store in memory that can be told to fail.
final class FakeStorage: DecisionStorage {
    private struct State {
        var stored = StoredDecisions()
        var fails = false
        var writes = 0
        var noted: [AuditEntryDraft] = []
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var decisions: [Decision] { state.withLock { $0.stored.decisions } }
    var writes: Int { state.withLock { $0.writes } }
    /// What the audit log tells, in its order.
    var noted: [AuditEntryDraft] { state.withLock { $0.noted } }
    var switchedOff: [Resource] { state.withLock { $0.stored.switchedOff } }

    /// How many writes wait on their way to the disk.
    var heldWrites: Int { state.withLock { $0.held.count } }

    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

    /// Holds back all writes from now on, or lets them go in their order.
    func hold(_ isHeld: Bool) {
        let waiting = state.withLock { state in
            state.isHeld = isHeld
            defer { if !isHeld { state.held = [] } }
            return isHeld ? [] : state.held
        }
        for continuation in waiting { continuation.resume() }
    }

    func load() async throws -> StoredDecisions { state.withLock { $0.stored } }

    func record(
        _ kept: [Decision],
        forgetting removed: [DecisionID],
        switchedOff: [Resource],
        generation: UInt64,
        noting drafts: [AuditEntryDraft]
    ) async throws(StorageFailure) {
        await arrive()
        let isStored = state.withLock { state in
            if state.fails { return false }
            state.writes += 1
            state.noted += drafts
            state.stored.decisions.removeAll { old in removed.contains(old.id) || kept.contains { $0.id == old.id } }
            state.stored.decisions += kept
            state.stored.decisions.sort { $0.generation < $1.generation }
            state.stored.switchedOff = switchedOff
            state.stored.generation = max(state.stored.generation, generation)
            return true
        }
        if !isStored { throw StorageFailure(text: "told to fail") }
    }

    func note(_ drafts: [AuditEntryDraft]) async throws(StorageFailure) {
        await arrive()
        let isStored = state.withLock { state in
            if !state.fails { state.noted += drafts }
            return !state.fails
        }
        if !isStored { throw StorageFailure(text: "told to fail") }
    }

    private func arrive() async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
    }
}

/// Services that acknowledge when they are told to, and remember what they were told.
final class FakeServices: Sendable {
    private struct State {
        var gate = Gate()
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var announced: [DecisionChange] = []
    }

    private let state = Mutex(State())

    init() {
        state.withLock { state in
            state.gate.apply(DecisionSnapshot(epoch: "test", number: 0, decisions: [], restrictions: []))
            state.gate.setLease(valid: true)
        }
    }

    var announced: [DecisionChange] { state.withLock { $0.announced } }
    var decisions: [Decision] { state.withLock { $0.gate.replica.decisions.all } }

    /// Holds back all acknowledgements from now on, or gives them.
    func hold(_ isHeld: Bool) {
        let waiting = state.withLock { state in
            state.isHeld = isHeld
            defer { if !isHeld { state.waiting = [] } }
            return isHeld ? [] : state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func announce(_ change: DecisionChange) async {
        state.withLock { state in
            state.announced.append(change)
            // A gap would be seen as a missing decision.
            try? state.gate.apply(change)
        }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
    }
}

/// A desk with a manual clock, fake services and a fake store.
struct DeskUnderTest {
    static let program = Principal.user(1000)
    static let `operator` = Principal.user(0)
    static let front = Need(.camera("front"))
    static let start: Int64 = 1_796_000_000_000

    let clock = ManualClock()
    let storage: FakeStorage
    let services = FakeServices()
    /// The one that everything of a coordinator is on.
    let loop = EventLoop(name: "desk")
    let desk: PermissionDesk

    init(storage: FakeStorage = FakeStorage()) async throws {
        self.storage = storage
        let stored = try await storage.load()
        let world = PermissionDesk.World(
            now: { [clock] in
                let offset = clock.now.offset
                return ClockPair(wall: Moment(milliseconds: Self.start + offset.wholeMilliseconds), uptime: offset)
            },
            sleep: { [clock] in try await clock.sleep(for: $0) },
            announce: { [services] in await services.announce($0) }
        )
        desk = PermissionDesk(
            stored,
            storage: storage,
            loop: loop,
            world: world,
            log: Logger(service: "test", sink: .discard)
        )
    }

    func request(_ needs: [Need] = [front], label: String? = nil, mayPrompt: Bool = true) async throws -> AskOutcome {
        try await desk.request(
            needs,
            principal: Self.program,
            label: label,
            purpose: "a \u{1b}test",
            mayPrompt: mayPrompt
        )
    }

    func decide(_ verdict: Verdict, _ lifespan: Lifespan = .forever, _ resource: Resource = .camera("front"))
        async throws
    {
        try await desk.turn { machine, now in
            let selector = DecisionSelector(principal: Self.program, resource: resource)
            return try machine.decide(selector, verdict, lifespan, by: Self.operator, at: now)
        }
    }

    func revoke(_ resource: Resource = .camera("front")) async throws {
        try await desk.turn { machine, now in
            let selector = DecisionSelector(principal: Self.program, resource: resource)
            return try machine.revoke(selector, by: Self.operator, at: now)
        }
    }

    func reset(_ resource: Resource = .camera("front")) async throws {
        try await desk.turn { machine, now in
            let selector = DecisionSelector(principal: Self.program, resource: resource)
            return try machine.reset(selector, by: Self.operator, at: now)
        }
    }

    func answer(_ prompt: String, _ answer: PermissionAnswer) async throws {
        try await desk.turn { machine, now in
            try machine.answer(PromptID(prompt) ?? PromptID(0), answer, by: Self.operator, at: now)
        }
    }

    func status(_ need: Need = front) async -> Status? {
        await desk.standings(of: [need], principal: Self.program, label: nil).first?.standing.status
    }
}
