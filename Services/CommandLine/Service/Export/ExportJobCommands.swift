import MessageSchema

/// `obscura export status`.
struct ExportStatusCommand: Command {
    private static let job = Positional("JOB", "One job; without it, all of yours", .optional, as: .name)

    let signature = CommandSignature(
        "export status",
        "Shows export jobs",
        parameters: [job],
        examples: [("export status", "every job and how far it is")]
    )

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let job = arguments[Self.job].first
        let jobs = try await context.cluster(arguments).call(ListExports(job: job)).jobs
        if jobs.isEmpty, let job {
            throw ErrorReply(
                .noSuchJob,
                "There is no job \(job)",
                recoverySuggestion: "obscura export status lists them"
            )
        }
        if arguments[CommonParameters.json] {
            for job in jobs { context.terminal.writeJSON(job) }
            return .success
        }
        var table = TextTable("job", "state", "files", "copied", "skipped", "failed", "destination")
        for job in jobs {
            table.add(
                job.job,
                job.state.rawValue,
                "\(job.files)",
                "\(job.copied)",
                "\(job.skipped)",
                "\(job.failed.count)",
                job.destination
            )
        }
        context.terminal.write(table, orSay: "no jobs")
        for job in jobs { Self.showReasons(of: job, inFull: arguments[Self.job].first != nil, context.terminal) }
        return .success
    }
}

extension ExportStatusCommand {
    /// Why a job failed; of one that was named, also which of its files did.
    private static func showReasons(of job: ExportJob, inFull: Bool, _ terminal: Terminal) {
        if let error = job.error {
            terminal.writeLine("\(job.job) \(job.state.rawValue): \(ErrorWords.sentence(error))")
        } else if let reason = job.reason {
            terminal.writeLine("\(job.job) \(job.state.rawValue): \(reason)")
        }
        guard inFull else { return }
        for failure in job.failed { terminal.writeLine("failed  \(failure.url)  \(failure.reason)") }
    }
}

/// `obscura export pause`, `resume`, `cancel`.
struct ControlExportCommand: Command {
    private static let job = Positional("JOB", "The job", as: .name)
    private let action: ControlExport.Action

    let signature: CommandSignature

    init(_ action: ControlExport.Action, _ summary: String) {
        self.action = action
        signature = CommandSignature(
            "export \(action.rawValue)",
            summary,
            parameters: [Self.job],
            examples: [("export \(action.rawValue) 5F0C…", "one of the jobs that export status lists")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let request = ControlExport(action, job: arguments.one(Self.job))
        let job = try await context.cluster(arguments).call(request)
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(job)
        } else {
            context.terminal.writeLine("\(job.job) is \(job.state.rawValue)")
        }
        return .success
    }
}
