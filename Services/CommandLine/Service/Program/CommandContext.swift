import Consent
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
    /// How long an answer of the person is waited for until that is said.
    package var silence: Duration
    /// Reaches the cluster whose sockets are in a directory; does not wait for it.
    package var connect: @Sendable (String) throws -> any Cluster

    package init(
        terminal: Terminal,
        user: UserSituation,
        interruption: Interruption,
        hangups: Interruption = Interruption(),
        executable: String,
        person: PersonTerminal? = nil,
        silence: Duration = .seconds(1),
        connect: @escaping @Sendable (String) throws -> any Cluster
    ) {
        self.terminal = terminal
        self.user = user
        self.interruption = interruption
        self.hangups = hangups
        self.executable = executable
        self.person = person
        self.silence = silence
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
    /// In a personal deployment an operator's question is asked on this terminal while the work waits. Where it is asked
    /// elsewhere, standard error says so.
    ///
    /// - Parameters:
    ///   - arguments: Those with `--purpose`, `--no-prompt` and `--timeout`.
    ///   - cluster: The cluster.
    ///   - needs: What the person may be asked about.
    ///   - time: How long the work lasts by itself, in addition to what is usual.
    ///   - work: What is done, by the rules that the arguments give. It calls its other argument when nobody is waited for
    ///     any more, where it can tell.
    /// - Returns: What the work gives.
    /// - Throws: What the work throws.
    func asking<Result: Sendable>(
        _ arguments: Arguments,
        _ cluster: any Cluster,
        about needs: [Need],
        lasting time: Duration = .zero,
        _ work: @escaping @Sendable (CallRules, @escaping @Sendable () -> Void) async throws -> Result
    ) async throws -> Result {
        // Long enough for a person to come and read.
        var rules = CallRules(timeout: arguments[CommonParameters.timeout] ?? .seconds(120) + time)
        rules.mayPrompt = !arguments[CommonParameters.noPrompt]
        rules.purpose = arguments[CommonParameters.purpose]
        guard rules.mayPrompt else { return try await work(rules, {}) }
        // Whoever reads JSON on standard error reads objects there.
        let isSilent = needs.isEmpty || arguments[CommonParameters.json]
        let notice = isSilent ? nil : WaitingNotice(of: needs, after: silence, cluster, terminal)
        let chosen = rules
        let noticed: @Sendable () async throws -> Result = {
            guard let notice else { return try await work(chosen, {}) }
            return try await notice.around { try await work(chosen, $0) }
        }
        guard let person, let dialogue = await dialogue(with: person, cluster) else { return try await noticed() }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                // Without an operator's rights nobody is asked here; the work itself says what is missing.
                try? await dialogue.run()
                return nil
            }
            // The coordinator must know that there is somebody to ask before the first question arises.
            let isAskedHere = (try? await cluster.call(ListPrompts())) != nil
            group.addTask { try await isAskedHere ? work(chosen, {}) : noticed() }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    /// The same for work that can not tell when nobody is waited for any more.
    func asking<Result: Sendable>(
        _ arguments: Arguments,
        _ cluster: any Cluster,
        about needs: [Need],
        lasting time: Duration = .zero,
        _ work: @escaping @Sendable (CallRules) async throws -> Result
    ) async throws -> Result {
        try await asking(arguments, cluster, about: needs, lasting: time) { rules, _ in try await work(rules) }
    }

    /// A dialogue about this program's own prompts, in a personal deployment.
    private func dialogue(with person: PersonTerminal, _ cluster: any Cluster) async -> PromptDialogue? {
        // Whatever is wrong with the cluster, the work itself will say it.
        guard let services = try? await cluster.call(ListServices(), CallRules(timeout: .seconds(2))),
            services.deployment == Deployment.personal.rawValue,
            let own = try? await cluster.call(PermissionStatus(needs: [Need(.library, .addOnly)])).permissions.first
        else { return nil }
        return PromptDialogue(with: person, over: cluster) { prompt in
            prompt.principal == own.principal && (own.label == nil || prompt.label == own.label)
        }
    }
}
