private import MessageSchema

/// The program `obscura`: finds the command, reads its arguments, runs it, prints what went wrong.
package struct CommandLineProgram: Sendable {
    private let commands: [any Command]
    private let version: String

    package init(commands: [any Command] = CommandCatalogue.all, version: String = "0.1") {
        self.commands = commands
        self.version = version
    }

    /// Runs one command line, whose words come without the program's name.
    ///
    /// - Returns: The exit status; everything there is to say has been printed.
    package func run(_ words: [String], in context: CommandContext) async -> ProgramStatus {
        let wantsJSON = words.prefix { $0 != "--" }.contains("--json")
        do {
            let status = try await dispatch(words, in: context)
            guard status == .success, context.terminal.failure != 0 else { return status }
            guard let error = ErrorReply.outputFailed(context.terminal.failure) else { return .inputOutput }
            throw error
        } catch let error as ErrorReply {
            return report(error, asJSON: wantsJSON, to: context.terminal)
        } catch is CancellationError {
            let error = ErrorReply(.cancelled, "Interrupted", reason: "The command was interrupted.")
            return report(error, asJSON: wantsJSON, to: context.terminal)
        } catch {
            let fault = ErrorReply(.internalFault, "Internal fault", reason: String(describing: error))
            return report(fault, asJSON: wantsJSON, to: context.terminal)
        }
    }

    private func dispatch(_ words: [String], in context: CommandContext) async throws -> ProgramStatus {
        var words = words
        if words.first == "help" { words = words.dropFirst() + ["--help"] }
        let (path, rest) = split(words)
        guard let command = commands.first(where: { $0.signature.path == path }) else {
            return try overview(path, rest, in: context.terminal)
        }
        let arguments = try ArgumentParser.parse(rest, for: command.signature)
        if arguments[CommonParameters.help] {
            context.terminal.write(HelpText.command(command.signature))
            return .success
        }
        do {
            return try await run(command, arguments, in: context)
        } catch let error as ErrorReply {
            throw error.spoken(for: command.signature)
        }
    }

    /// Whether the command that these words call takes SIGHUP for a wish; it interrupts every other one.
    package func takesHangups(_ words: [String]) -> Bool {
        let path = split(words).path
        return commands.first { $0.signature.path == path }?.takesHangups ?? false
    }

    /// The words of a command, as many as there are in any, and everything else; a few options may stand between them.
    private func split(_ words: [String]) -> (path: [String], rest: [String]) {
        var path: [String] = []
        var options: [String] = []
        var rest = words[...]
        while let word = rest.first {
            if ["--json", "--help", "-h"].contains(word) || word.hasPrefix("--runtime=") {
                options.append(rest.removeFirst())
            } else if word == "--runtime" {
                options += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if commands.contains(where: { $0.signature.path.starts(with: path + [word]) }) {
                path.append(rest.removeFirst())
            } else {
                break
            }
        }
        return (path, options + rest)
    }

    /// What may stand before a command, or without one.
    private static let optionsOfAll: Set = ["--help", "-h", "--json", "--version"]

    private func overview(_ path: [String], _ rest: [String], in terminal: Terminal) throws -> ProgramStatus {
        if rest.first(where: { $0 != "--json" }) == "--version" {
            if rest.contains("--json") {
                terminal.writeJSON(["version": version])
            } else {
                terminal.writeLine("obscura \(version)")
            }
            return .success
        }
        let signatures = commands.map(\.signature)
        let known = (["obscura"] + path).joined(separator: " ")
        let before = rest.prefix { $0.hasPrefix("-") }
        if let option = before.first(where: { !Self.optionsOfAll.contains($0) }) {
            throw ErrorReply.usage(
                "Unknown option",
                "'\(option)' is not an option of \(known)",
                "options stand behind the command; see '\(known) --help'"
            )
        }
        if let word = rest.first(where: { !$0.hasPrefix("-") }) {
            let candidates = signatures.filter { $0.path.starts(with: path) }.map { $0.path[path.count] }
            throw ErrorReply.usage(
                "Unknown command",
                "'\(word)' is not a command of \(known)",
                Suggestion.nearest(to: word, among: candidates).map { "did you mean '\($0)'?" }
                    ?? "see '\(known) --help'"
            )
        }
        let text = HelpText.overview(signatures, below: path)
        if rest.contains("--help") || rest.contains("-h") {
            terminal.write(text)
            return .success
        }
        guard !rest.contains("--json") else {
            throw ErrorReply.usage("Missing command", "\(known) needs a command", "see '\(known) --help'")
        }
        terminal.writeError(text)
        return .usage
    }

    /// Runs the command, and cancels it when the user interrupts.
    private func run(
        _ command: any Command,
        _ arguments: Arguments,
        in context: CommandContext
    ) async throws -> ProgramStatus {
        let rule = command.interruption(arguments)
        guard rule != .isHandled else { return try await command.run(arguments, in: context) }
        return try await withThrowingTaskGroup(of: ProgramStatus?.self) { group in
            group.addTask { try await command.run(arguments, in: context) }
            group.addTask {
                await context.interruption.wait()
                return nil
            }
            defer { group.cancelAll() }
            guard let status = try await group.next() ?? nil else {
                group.cancelAll()
                // What it had done by then is done; whatever else it makes of its cancellation, it was the user who
                // ended it.
                if case .success(let status?) = await group.nextResult() { return status }
                guard rule == .ends else { throw CancellationError() }
                context.terminal.clearProgress()
                return .interrupted
            }
            return status
        }
    }

    private func report(_ error: ErrorReply, asJSON: Bool, to terminal: Terminal) -> ProgramStatus {
        terminal.writeError(asJSON ? ErrorLine.json(error) : ErrorLine.text(error))
        return ProgramStatus(for: error)
    }
}
