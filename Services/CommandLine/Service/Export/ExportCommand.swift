import Consent
private import Glibc
private import Media
import MessageSchema

/// `obscura export`.
struct ExportCommand: Command {
    private static let urls = Positional(
        "URL",
        "These assets; without any, those that the options mean",
        .any,
        as: ValueReader<AssetURL>.assetURL
    )
    private static let destination = Option(
        "to",
        "DIR",
        "Where the bag lies: an empty folder, or an earlier export",
        isRequired: true,
        as: .text
    )
    private static let privacy = Option<PrivacyProfile>(
        "privacy",
        "none|location|all",
        "What is taken out of the copies (default: none); without location read, the place always is",
        as: .word
    )
    private static let names = Option<NameTemplate>(
        "name",
        "TEMPLATE",
        "Folders and names of the files, such as '{date:%Y/%m}/{name}' (default: their own names, in one folder)",
        as: .nameTemplate
    )
    private static let update = Flag(
        "update",
        "Go on from an earlier export; what is there is never copied again, with or without"
    )
    private static let dryRun = Flag(
        "dry-run",
        "Say which files would be written, named as the export would name them, and write nothing; needs the same permissions"
    )
    private static let service = Flag(
        "service",
        "Let the exporter write below its export folder: DIR is relative to it; the job goes on without this command"
    )

    let signature = CommandSignature(
        "export",
        "Copies assets out, verified, with a manifest (BagIt, RFC 8493)",
        discussion: """
            The files are written as your own user. An export that was interrupted is resumed by asking for it again. \
            A file of the export that was changed is copied anew, and what lay there is kept in DIR/changed. \
            With --privacy location the copies do not say where they were made; with all they say nothing but how they are \
            shown, and have names that say nothing. A folder keeps to the --privacy of its first export. A file that can not be \
            cleaned for certain is not exported. \
            A name TEMPLATE has the fields {name} {date} {kind} {camera} {make} {id}; {date:FORM} has %Y %y %m %d %H %M %S, \
            and / begins a folder. {camera|other} says 'other' where nothing is known, {camera} 'unknown'. The extension is \
            added. Name the same template when you go on with an export: with another one the files are copied again. \
            Ends with 65 when a file could not be exported, whatever the reason, or when the bag has damaged, missing or \
            foreign files; where the whole export ended, with the status of what ended it, also with --service.
            """,
        parameters: [urls] + AssetQueryParameters.all + [destination, privacy, names, update, dryRun, service]
            + CommonParameters.asking,
        examples: [
            ("export --to ~/copies", "everything"),
            ("export --name '{date:%Y/%m}/{name}' --to ~/copies", "in folders by year and month"),
            ("export --privacy location --to ~/shared", "everything, without the places"),
            ("export --kind photo --since 2026-01-01 --to /media/stick/photos", "this year's photos"),
        ]
    )

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let selection = try Self.selection(arguments)
        guard let destination = arguments[Self.destination] else { return .usage }
        let asJSON = arguments[CommonParameters.json]
        let terminal = context.terminal
        if arguments[Self.dryRun] {
            let isService = arguments[Self.service]
            let preview = ExportPreview(
                cluster: cluster,
                selection: selection,
                privacy: arguments[Self.privacy],
                names: arguments[Self.names],
                destination: isService ? destination : Self.absolute(destination),
                isBelowExporter: isService
            )
            let plan = try await context.asking(arguments, cluster, about: Self.needs) { rules, hasBegun in
                try await preview.plan(rules.unhurried(unless: arguments), began: hasBegun)
            }
            plan.write(asJSON: asJSON, terminal)
            return plan.status
        }
        let outcome: ExportOutcome
        if arguments[Self.service] {
            outcome = try await byService(selection, destination, arguments, cluster, in: context)
        } else {
            let export = OwnExport(
                cluster: cluster,
                selection: selection,
                privacy: arguments[Self.privacy],
                names: arguments[Self.names],
                destination: Self.absolute(destination)
            )
            outcome = try await context.asking(arguments, cluster, about: Self.needs) { rules, hasBegun in
                try await export.run(rules.unhurried(unless: arguments), began: hasBegun) { files, bytes in
                    Self.show(files, bytes, asJSON, terminal)
                }
            }
        }
        terminal.clearProgress()
        if asJSON {
            terminal.writeJSON(StreamLine(.result, outcome))
        } else {
            Self.show(outcome, terminal)
        }
        return outcome.status
    }

    private static func selection(_ arguments: Arguments) throws(ErrorReply) -> ExportSelection {
        let query = AssetQueryParameters.query(arguments)
        let urls = arguments[urls]
        guard !urls.isEmpty else { return ExportSelection(query: query) }
        guard query == AssetQuery() else {
            let names = AssetQueryParameters.all.map { "--\($0.description.name)" }.joined(separator: ", ")
            throw ErrorReply.usage(
                "Which assets?",
                "URLs and options that choose assets do not go together",
                "name the assets, or choose them with \(names)"
            )
        }
        var named: Set<String> = []
        return ExportSelection(assets: urls.filter { named.insert($0.id).inserted })
    }

    private func byService(
        _ selection: ExportSelection,
        _ destination: String,
        _ arguments: Arguments,
        _ cluster: any Cluster,
        in context: CommandContext
    ) async throws -> ExportOutcome {
        let request = StartExport(
            selection: selection,
            destination: destination,
            privacy: arguments[Self.privacy],
            names: arguments[Self.names]?.description
        )
        let job = try await context.asking(arguments, cluster, about: Self.needs) { rules, _ in
            try await cluster.call(request, rules)
        }
        let asJSON = arguments[CommonParameters.json]
        let terminal = context.terminal
        let end: ExportJob
        do {
            end = try await cluster.stream(FollowExport(job: job.job), CallRules(timeout: nil)) { progress, _ in
                Self.show(progress.copied, progress.copiedBytes, asJSON, terminal)
            }
        } catch let error as ErrorReply where Self.isLoss(error) {
            throw Self.lost(error, job.job)
        }
        guard end.state == .done else {
            throw Self.failure(of: end)
        }
        return ExportOutcome(end)
    }

    /// Whether a job may well go on that can not be followed any more.
    private static func isLoss(_ error: ErrorReply) -> Bool {
        [.serviceUnavailable, .serverSilent, .shuttingDown, .eventsLost].contains(error.code)
    }

    /// The loss of a job that is kept and goes on by itself, with the way to it.
    private static func lost(_ error: ErrorReply, _ job: String) -> ErrorReply {
        var error = error
        error.reason = ErrorWords.joined([error.reason, "The job \(job) is kept"], by: ". ")
        error.recoverySuggestion =
            "it goes on as soon as the exporter runs again: see 'obscura export status \(job)'; where it has failed meanwhile: "
            + "obscura export resume \(job)"
        error.parameters = (error.parameters ?? [:]).merging(["job": job]) { _, job in job }
        return error
    }

    /// What ended a job, as if this command had met it, with the way to go on.
    private static func failure(of job: ExportJob) -> ErrorReply {
        let resuming = "obscura export resume \(job.job)"
        guard job.state == .failed, var error = job.error else {
            return ErrorReply(
                .exportFailed,
                "The job \(job.job) is \(job.state.rawValue)",
                reason: job.reason,
                recoverySuggestion: job.state == .failed ? resuming : nil
            )
        }
        error.recoverySuggestion = ErrorWords.joined([error.recoverySuggestion, "then: \(resuming)"], by: "; ")
        error.parameters = (error.parameters ?? [:]).merging(["job": job.job]) { _, job in job }
        return error
    }

    private static func show(_ files: Int, _ bytes: Int64, _ asJSON: Bool, _ terminal: Terminal) {
        if asJSON { return terminal.writeJSON(StreamLine(.progress, Progress(copied: files, copiedBytes: bytes))) }
        terminal.showProgress("\(CountText.of(files, "file")), \(ByteText.of(bytes)) copied")
    }

    private static func show(_ outcome: ExportOutcome, _ terminal: Terminal) {
        for failure in outcome.failures { terminal.writeLine("failed  \(failure.url)  \(failure.reason)") }
        for repair in outcome.repaired {
            terminal.writeLine("renewed  \(repair.path)  it had been changed; what lay there is now \(repair.kept)")
        }
        for path in outcome.damaged {
            terminal.writeLine("damaged  \(path)  it was changed after an earlier export, and is not part of this one")
        }
        for path in outcome.missing {
            terminal.writeLine("missing  \(path)  it was exported earlier, is gone, and is not part of this export")
        }
        for path in outcome.unlisted {
            terminal.writeLine("unlisted  \(path)  no export put it there; move it out of data/")
        }
        if outcome.redacted > 0 {
            terminal.writeLine("\(CountText.of(outcome.redacted, "file")) without metadata that was to be taken out")
        }
        terminal.writeLine(
            "\(outcome.copied) copied, \(outcome.skipped) there already, \(outcome.failures.count) failed; "
                + "\(CountText.of(outcome.files, "file")) and \(ByteText.of(outcome.bytes)) in \(outcome.destination)"
        )
    }

    /// The path from the root.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }

    private struct Progress: Encodable {
        let copied: Int
        let copiedBytes: Int64
    }
}

extension ExportCommand {
    private static let needs = [Need(.export), Need(.library, .read), Need(.location)]
}
