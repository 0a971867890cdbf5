import Consent
import ExporterService
import MessageSchema
import ServiceRuntime
import Synchronization
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct `The permission of an export` {
    private static let clock = ClockPair(wall: Moment(milliseconds: 1_796_000_000_000), uptime: .zero)
    private static let asker = Asker(principal: World.program)

    /// A gate by which everything but the location is allowed; nobody answers a question, or the answer is yes.
    private static func gate(
        location: Verdict?,
        uses: UseBook? = nil,
        isAnswered: Bool = false
    ) throws -> ConsentGate {
        var machine = PermissionMachine()
        let decisions = SharedGate(wallClock: { clock.wall }, bootClock: { BootInstant(nanoseconds: 0) })
        decisions.renewLease(until: BootInstant(nanoseconds: 1_000))
        let verdicts: [(Need, Verdict?)] = [
            (Need(.export), .allowed), (Need(.library, .read), .allowed), (Need(.location), location),
        ]
        for (need, verdict) in verdicts {
            guard let verdict else { continue }
            let selector = DecisionSelector(principal: World.program, resource: need.resource, access: need.access)
            _ = try machine.decide(selector, verdict, .forever, by: .user(0), at: clock)
        }
        decisions.apply(machine.snapshot(epoch: "e"))
        let place = DecisionSelector(principal: World.program, resource: .location)
        _ = try machine.decide(place, .allowed, .forever, by: .user(0), at: clock)
        let answered = machine.snapshot(epoch: "e")
        return ConsentGate(
            decisions: decisions,
            coordinator: ConsentGate.Coordinator(
                request: { _, _ in
                    guard isAnswered else { throw ErrorReply(.dismissed, "Dismissed", reason: "Nobody answered.") }
                    decisions.apply(answered)
                    return ConsentGate.Answer(number: answered.number)
                },
                redeem: { _, _ in true },
                release: { _, _ in },
                forgo: { _, _ in }
            ),
            uses: uses
        )
    }

    private static func refusal(_ location: Verdict?, mayPrompt: Bool) async throws -> ErrorReply {
        var asker = asker
        asker.mayPrompt = mayPrompt
        let pass = try await ExportPermission(try gate(location: location)).pass(asker)
        defer { pass.end() }
        try pass.check()
        return pass.locationRefusal()
    }

    @Test func `ends when any of the uses is stopped that are listed of it`() async throws {
        let book = UseBook(of: .exporter, process: 1)
        var count = 1
        var stopped = 0
        while stopped < count {
            let gate = try Self.gate(location: nil, uses: book, isAnswered: true)
            let pass = try await ExportPermission(gate).pass(Self.asker)
            try pass.check()
            let uses = book.report().flatMap(\.uses)
            count = uses.count
            let use = try #require(uses.indices.contains(stopped) ? uses[stopped] : nil)
            try gate.decisions.apply(
                DecisionChange(
                    number: gate.decisions.number + 1,
                    generation: 9,
                    stopped: [StoppedUse(use: use.use, by: .user(0), at: Self.clock.wall)],
                    endsGrants: true
                )
            )
            #expect(throws: ErrorReply.self, "use \(stopped) of \(count)") { try pass.check() }
            pass.end()
            #expect(book.report().flatMap(\.uses).isEmpty)
            stopped += 1
        }
        #expect(count == 1)
    }

    @Test(arguments: [Verdict.allowed, .denied, nil])
    func `hands on to the library all that it rests on, the location apart`(location: Verdict?) async throws {
        var asker = Self.asker
        asker.mayPrompt = false
        let gate = try Self.gate(location: location)
        let pass = try await ExportPermission(gate).pass(asker)
        defer { pass.end() }
        let grants = pass.delegation.grant?.split(separator: " ").map(String.init)
        #expect(grants == (location == .allowed ? ["d2", "d3"] : ["d2"]))
        try gate.decisions.apply(
            DecisionChange(
                number: gate.decisions.number + 1,
                generation: 4,
                removed: [Removal(id: DecisionID(generation: 3), reason: .revoked, by: nil, at: Self.clock.wall)],
                endsGrants: true
            )
        )
        try pass.check()
    }

    @Test func `says why the location is not there, and which command changes that`() async throws {
        let denied = try await Self.refusal(.denied, mayPrompt: true)
        #expect(denied.code == .accessDenied)
        #expect(denied.recoverySuggestion?.hasPrefix("obscura permissions reset --resource location") == true)
        let unanswered = try await Self.refusal(nil, mayPrompt: true)
        #expect(unanswered.code == .dismissed && unanswered.reason == "Nobody answered.")
        let unasked = try await Self.refusal(nil, mayPrompt: false)
        #expect(unasked.code == .dismissed && unasked.cause == "notAsked")
        for error in [unanswered, unasked] {
            #expect(error.recoverySuggestion?.hasPrefix("obscura permissions grant --resource location") == true)
            #expect(error.parameters?["resource"] == "location")
        }
    }
}
