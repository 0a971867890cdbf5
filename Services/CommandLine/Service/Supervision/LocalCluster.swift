private import EventLoop
private import MessageSchema

/// A cluster that this process runs: `obscura up`'s, or the demo's own.
package final class LocalCluster: Sendable {
    private let supervisor: Supervisor

    /// Makes the folders and the supervisor; nothing runs yet.
    ///
    /// - Parameters:
    ///   - options: What to run, and where.
    ///   - executable: The path of this program, beside which the services' executables are.
    ///   - report: Told of every change of a service, on the supervisor's loop, which it must not hold up.
    /// - Throws: `ErrorReply` that says what is in the way.
    package init(
        _ options: ClusterOptions,
        executable: String,
        report: @escaping @Sendable (Supervisor.Report) -> Void
    ) throws {
        let folders: ClusterFolders
        do {
            folders = try ClusterFolders(options)
        } catch {
            throw ErrorReply(error)
        }
        let folder = executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/"
        )
        supervisor = Supervisor(
            options,
            folders: folders,
            executables: folder,
            loop: EventLoop(name: "supervisor"),
            report: report
        )
    }

    /// Starts all services; they become ready later.
    package func start() async throws {
        do {
            try await supervisor.start()
        } catch let error as ClusterError {
            throw ErrorReply(error)
        }
    }

    /// Has all services read their policy again, as SIGHUP does to each.
    package func reload() async { await supervisor.reload() }

    /// Ends all services in good order; called again, at once.
    package func stop() async { await supervisor.stop() }

    /// Waits until all have ended, and gives the exit code.
    package func waitUntilFinished() async -> Int32 { await supervisor.waitUntilFinished() }
}

extension ErrorReply {
    /// A cluster that could not be started, in the words of the command line.
    init(_ error: ClusterError) {
        let code: ErrorCode =
            switch error.code {
            case .alreadyRunning: .alreadyRunning
            case .cannotCreate, .pathTooLong: .cannotCreate
            case .noSuchUser, .noExecutable: .serviceUnavailable
            case .notPermitted: .accessRestricted
            }
        self.init(code, "The cluster can not start", reason: error.description, recoverySuggestion: error.advice)
    }
}
