private import Consent
import MessageSchema

/// `obscura permissions list`.
struct ListPermissionsCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "permissions list",
            "Lists decisions, and what is forbidden whatever was decided: an operator sees all, a program its own",
            discussion:
                "An allowed decision under the policy's or the switch's restriction is restricted, and not in force.",
            parameters: [PermissionParameters.onlyPrincipal],
            examples: [("permissions list", "who may do what, and who said so")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let request = ListPermissions(principal: arguments[PermissionParameters.onlyPrincipal])
        let asJSON = arguments[CommonParameters.json]
        let reply = try await context.cluster(arguments).call(request)
        PermissionText.write(reply.permissions, reply.restrictions ?? [], asJSON: asJSON, context.terminal)
        return .success
    }
}

/// `obscura permissions status`.
struct PermissionStatusCommand: Command {
    private static let principal = Option(
        "principal",
        "P",
        "How uid:1000, unit:booth.service, key:HEX or container:NAME stands; others than yourself: an operator alone may",
        as: ValueReader<Principal>.written("a principal such as uid:1000 or unit:booth.service")
    )
    private static let label = Option("label", "TEXT", "With --principal: its program with this label", as: .name)

    var signature: CommandSignature {
        CommandSignature(
            "permissions status",
            "Shows how you, or another program, stand towards a resource; never asks the person",
            parameters: [PermissionParameters.resource, PermissionParameters.access, Self.principal, Self.label],
            examples: [
                ("permissions status --resource library --access read", "authorized, denied, notDetermined …"),
                (
                    "permissions status --resource 'camera/*' --principal unit:booth.service",
                    "each camera, for that unit"
                ),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let (principal, label) = (arguments[Self.principal], arguments[Self.label])
        guard label == nil || principal != nil else {
            throw ErrorReply.usage("Missing option", "--label narrows --principal", "say whose program it is")
        }
        let needs = try await PermissionParameters.needs(arguments, cluster) { named in
            named.warn("this is how you would stand when it comes", context.terminal)
        }
        let request = PermissionStatus(needs: needs, principal: principal, label: label)
        let permissions = try await cluster.call(request).permissions
        PermissionText.write(permissions, asJSON: arguments[CommonParameters.json], context.terminal)
        return .success
    }
}

/// `obscura permissions request`.
struct RequestPermissionCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "permissions request",
            "Asks the person for a permission, and waits for the answer",
            discussion:
                "Always asks for yourself; an operator decides for others with grant and deny.\n"
                + "Ends with 77 when it is denied, with 75 when nobody decided, and with 66 where there is no such camera.",
            parameters: [PermissionParameters.resource, PermissionParameters.access] + CommonParameters.asking,
            examples: [("permissions request --resource camera/front --purpose 'A portrait'", "one question")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let needs = try await PermissionParameters.needs(arguments, cluster) { try $0.requireKnown() }
        let permissions = try await context.asking(arguments, cluster, about: needs) { rules in
            try await cluster.call(RequestPermissions(needs: needs), rules).permissions
        }
        PermissionText.write(permissions, asJSON: arguments[CommonParameters.json], context.terminal)
        let statuses = permissions.map(\.status)
        if statuses.contains(where: { $0 == .denied || $0 == .restricted }) { return .notPermitted }
        return statuses.contains(.notDetermined) ? .tryAgain : .success
    }
}

/// A verb by which an operator decides: `grant`, `deny`, `revoke`, `reset`.
struct DecideCommand<R: Request>: Command where R.Reply == PermissionState {
    let verb: String
    let summary: String
    let effect: String
    let parameters: [any Parameter]
    let request: @Sendable (PermissionChange) -> R

    var signature: CommandSignature {
        CommandSignature(
            "permissions \(verb)",
            summary + "; an operator alone may",
            parameters: parameters,
            examples: [
                ("permissions \(verb) --resource 'camera/*'", "in personal mode: for your own programs"),
                ("permissions \(verb) --resource library --access read --principal uid:1000", effect),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let (change, named) = try await PermissionParameters.change(arguments, context, cluster)
        let permission = try await cluster.call(request(change), CallRules(timeout: .seconds(30)))
        let permissions = await Self.outcome(of: change, permission, cluster)
        PermissionText.write(permissions, asJSON: arguments[CommonParameters.json], context.terminal)
        // A withdrawal is of what was allowed; other verbs are about what may be used as about what is not.
        let isEnding = R.self == RevokePermission.self || arguments[PermissionParameters.discard]
        if isEnding, !arguments[CommonParameters.json], change.resource.isFilmed {
            context.terminal.writeError("What films that this ended had filmed \(PermissionParameters.fate(arguments))")
        }
        let decides = R.self == GrantPermission.self || R.self == DenyPermission.self
        named.warn(
            decides
                ? "the decision is stored, and holds when it comes" : "what was decided about it before is changed",
            context.terminal
        )
        return .success
    }

    /// What holds now of what was changed: a withdrawal denies each thing that was allowed under the name it has there.
    private static func outcome(
        of change: PermissionChange,
        _ reply: PermissionState,
        _ cluster: any Cluster
    ) async -> [PermissionState] {
        // It is withdrawn already; a list that does not come takes nothing of that back.
        guard R.self == RevokePermission.self,
            let all = try? await cluster.call(ListPermissions(principal: change.principal)).permissions
        else { return [reply] }
        let denials = all.filter { state in
            state.status == .denied && change.resource.covers(state.resource)
                && (change.label == nil || change.label == state.label)
                && (change.access == nil || change.access == state.access)
        }
        return denials.isEmpty ? [reply] : denials
    }
}

extension Resource {
    /// Whether a film rests on it.
    fileprivate var isFilmed: Bool {
        switch self {
        case .camera, .microphone, .library: true
        default: false
        }
    }
}

/// `obscura permissions watch`.
struct WatchPermissionsCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "permissions watch",
            "Follows who uses what right now, and decisions as they change, until you interrupt",
            discussion:
                "'permissions stop USE' ends a use that is shown here; one that did not end by itself says why. What the\n"
                + "policy or the switch forbids is shown, too. --json shows uses as kind, use and reason, and what is\n"
                + "forbidden as restrictions: all of it, at first and whenever it changes.",
            examples: [("permissions watch --json", "one object for each use that begins or ends, and for each change")]
        )
    }

    func interruption(_ arguments: Arguments) -> InterruptionRule { .ends }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let asJSON = arguments[CommonParameters.json]
        let terminal = context.terminal
        let cluster = try context.cluster(arguments)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try await cluster.stream(WatchPermissions(), CallRules(timeout: nil)) { state, _ in
                    terminal.write(state, asJSON: asJSON)
                }
            }
            group.addTask {
                _ = try await cluster.stream(FollowUses(), CallRules(timeout: nil)) { event, _ in
                    if asJSON {
                        terminal.writeJSON(StreamLine(.item, event))
                    } else {
                        let reason = event.reason.map { "  (\($0.rawValue))" } ?? ""
                        terminal.writeLine("\(event.kind.rawValue)  \(UseText.line(event.use))\(reason)")
                    }
                }
            }
            group.addTask {
                let shown = ShownRestrictions()
                _ = try await cluster.stream(FollowRestrictions(), CallRules(timeout: nil)) { item, _ in
                    if asJSON { return terminal.writeJSON(StreamLine(.item, item)) }
                    for line in await shown.lines(item.restrictions) { terminal.writeLine(line) }
                }
            }
            try await group.waitForAll()
        }
        return .success
    }
}

/// What is forbidden, as it was shown last.
private actor ShownRestrictions {
    private var last: [RestrictionState] = []

    /// A line for each that is new, and one for each that is gone.
    func lines(_ now: [RestrictionState]) -> [String] {
        defer { last = now }
        return last.filter { !now.contains($0) }.map { Self.line($0, "allowed again, as it was decided") }
            + now.filter { !last.contains($0) }.map { Self.line($0, "restricted") }
    }

    private static func line(_ restriction: RestrictionState, _ word: String) -> String {
        let whom = restriction.principal?.description ?? "everybody"
        return "\(whom)  \(restriction.resource)  \(word): \(restriction.cause.rawValue)"
    }
}

/// `obscura permissions prompts`.
struct PromptsCommand: Command {
    private static let answer = Flag("answer", "Ask here, and answer, until you interrupt")
    private static let follow = Flag(
        "follow",
        "Print each question as it is asked, until you interrupt; meanwhile somebody is there to ask"
    )

    var signature: CommandSignature {
        CommandSignature(
            "permissions prompts",
            "Lists the questions that wait for the person; an operator alone may",
            parameters: [Self.answer, Self.follow],
            examples: [
                ("permissions prompts", "what is asked now"),
                ("permissions prompts --follow --json", "for a script that answers with permissions answer"),
                ("permissions prompts --answer", "makes this terminal the one where questions appear"),
            ]
        )
    }

    /// Following and answering go on until the user has had enough; a list ends by itself.
    func interruption(_ arguments: Arguments) -> InterruptionRule {
        arguments[Self.answer] || arguments[Self.follow] ? .ends : .cancels
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        if arguments[Self.answer] {
            guard let person = context.person else {
                throw ErrorReply.usage("No terminal", "questions are asked on a terminal, and there is none")
            }
            context.terminal.writeError("Questions appear here; Ctrl-C ends this.")
            try await PromptDialogue(with: person, over: cluster).run()
            return .success
        }
        if arguments[Self.follow] {
            let (terminal, asJSON) = (context.terminal, arguments[CommonParameters.json])
            _ = try await cluster.stream(FollowPrompts(), CallRules(timeout: nil)) { event, _ in
                guard event.kind == .opened else { return }
                if asJSON {
                    terminal.writeJSON(StreamLine(.item, event.prompt))
                } else {
                    terminal.writeLine(PromptText.line(event.prompt))
                }
            }
            return .success
        }
        let prompts = try await cluster.call(ListPrompts()).prompts
        if arguments[CommonParameters.json] {
            for prompt in prompts { context.terminal.writeJSON(prompt) }
            return .success
        }
        var table = TextTable("prompt", "principal", "label", "asks to", "purpose (its own words)", "asked")
        for prompt in prompts {
            let needs = prompt.needs.map(PromptText.meaning).joined(separator: "; ")
            table.add(
                prompt.prompt,
                prompt.principal.description,
                prompt.label,
                needs,
                prompt.purpose,
                prompt.asked
            )
        }
        context.terminal.write(table, orSay: "nobody asks")
        return .success
    }
}

/// `obscura permissions answer`.
struct AnswerCommand: Command {
    private static let prompt = Positional("PROMPT", "As 'permissions prompts' names it", as: .name)
    private static let lifespan = Option(
        "lifespan",
        "L",
        "once, session, forever, until=RFC3339 or unusedFor=30d (default: once to allow, forever to deny)",
        as: PermissionParameters.lifespan.reader
    )
    private static let answer = Positional("ANSWER", "allow, deny or dismiss", as: ValueReader<PromptAnswer>.word)

    var signature: CommandSignature {
        CommandSignature(
            "permissions answer",
            "Answers a question for the person; an operator alone may",
            discussion:
                "Without --lifespan it is as 'yes' or 'no' at a terminal: allowed this one time, denied until it is changed.",
            parameters: [Self.prompt, Self.answer, Self.lifespan],
            examples: [
                ("permissions answer p7 allow", "this one time"),
                ("permissions answer p7 allow --lifespan forever", "until you change it"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let request = AnswerPrompt(
            prompt: arguments.one(Self.prompt),
            answer: arguments.one(Self.answer),
            lifespan: arguments[Self.lifespan]
        )
        let permissions = try await context.cluster(arguments).call(request).permissions
        PermissionText.write(permissions, asJSON: arguments[CommonParameters.json], context.terminal)
        return .success
    }
}
