import MessageSchema
private import Synchronization
private import Timekeeping

/// The demo's own cluster: started, waited for, lent, and ended whatever happens.
struct DemoCluster: Sendable {
    /// How long its services have to become ready, unless something else is said.
    static let patience = Duration.seconds(30)

    let options: ClusterOptions
    /// How long its services have to become ready.
    let patience: Duration
    let executable: String

    private enum Event: Sendable {
        case ready, ended, late
    }

    /// Runs the body while the cluster runs.
    ///
    /// Cancelling the task ends the cluster, also while it starts.
    ///
    /// - Throws: `serviceUnavailable` that names what did not become ready, `CancellationError`, what the body throws.
    func run(_ body: () async throws -> ProgramStatus) async throws -> ProgramStatus {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(4))
        let lines = StatusLines()
        let cluster = try LocalCluster(options, executable: executable) { report in
            switch report {
            case .line(let service, let line): lines.set(service, line)
            case .allReady: continuation.yield(.ready)
            }
        }
        try await cluster.start()
        // Unstructured, because it ends with the cluster and not with this task; awaited below.
        let ending = Task {
            let code = await cluster.waitUntilFinished()
            continuation.yield(.ended)
            return code
        }
        let timer = Task {
            // Cancelled when it is not needed any more.
            try await Task.sleep(for: patience, clock: BootClock())
            continuation.yield(.late)
        }
        defer { timer.cancel() }
        // Nil when this task is cancelled.
        let event = await events.first { _ in true }
        timer.cancel()
        let result: Result<ProgramStatus, any Error>
        do {
            switch event {
            case .ready: result = .success(try await body())
            case nil: result = .failure(CancellationError())
            case .ended: result = .failure(failure(lines, "A service ended with code \(await ending.value)"))
            case .late:
                result = .failure(failure(lines, "It was not ready within \(patience.components.seconds) seconds"))
            }
        } catch {
            result = .failure(error)
        }
        await cluster.stop()
        _ = await ending.value
        return try result.get()
    }

    private func failure(_ lines: StatusLines, _ reason: String) -> ErrorReply {
        ErrorReply(
            .serviceUnavailable,
            "The demo's cluster did not start",
            reason: "\(reason). Not ready: \(lines.unready). The logs are in \(options.data)/log.",
            recoverySuggestion: "Run `obscura up` to see why"
        )
    }
}

/// How each service stands.
private final class StatusLines: Sendable {
    private let lines = Mutex<[ServiceName: SupervisorMachine.Line]>([:])

    func set(_ service: ServiceName, _ line: SupervisorMachine.Line) { lines.withLock { $0[service] = line } }

    /// The services that are not ready, with what they do instead.
    var unready: String {
        let unready = lines.withLock { lines in
            ServiceName.allCases.compactMap { service -> String? in
                guard let line = lines[service], line.state != .ready else { return nil }
                return "\(service.rawValue) (\(line.state.rawValue)\(line.detail.map { ": \($0)" } ?? ""))"
            }
        }
        return unready.isEmpty ? "nothing was heard of any service" : unready.joined(separator: ", ")
    }
}
