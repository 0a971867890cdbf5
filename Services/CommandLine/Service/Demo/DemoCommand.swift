private import Consent
private import MessageSchema
private import ServiceRuntime

extension ErrorReply {
    /// The same error, which says too that what was decided for the demo could not be taken back.
    fileprivate func leaving(_ failure: ErrorReply) -> ErrorReply {
        var error = self
        let advice =
            "what was decided for the demo could not be taken back (\(failure.description)): "
            + "see 'obscura permissions list'"
        error.recoverySuggestion = ErrorWords.joined([recoverySuggestion, advice], by: "; ")
        return error
    }
}

/// `obscura demo`: the story that must work, on one screen.
struct DemoCommand: Command {
    private static let yes = Flag("yes", "Let the demo's own operator answer its own program's questions")
    private static let destination = Option(
        "to",
        "DIR",
        "Where the copies go (default: DATA/demo of this user)",
        as: .text
    )
    private static let patience = Option(
        "timeout",
        "SECONDS",
        "How long a cluster that the demo starts may take to get ready (default: 30s)",
        as: .time
    )

    let signature = CommandSignature(
        "demo",
        "Show what Obscura does: probe, ask, capture, keep, read, copy out, withdraw",
        discussion: """
            Uses the running cluster, or starts one on this user's data and ends it. Its photo and its films stay in the \
            library there, as those of any program do. The person at the terminal is asked; --yes answers for them. What was decided before holds again at the end, and what was decided for the demo is \
            forgotten, also after Ctrl-C.
            """,
        parameters: [yes, destination, UpCommand.builtIn, patience],
        examples: [
            ("demo", "the story, with questions"),
            ("demo --yes --json", "the story as JSON lines; the last one says where the copies are"),
        ]
    )

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        guard arguments[Self.yes] || context.person != nil else {
            throw ErrorReply.usage(
                "Nobody to ask",
                "the demo asks questions on a terminal, and there is none",
                "use --yes"
            )
        }
        if let destination = arguments[Self.destination] { try await DemoExport.check(destination) }
        let narrator = DemoNarrator(terminal: context.terminal, asJSON: arguments[CommonParameters.json])
        let runtime = try context.runtimeDirectory(arguments)
        if await Self.isServed(try context.connect(runtime)) {
            if arguments[UpCommand.builtIn] != nil {
                narrator.say("The cluster has the cameras that it was started with.")
            }
            narrator.say("A cluster runs here: the photo and the films of the demo stay in its library.")
            return try await tell(arguments, narrator, runtime: runtime, in: context)
        }
        guard let data = StandardDirectories.data(context.user),
            let runtime = arguments[CommonParameters.runtime]
                ?? StandardDirectories.runtime(context.user, for: .serving)
        else {
            throw ErrorReply.usage("No place to run in", "this user has no home directory", "give --runtime")
        }
        var options = ClusterOptions(data: data, runtime: runtime)
        if let builtIn = arguments[UpCommand.builtIn] {
            options.extra = [.probe: ["--built-in-cameras", builtIn], .capture: ["--built-in-cameras", builtIn]]
        }
        narrator.say(
            "No cluster runs here, so the demo starts one; the photo and the films stay in the library in \(data)."
        )
        let cluster = DemoCluster(
            options: options,
            patience: arguments[Self.patience] ?? DemoCluster.patience,
            executable: context.executable
        )
        return try await cluster.run {
            try await tell(arguments, narrator, runtime: runtime, in: context)
        }
    }

    /// Whether a whole cluster answers there within a second.
    private static func isServed(_ cluster: any Cluster) async -> Bool {
        // No cluster, or not a whole one: the demo brings its own.
        let services = try? await cluster.call(ListServices(), CallRules(timeout: .seconds(1)))
        return services?.ready == true
    }

    private func tell(
        _ arguments: Arguments,
        _ narrator: DemoNarrator,
        runtime: String,
        in context: CommandContext
    ) async throws -> ProgramStatus {
        let program = try context.connect(runtime)
        let person = try context.connect(runtime)
        let own = try await program.call(PermissionStatus(needs: [Need(.library, .addOnly)])).permissions
        guard let own = own.first else { throw ErrorReply(.internalFault, "The coordinator does not say who we are") }
        let decisions = try await DemoDecisions(of: own.principal, person: person)
        let story = DemoStory(
            program: program,
            person: person,
            principal: own.principal,
            decisions: decisions,
            narrator: narrator
        )
        let answers =
            arguments[Self.yes] ? DemoAnswers(person: person, principal: own.principal) : nil
        let exporting = DemoExport(context: context, narrator: narrator, cluster: program)
        let destination = try arguments[Self.destination] ?? exporting.standardDestination()
        let told: DemoResult
        do {
            told = try await story.answered(by: answers, dialogue: dialogue(context, person, own)) {
                let (camera, assets) = try await story.captureAndRead()
                let result = try await exporting.export(assets, to: destination)
                try await story.withdraw(camera, from: answers?.label)
                return result
            }
        } catch {
            // The story's own error is the one to report; what stays decided is listed by `permissions list`.
            do {
                try await decisions.restore()
            } catch let failure as ErrorReply {
                guard !Task.isCancelled, let error = error as? ErrorReply else {
                    context.terminal.writeError(ErrorLine.text(failure))
                    throw error
                }
                throw error.leaving(failure)
            }
            throw error
        }
        try await decisions.restore()
        narrator.result(told)
        return told.failed == 0 ? .success : .badData
    }

    private func dialogue(_ context: CommandContext, _ person: any Cluster, _ own: PermissionState) -> PromptDialogue? {
        context.person.map { terminal in
            PromptDialogue(with: terminal, over: person) { $0.principal == own.principal }
        }
    }
}
