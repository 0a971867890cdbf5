import MessageSchema
private import Synchronization

/// The first service that could not be kept running, and what it said: the others ended because of it.
final class FirstFailure: Sendable {
    private let reason = Mutex<String?>(nil)

    /// Remembers the first failure.
    func look(at report: Supervisor.Report) {
        guard case .line(let service, let line) = report, line.state == .failed else { return }
        reason.withLock { $0 = $0 ?? "\(service.rawValue): \(line.detail ?? "no reason was given")" }
    }

    /// The error of a cluster that ended with this exit status; nil when no service failed.
    func error(status: Int32) -> ErrorReply? {
        guard let reason = reason.withLock({ $0 }) else { return nil }
        let status = ProgramStatus(rawValue: status)
        return ErrorReply(
            Self.code(of: status),
            "The cluster can not run",
            reason: reason,
            // Files that people write are bad data too: no copy has to be restored for them.
            recoverySuggestion: status == .badData ? "Put right what it names, and start the cluster again" : nil
        )
    }

    private static func code(of status: ProgramStatus?) -> ErrorCode {
        switch status {
        case .usage: .usage
        case .badData: .damaged
        case .noInput: .noSuchFile
        case .cannotCreate: .cannotCreate
        case .inputOutput: .inputOutput
        case .tryAgain: .alreadyRunning
        case .fault: .internalFault
        default: .serviceUnavailable
        }
    }
}
