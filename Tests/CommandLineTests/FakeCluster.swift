import CommandLineService
import FoundationEssentials
import MessageSchema
import ServiceRuntime
import Synchronization

/// A cluster whose services are closures; every message goes through JSON, as on the wire.
final class FakeCluster: Cluster {
    private typealias Handler = @Sendable (Data, CallRules, Exchange) async throws -> Data

    /// What a request exchanges beyond its body: items to the caller, chunks from it.
    struct Exchange: Sendable {
        var send: @Sendable (Data, [UInt8]) async throws -> Void = { _, _ in }
        var next: @Sendable () async throws -> [UInt8]? = { nil }
    }

    private struct State {
        var handlers: [String: Handler] = [:]
        var calls: [String] = []
        var rules: [String: CallRules] = [:]
    }

    private let state = Mutex(State())

    /// The names of the requests so far.
    var calls: [String] { state.withLock { $0.calls } }

    /// By which rules a request of that type was last asked.
    func rules(of name: String) -> CallRules? { state.withLock { $0.rules[name] } }

    func on<R: Request>(_: R.Type, _ answer: @escaping @Sendable (R) async throws -> R.Reply) {
        add(R.name) { body, _, _ in
            try JSONEncoder().encode(try await answer(try JSONDecoder().decode(R.self, from: body)))
        }
    }

    func onStream<R: StreamRequest>(
        _: R.Type,
        _ answer: @escaping @Sendable (R, @Sendable (R.Item, [UInt8]) async throws -> Void) async throws -> R.Summary
    ) {
        add(R.name) { body, _, exchange in
            let summary = try await answer(try JSONDecoder().decode(R.self, from: body)) { item, bytes in
                try await exchange.send(try JSONEncoder().encode(item), bytes)
            }
            return try JSONEncoder().encode(summary)
        }
    }

    func onUpload<R: UploadRequest>(
        _: R.Type,
        _ answer: @escaping @Sendable (R, [UInt8]) async throws -> R.Reply
    ) {
        add(R.name) { body, _, exchange in
            var bytes: [UInt8] = []
            while let chunk = try await exchange.next() { bytes += chunk }
            return try JSONEncoder().encode(try await answer(try JSONDecoder().decode(R.self, from: body), bytes))
        }
    }

    private func add(_ name: String, _ handler: @escaping Handler) {
        state.withLock { $0.handlers[name] = handler }
    }

    private func run(_ name: String, _ body: Data, _ rules: CallRules, _ exchange: Exchange) async throws -> Data {
        let handler = state.withLock { state in
            state.calls.append(name)
            state.rules[name] = rules
            return state.handlers[name]
        }
        guard let handler else { throw ErrorReply(.serviceUnavailable, "\(name) can not be reached") }
        return try await handler(body, rules, exchange)
    }

    func call<R: Request>(_ request: R, _ rules: CallRules) async throws -> R.Reply {
        try JSONDecoder().decode(
            R.Reply.self,
            from: try await run(R.name, try JSONEncoder().encode(request), rules, Exchange())
        )
    }

    func stream<R: StreamRequest>(
        _ request: R,
        _ rules: CallRules,
        _ each: @escaping @Sendable (R.Item, [UInt8]) async throws -> Void
    ) async throws -> R.Summary {
        var exchange = Exchange()
        exchange.send = { try await each(try JSONDecoder().decode(R.Item.self, from: $0), $1) }
        return try JSONDecoder().decode(
            R.Summary.self,
            from: try await run(R.name, try JSONEncoder().encode(request), rules, exchange)
        )
    }

    func upload<R: UploadRequest>(
        _ request: R,
        _ rules: CallRules,
        _ next: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> R.Reply {
        var exchange = Exchange()
        exchange.next = next
        return try JSONDecoder().decode(
            R.Reply.self,
            from: try await run(R.name, try JSONEncoder().encode(request), rules, exchange)
        )
    }
}

/// What a command line did.
struct Outcome: Sendable {
    var status: ProgramStatus
    var output: [UInt8]
    var errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// Runs the real program with all its commands on a fake cluster.
func obscura(
    _ words: String...,
    on cluster: FakeCluster = FakeCluster(),
    person: PersonTerminal? = nil,
    interruption: Interruption = Interruption(),
    silence: Duration = .seconds(1),
    errors: OutputRecord = OutputRecord()
) async -> Outcome {
    await obscura(words, on: cluster, person: person, interruption: interruption, silence: silence, errors: errors)
}

/// Runs the real program with all its commands on a fake cluster.
func obscura(
    _ words: [String],
    on cluster: FakeCluster,
    person: PersonTerminal? = nil,
    interruption: Interruption = Interruption(),
    silence: Duration = .seconds(1),
    errors: OutputRecord = OutputRecord()
) async -> Outcome {
    let output = OutputRecord()
    let context = CommandContext(
        terminal: Terminal(output: output.sink, errors: errors.sink, environment: [:]),
        user: UserSituation(environment: ["OBSCURA_RUNTIME": "/r"], userID: 1000, account: nil),
        interruption: interruption,
        executable: "/bin/obscura",
        person: person,
        silence: silence,
        connect: { _ in cluster }
    )
    let status = await CommandLineProgram().run(words, in: context)
    return Outcome(status: status, output: output.bytes, errors: errors.text)
}
