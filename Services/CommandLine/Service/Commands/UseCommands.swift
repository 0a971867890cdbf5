private import Consent
import MessageSchema

/// `obscura permissions uses`.
struct ListUsesCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "permissions uses",
            "Lists who uses what right now: an operator sees all, a program its own",
            parameters: [PermissionParameters.onlyPrincipal],
            examples: [("permissions uses", "cameras, films, reads and exports that go on")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        var request = ListUses(principal: arguments[PermissionParameters.onlyPrincipal])
        let cluster = try context.cluster(arguments)
        var uses: [Use] = []
        repeat {
            let page = try await cluster.call(request)
            uses += page.uses
            request.cursor = page.next
        } while request.cursor != nil
        if arguments[CommonParameters.json] {
            for use in uses { context.terminal.writeJSON(use) }
            return .success
        }
        var table = TextTable("use", "principal", "label", "uses", "times", "purpose (its own words)", "since")
        for use in uses {
            table.add(
                use.use.description,
                use.principal.description,
                use.label,
                UseText.needs(use),
                String(use.count),
                use.purpose,
                use.since
            )
        }
        context.terminal.write(table, orSay: "nothing is used")
        return .success
    }
}

/// `obscura permissions stop`.
struct StopUseCommand: Command {
    private static let use = Positional(
        "USE",
        "As 'permissions uses' and 'permissions watch' name it",
        as: ValueReader<UseID>.written("the name of a use such as capture-1234-17")
    )

    var signature: CommandSignature {
        CommandSignature(
            "permissions stop",
            "Ends something that a program does right now, and changes no decision; an operator alone may",
            discussion: "Every service has ended it when this returns. The program is told why, and may ask again.",
            parameters: [Self.use, PermissionParameters.discard],
            examples: [("permissions stop capture-1234-17", "the film ends; the next one may begin")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let unfinished: Unfinished? = arguments[PermissionParameters.discard] ? .discarded : nil
        let request = StopUse(use: arguments.one(Self.use), unfinished: unfinished)
        let use = try await context.cluster(arguments).call(request, CallRules(timeout: .seconds(30)))
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(use)
        } else {
            context.terminal.writeLine("ended  \(UseText.line(use))")
            if use.service == .capture, use.needs.contains(where: { $0.access == .addOnly }) {
                context.terminal.writeLine("What it had filmed \(PermissionParameters.fate(arguments))")
            }
        }
        return .success
    }
}

/// `obscura permissions session`.
struct KeepSessionCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "permissions session",
            "Keeps a session until you interrupt: meanwhile what was allowed for a session holds",
            discussion: "Such a grant ends ten seconds after nobody keeps or uses it any more.",
            examples: [("permissions session", "a script that takes photos keeps its permission in between")]
        )
    }

    func interruption(_ arguments: Arguments) -> InterruptionRule { .ends }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let asJSON = arguments[CommonParameters.json]
        let terminal = context.terminal
        _ = try await context.cluster(arguments).stream(KeepSession(), CallRules(timeout: nil)) { state, _ in
            terminal.write(state, asJSON: asJSON)
        }
        return .success
    }
}

/// `obscura permissions switch`.
struct SwitchCommand: Command {
    private enum Position: String, CaseIterable, Sendable {
        case on, off
    }

    private static let resource = Positional(
        "RESOURCE",
        "'camera/*', camera/ID, camera/front, microphone/ID, the name of one, library, location or export; without it what is off is listed",
        .optional,
        as: ValueReader<ResourceName>.resource
    )
    private static let position = Positional(
        "on|off",
        "Which way",
        .optional,
        as: ValueReader<Position>.word
    )

    var signature: CommandSignature {
        CommandSignature(
            "permissions switch",
            "Switches something off for everybody, or on again; an operator alone may",
            discussion:
                "Off ends what runs, whoever was allowed; on again, everything is as it was decided. It outlasts a restart.",
            parameters: [Self.resource, Self.position],
            examples: [
                ("permissions switch 'camera/*' off", "no camera, for nobody"),
                ("permissions switch 'camera/*' on", "as it was decided before"),
                ("permissions switch camera/back off", "the camera that looks back now, and no other one"),
                ("permissions switch", "what is off"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let (name, position) = (arguments[Self.resource].first, arguments[Self.position].first)
        let asJSON = arguments[CommonParameters.json]
        guard name == nil || position != nil else {
            throw ErrorReply.usage("On or off?", "a switch is turned one way", "say on or off after the resource")
        }
        let cluster = try context.cluster(arguments)
        var named: NamedResource?
        if let name { named = try await cluster.resource(name) }
        let request = TurnResource(resource: named?.resource, on: position.map { $0 == .on })
        let reply = try await cluster.call(request, CallRules(timeout: .seconds(30)))
        named?.warn("it is switched all the same, and stays so when it comes", context.terminal)
        if asJSON {
            context.terminal.writeJSON(reply)
            return .success
        }
        var table = TextTable("switched off for everybody")
        for resource in reply.switchedOff { table.add(resource.description) }
        context.terminal.write(table, orSay: "nothing is switched off")
        return .success
    }
}

/// A use as the verbs print it.
enum UseText {
    static func needs(_ use: Use) -> String { use.needs.map { "\($0)" }.joined(separator: ", ") }

    static func line(_ use: Use) -> String { "\(use.use)  \(use.principal)  \(needs(use))" }
}

extension Terminal {
    /// Prints a decision of a stream.
    func write(_ state: PermissionState, asJSON: Bool) {
        if asJSON { return writeJSON(StreamLine(.item, state)) }
        let words = [state.principal.description, "\(state.resource)", "\(state.access)", state.status.rawValue]
        writeLine(words.joined(separator: "  "))
    }
}
