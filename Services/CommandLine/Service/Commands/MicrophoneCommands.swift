private import Consent
import MessageSchema

/// `obscura microphones list`.
struct ListMicrophonesCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "microphones list",
            "Lists the microphones and whether each can be used now",
            examples: [("microphones list", "a table"), ("microphones list --json", "one object a line")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let reply = try await context.cluster(arguments).call(ListMicrophones())
        if arguments[CommonParameters.json] {
            for microphone in reply.microphones { context.terminal.writeJSON(microphone) }
            return .success
        }
        if let problem = reply.problem {
            context.terminal.writeError("note: \(EscapedText.shown(problem, limit: 512))")
        }
        var table = TextTable("microphone", "state", "name")
        for microphone in reply.microphones {
            let availability = microphone.availability
            table.add(microphone.id, [availability.state.rawValue, availability.reason].text, microphone.name)
        }
        context.terminal.write(table, orSay: "no microphones")
        return .success
    }
}
