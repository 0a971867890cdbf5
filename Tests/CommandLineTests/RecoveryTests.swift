import CommandLineService
import Consent
import MessageSchema
import ServiceRuntime
import Synchronization
import Testing

/// Splits a line into words as sh(1) does, as far as single quotes go.
enum ShellWords {
    static func split(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case "\\" where !isQuoted:
                if let next = rest.popFirst() { word = (word ?? "") + String(next) }
            case " " where !isQuoted:
                if let done = word { words.append(done) }
                word = nil
            default: word = (word ?? "") + String(scalar)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `What an error says to do` {
    static let program = Principal.unit(#"booth\x2da.service"#)
    static let now = ClockPair(wall: Moment(milliseconds: 1_796_000_000_000), uptime: .zero)

    /// Decisions in their order, a need, and the label of the program that has it.
    struct Case: Sendable, CustomTestStringConvertible {
        let decisions: [(Verdict, Resource, Access?, label: String?)]
        let need: Need
        var label: String?

        var testDescription: String { "\(need) after \(decisions.count) decisions, label \(label ?? "none")" }
    }

    static let denials: [Case] = [
        Case(decisions: [(.denied, .camera("front-1"), nil, nil)], need: Need(.camera("front-1"))),
        Case(decisions: [(.denied, .camera("*"), nil, nil)], need: Need(.camera("front-1"))),
        Case(
            decisions: [(.denied, .camera("*"), nil, nil), (.denied, .camera("front-1"), nil, nil)],
            need: Need(.camera("front-1"))
        ),
        Case(
            decisions: [(.denied, .camera("front-1"), nil, nil), (.denied, .camera("*"), nil, "it's a \"b\"")],
            need: Need(.camera("front-1")),
            label: "it's a \"b\""
        ),
        Case(decisions: [(.denied, .export, nil, "a $(b)")], need: Need(.export), label: "a $(b)"),
        Case(decisions: [(.denied, .library, .addOnly, nil)], need: Need(.library, .addOnly)),
        Case(decisions: [(.denied, .library, .addOnly, nil)], need: Need(.library, .readWrite)),
        Case(
            decisions: [(.denied, .library, .readWrite, nil), (.denied, .library, .read, nil)],
            need: Need(.library, .readWrite)
        ),
        Case(
            decisions: [(.denied, .library, .read, nil), (.denied, .library, .addOnly, "x")],
            need: Need(.library, .read),
            label: "x"
        ),
        Case(decisions: [(.denied, .location, nil, nil)], need: Need(.location)),
    ]

    private static func decide(_ decisions: [(Verdict, Resource, Access?, label: String?)]) throws
        -> PermissionMachine
    {
        var machine = PermissionMachine()
        for (verdict, resource, access, label) in decisions {
            let selector = DecisionSelector(principal: program, label: label, resource: resource, access: access)
            _ = try machine.decide(selector, verdict, .forever, by: .user(0), at: now)
        }
        return machine
    }

    /// Runs the command through the parser against a machine.
    private static func run(_ line: String, on machine: PermissionMachine) async throws -> PermissionMachine {
        let words = ShellWords.split(line)
        try #require(words.first == "obscura", "\(line)")
        let state = Mutex(machine)
        let cluster = FakeCluster()
        let reply: @Sendable (PermissionChange) -> PermissionState = {
            PermissionState(principal: $0.principal, resource: $0.resource, access: .use, status: .notDetermined)
        }
        cluster.on(ResetPermission.self) { request in
            _ = try state.withLock { try $0.reset(request.change.selector, by: .user(0), at: now) }
            return reply(request.change)
        }
        cluster.on(GrantPermission.self) { request in
            _ = try state.withLock {
                try $0.decide(request.change.selector, .allowed, .forever, by: .user(0), at: now)
            }
            return reply(request.change)
        }
        let outcome = await obscura(Array(words.dropFirst()), on: cluster)
        #expect(outcome.status == .success, "\(line): \(outcome.errors)")
        return state.withLock { $0 }
    }

    private static func standing(_ item: Case, _ machine: PermissionMachine) -> Standing {
        machine.decisions.standing(of: item.need, principal: program, label: item.label, at: now.wall)
    }

    @Test(arguments: denials)
    func `takes exactly the denial away that it is about`(item: Case) async throws {
        var machine = try Self.decide(item.decisions)
        // What the person decided about other things has to stay.
        let other = DecisionSelector(principal: Self.program, resource: .microphone("m"))
        _ = try machine.decide(other, .allowed, .forever, by: .user(0), at: Self.now)
        guard case .denied(let decision) = Self.standing(item, machine) else {
            Issue.record("It is not denied")
            return
        }
        let denials = machine.decisions.denials(
            of: item.need,
            principal: Self.program,
            label: item.label,
            at: Self.now.wall
        )
        let error = ErrorReply.refusal(
            .denied(decision),
            of: item.need,
            to: Asker(principal: Self.program, label: item.label),
            denials: denials
        )
        let after = try await Self.run(try #require(error.recoverySuggestion), on: machine)
        #expect(Self.standing(item, after).status == .notDetermined)
        #expect(after.decisions.all.map(\.resource) == [.microphone("m")])
    }

    @Test func `leaves what was allowed beside a denial as it is`() async throws {
        let machine = try Self.decide([(.allowed, .library, .addOnly, nil), (.denied, .library, .read, nil)])
        let item = Case(decisions: [], need: Need(.library, .read))
        guard case .denied(let decision) = Self.standing(item, machine) else {
            Issue.record("It is not denied")
            return
        }
        let error = ErrorReply.refusal(.denied(decision), of: item.need, to: Asker(principal: Self.program))
        let after = try await Self.run(try #require(error.recoverySuggestion), on: machine)
        #expect(Self.standing(item, after).status == .notDetermined)
        #expect(after.decisions.all.map(\.access) == [.addOnly])
    }

    @Test(arguments: [Need(.camera("front-1")), Need(.library, .addOnly), Need(.library, .readWrite), Need(.export)])
    func `allows what nobody decided, and what was only used up`(need: Need) async throws {
        let asker = Asker(principal: Self.program)
        let ended = Revocation(reason: .expired, by: nil, at: Self.now.wall, need: need)
        for error in [
            ErrorReply.refusal(.notDetermined, of: need, to: asker), ErrorReply.revoked(ended, asker: asker),
        ] {
            let after = try await Self.run(try #require(error.recoverySuggestion), on: PermissionMachine())
            #expect(Self.standing(Case(decisions: [], need: need), after).status == .authorized)
        }
    }

    @Test(arguments: ["revoke", "reset", "grant", "deny"])
    func `an access that was not said is not sent, and so means what the verb makes of it`(verb: String) async {
        let cluster = FakeCluster()
        let seen = Mutex<[PermissionChange]>([])
        let reply: @Sendable (PermissionChange) -> PermissionState = { change in
            seen.withLock { $0.append(change) }
            return PermissionState(principal: change.principal, resource: .library, access: .addOnly, status: .denied)
        }
        cluster.on(RevokePermission.self) { reply($0.change) }
        cluster.on(ResetPermission.self) { reply($0.change) }
        cluster.on(GrantPermission.self) { reply($0.change) }
        cluster.on(DenyPermission.self) { reply($0.change) }
        let words = ["permissions", verb, "--resource", "library", "--principal", "uid:7"]
        #expect(await obscura(words, on: cluster).status == .success)
        #expect(await obscura(words + ["--access", "read"], on: cluster).status == .success)
        #expect(seen.withLock { $0.map(\.access) } == [nil, .read])
        let span = await obscura(words + ["--lifespan", "forever"], on: cluster)
        #expect(span.status == (["grant", "deny"].contains(verb) ? .success : .usage))
    }
}

extension PermissionChange {
    fileprivate var selector: DecisionSelector {
        DecisionSelector(principal: principal, label: label, resource: resource, access: access)
    }
}
