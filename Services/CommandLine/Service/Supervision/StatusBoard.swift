private import Consent
private import MessageSchema
private import Synchronization
private import Timekeeping

/// Shows one line for each change of a service.
final class StatusBoard: Sendable {
    let terminal: Terminal
    let asJSON: Bool
    private let begun = BootInstant.now()
    private let hasBeenReady = Atomic<Bool>(false)
    private let hasFailed = Atomic<Bool>(false)

    init(terminal: Terminal, asJSON: Bool) {
        self.terminal = terminal
        self.asJSON = asJSON
    }

    /// Says where the cluster is.
    func begin(_ options: ClusterOptions) {
        guard !asJSON else { return }
        terminal.writeLine("Obscura, a \(options.deployment.rawValue) deployment")
        terminal.writeLine("  data     \(options.data)")
        terminal.writeLine("  runtime  \(options.runtime)")
        if !options.isVerbose { terminal.writeLine("  logs     \(options.data)/log") }
    }

    func show(_ report: Supervisor.Report) {
        switch report {
        case .line(let service, let line) where asJSON:
            terminal.writeJSON(
                Item(
                    type: "item",
                    name: service.rawValue,
                    state: line.state.rawValue,
                    pid: line.pid,
                    detail: line.detail,
                    restarts: line.restarts
                )
            )
        case .line(let service, let line): show(service, line)
        case .allReady where asJSON: terminal.writeJSON(Ready(type: "progress", ready: true))
        case .allReady:
            guard hasBeenReady.exchange(true, ordering: .relaxed) else {
                let milliseconds = begun.duration(to: .now()) / .milliseconds(1)
                return terminal.writeLine(
                    parts: ("all services are ready", .green),
                    (" after \(Int(milliseconds)) ms", nil)
                )
            }
            terminal.writeLine("all services are ready again", .green)
        }
    }

    /// Says that nobody read for so long that reports were left out.
    func showOmitted(_ count: Int) {
        guard !asJSON else { return terminal.writeJSON(Omitted(type: "progress", omitted: count)) }
        terminal.writeLine(
            "  (\(CountText.of(count, "change is", plural: "changes are")) not shown: nobody read for too long)"
        )
    }

    private func show(_ service: ServiceName, _ line: SupervisorMachine.Line) {
        // Until something is wrong, what a person needs to see is that a service is ready.
        guard line.state != .starting || line.detail != nil else { return }
        let name = service.rawValue + String(repeating: " ", count: max(1, 13 - service.rawValue.count))
        let word = line.state.rawValue + String(repeating: " ", count: max(1, 12 - line.state.rawValue.count))
        let style: Terminal.Style? =
            switch line.state {
            case .ready: .green
            case .failed: .red
            case .restarting: .yellow
            case .starting, .stopping, .stopped: nil
            }
        let pid = line.pid.map { "pid \($0)" } ?? ""
        let restarts = line.restarts > 0 && line.state == .ready ? "  started again \(line.restarts)×" : ""
        // Why the first one failed is the command's error, which comes as its last line.
        let isSaidLater = line.state == .failed && !hasFailed.exchange(true, ordering: .relaxed)
        let detail = isSaidLater ? "" : line.detail.map { "  \($0)" } ?? ""
        terminal.writeLine(parts: ("  " + name, nil), (word, style), ("\(pid)\(restarts)\(detail)", nil))
    }

    private struct Item: Encodable {
        let type: String
        let name: String
        let state: String
        let pid: Int32?
        let detail: String?
        let restarts: Int
    }

    private struct Omitted: Encodable {
        let type: String
        let omitted: Int
    }

    private struct Ready: Encodable {
        let type: String
        let ready: Bool
    }
}
