private import Consent
package import MessageSchema
package import ServiceRuntime

/// What surrounds a command: the terminal, the user, the cluster, and the wish to end.
package struct CommandContext: Sendable {
    /// Where results and errors go.
    package var terminal: Terminal
    /// Whose command it is, with the environment.
    package var user: UserSituation
    /// Whether the user has interrupted.
    package var interruption: Interruption
    /// How often SIGHUP came, to a command that takes it; see ``Command/takesHangups``.
    package var hangups: Interruption
    /// The path of this executable, beside which the services' executables are.
    package var executable: String
    /// The terminal at which the person can be asked; nil when there is none.
    package var person: PersonTerminal?
    /// Reaches the cluster whose sockets are in a directory; does not wait for it.
    package var connect: @Sendable (String) throws -> any Cluster

    package init(
        terminal: Terminal,
        user: UserSituation,
        interruption: Interruption,
        hangups: Interruption = Interruption(),
        executable: String,
        person: PersonTerminal? = nil,
        connect: @escaping @Sendable (String) throws -> any Cluster
    ) {
        self.terminal = terminal
        self.user = user
        self.interruption = interruption
        self.hangups = hangups
        self.executable = executable
        self.person = person
        self.connect = connect
    }

    /// The directory of sockets that `--runtime`, the environment or the standard says.
    package func runtimeDirectory(_ arguments: Arguments) throws(ErrorReply) -> String {
        if let chosen = arguments[CommonParameters.runtime] ?? StandardDirectories.runtime(user, for: .calling) {
            return chosen
        }
        throw ErrorReply(
            .noSuchFile,
            "No runtime directory",
            reason: "The user \(user.userID) has no home directory, and $OBSCURA_RUNTIME is not set.",
            recoverySuggestion: "say where the cluster is with --runtime DIR"
        )
    }

    /// The cluster that the arguments mean.
    package func cluster(_ arguments: Arguments) throws -> any Cluster { try connect(runtimeDirectory(arguments)) }

    /// Does work that may need the person's permission.
    ///
    /// In a personal deployment an operator's question is asked on this terminal while the work waits.
    ///
    /// - Parameters:
    ///   - arguments: Those with `--purpose`, `--no-prompt` and `--timeout`.
    ///   - cluster: The cluster.
    ///   - time: How long the work lasts by itself, in addition to what is usual.
    ///   - work: What is done, by the rules that the arguments give.
    /// - Returns: What the work gives.
    /// - Throws: What the work throws.
    func asking<Result: Sendable>(
        _ arguments: Arguments,
        _ cluster: any Cluster,
        lasting time: Duration = .zero,
        _ work: @escaping @Sendable (CallRules) async throws -> Result
    ) async throws -> Result {
        // Long enough for a person to come and read.
        var rules = CallRules(timeout: arguments[CommonParameters.timeout] ?? .seconds(120) + time)
        rules.mayPrompt = !arguments[CommonParameters.noPrompt]
        rules.purpose = arguments[CommonParameters.purpose]
        guard rules.mayPrompt, let person, let dialogue = await dialogue(with: person, cluster) else {
            return try await work(rules)
        }
        let chosen = rules
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                // Without an operator's rights nobody is asked here; the work itself says what is missing.
                try? await dialogue.run()
                return nil
            }
            // The coordinator must know that there is somebody to ask before the first question arises.
            _ = try? await cluster.call(ListPrompts())
            group.addTask { try await work(chosen) }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    /// Whether ``asking(_:_:_:)`` shows the questions on this terminal.
    func asksHere(_ cluster: any Cluster) async -> Bool {
        guard person != nil,
            // Whatever is wrong with the cluster, the work itself will say it.
            let services = try? await cluster.call(ListServices(), CallRules(timeout: .seconds(2)))
        else { return false }
        return services.deployment == Deployment.personal.rawValue
    }

    /// A dialogue about this program's own prompts, in a personal deployment.
    private func dialogue(with person: PersonTerminal, _ cluster: any Cluster) async -> PromptDialogue? {
        guard await asksHere(cluster),
            let own = try? await cluster.call(PermissionStatus(needs: [Need(.library, .addOnly)])).permissions.first
        else { return nil }
        return PromptDialogue(with: person, over: cluster) { prompt in
            prompt.principal == own.principal && (own.label == nil || prompt.label == own.label)
        }
    }
}
