package import Consent
package import MessageSchema
private import ServiceRuntime

extension ErrorReply {
    /// What an operator or a service is told whose command was refused.
    package static func refusal(_ refusal: PermissionRefusal) -> ErrorReply {
        switch refusal {
        case .unknownPrompt:
            ErrorReply(
                .invalidArgument,
                "This prompt is not open",
                reason: "It was answered, dismissed or timed out, or there never was one of that name.",
                recoverySuggestion: "`obscura permissions prompts` lists the open ones.",
                cause: "noSuchPrompt",
                parameters: ["parameter": "prompt"]
            )
        case .noLabel:
            ErrorReply(
                .invalidArgument,
                "The answer can not be narrowed",
                reason: "The program that asks has no label; the answer would be about every program of its principal.",
                recoverySuggestion: "Answer without narrowing, if that is what is meant.",
                cause: "noLabel"
            )
        case .notInForce:
            ErrorReply(.accessDenied, "This grant is not in force", cause: "notInForce")
        case .noSuchAccess(let resource, let access):
            ErrorReply(
                .invalidArgument,
                "\(resource) has no access \(access)",
                recoverySuggestion: "It has: " + resource.accesses.map(\.rawValue).joined(separator: ", ") + ".",
                parameters: ["parameter": "change.access"]
            )
        case .alreadyOver:
            ErrorReply(
                .invalidArgument,
                "The lifespan is already over",
                recoverySuggestion: "Give a time that is still to come.",
                parameters: ["parameter": "lifespan"]
            )
        case .notForDenial(let lifespan):
            ErrorReply(
                .invalidArgument,
                "A denial can not hold \(lifespan)",
                recoverySuggestion: "Deny forever, or until a time.",
                parameters: ["parameter": "lifespan"]
            )
        case .unknownUse:
            ErrorReply(
                .invalidArgument,
                "There is no such use",
                reason: "It is over, or there never was one of that name.",
                recoverySuggestion: "`obscura permissions uses` lists those that go on.",
                cause: "noSuchUse",
                parameters: ["parameter": "use"]
            )
        }
    }

    /// What a service is told that would use up a grant which another service enforces.
    static func notRedeemable(_ need: Need, by role: Role) -> ErrorReply {
        let roles = Role.allCases.filter { $0.redeems(need) }.map(\.rawValue).joined(separator: " or ")
        return ErrorReply(
            .roleRequired,
            "The \(role.rawValue) service does not redeem grants for \(need)",
            reason: "This is enforced by: \(roles.isEmpty ? "nobody" : roles).",
            parameters: ["parameter": "need"]
        )
    }

    /// What an operator is told whose decision did not reach the disk.
    static func notStored(_ failure: StorageFailure) -> ErrorReply {
        ErrorReply(
            failure.isDiskFull ? .diskFull : .inputOutput,
            "The decision could not be stored",
            reason: "The coordinator's database: \(failure.text).",
            recoverySuggestion:
                "What was taken away stays taken away, and storing it is tried again; what was granted is "
                + "not. Make room on its disk and repeat the command: it succeeds when everything is stored.",
            cause: "notStored"
        )
    }

    /// What a program is told when nobody decided; nil for a request that was decided, or was not to be asked about.
    package static func dismissal(_ outcome: AskOutcome, principal: Principal) -> ErrorReply? {
        guard let dismissal = outcome.dismissal,
            let need = outcome.standings.first(where: { $0.standing == .notDetermined })?.need
        else { return nil }
        let command = ErrorReply.command("grant", need.resource, need.access, principal, nil)
        var error = ErrorReply(
            .dismissed,
            "Nobody has decided about \(need)",
            recoverySuggestion: "Ask again later, or have an operator decide: \(command)"
        )
        error.parameters = [
            "resource": need.resource.description, "access": need.access.rawValue, "principal": principal.description,
        ]
        switch dismissal {
        case .closed:
            (error.cause, error.reason) = ("closed", "The person closed the question.")
        case .timedOut:
            (error.cause, error.reason) = ("timedOut", "The person did not answer in time.")
        case .backingOff(let rest):
            let seconds = Int(rest.components.seconds) + (rest.components.attoseconds > 0 ? 1 : 0)
            let needs = outcome.standings.filter { $0.standing == .notDetermined }.map { "\($0.need)" }
            let words = needs.joined(separator: " and ")
            error.cause = "backingOff"
            error.reason =
                "The question about \(words) was dismissed a short while ago; it can be asked again in \(spoken(seconds))."
            let reset = ErrorReply.command("reset", need.resource, need.access, principal, nil)
            error.recoverySuggestion =
                "Ask again then; an operator can have it asked again at once: \(reset); or decide: \(command)"
            error.retryAfter = seconds * 1_000
        case .noPrompter:
            (error.cause, error.reason) = ("noPrompter", "Nobody is there to ask.")
            error.recoverySuggestion =
                "Open a terminal with `obscura permissions prompts --answer`, or have an operator decide: \(command)"
        case .tooManyPrompts:
            (error.cause, error.reason) = ("tooManyPrompts", "Three of your questions are open already.")
        }
        return error
    }

    /// A length of time as a person says it, never shorter than it is.
    private static func spoken(_ seconds: Int) -> String {
        switch seconds {
        case ...1: "a second"
        case ...120: "\(seconds) seconds"
        case ...7_200: "\((seconds + 59) / 60) minutes"
        default: "\((seconds + 3_599) / 3_600) hours"
        }
    }

    /// What anybody is told who names the place where a camera looks instead of the camera.
    static func position(_ resource: Resource) -> ErrorReply {
        ErrorReply(
            .invalidArgument,
            "\(resource) is no camera",
            reason: "Decisions are about cameras, and which one looks there changes.",
            recoverySuggestion: "`obscura cameras list` says which camera looks there; name it by its id.",
            parameters: ["resource": resource.description]
        )
    }

    /// What anybody is told about needs that no request can have.
    package static func invalidNeeds(_ needs: [Need]) -> ErrorReply? {
        guard !needs.isEmpty, needs.count <= 16 else {
            return .invalidParameter("needs", "a list of 1 to 16")
        }
        if let position = needs.first(where: { $0.resource.isPosition }) { return .position(position.resource) }
        guard let wrong = needs.first(where: { !$0.isValid }) else { return nil }
        return ErrorReply(
            .invalidArgument,
            "\(wrong) can not be asked for",
            reason: wrong.resource.isPattern
                ? "A pattern stands for things; a request names one."
                : "\(wrong.resource) has: " + wrong.resource.accesses.map(\.rawValue).joined(separator: ", ") + ".",
            parameters: ["parameter": "needs"]
        )
    }
}
