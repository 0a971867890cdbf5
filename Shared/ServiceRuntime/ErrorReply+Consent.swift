package import Consent
package import MessageSchema

/// What a program is told that was not allowed to do something.
extension ErrorReply {
    /// The error for an answer of the gate that is not "allowed".
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - need: What was needed.
    ///   - asker: Who needed it.
    ///   - denials: Every decision that says no to it, where the answer is "denied".
    ///   - others: What else of the same request is denied, each with its decisions.
    /// - Returns: The error; its recovery suggestion is the exact command that changes the answer, or several.
    package static func refusal(
        _ answer: GateAnswer,
        of need: Need,
        to asker: Asker,
        denials: [Decision] = [],
        besides others: [(need: Need, denials: [Decision])] = []
    ) -> ErrorReply {
        var error: ErrorReply
        switch answer {
        case .denied(let decision):
            var commands = [reset(need, [decision] + denials)]
            for command in others.map({ reset($0.need, $0.denials) }) where !commands.contains(command) {
                commands.append(command)
            }
            error = denial(of: [need] + others.map(\.need), suggesting: commands.joined(separator: "; "))
            error.parameters = [
                "decidedAt": decision.decidedAt.description, "decidedBy": decision.decidedBy.description,
            ]
        case .restricted(let restriction):
            let whom = restriction.principal?.description ?? "everybody"
            error = .accessRestricted(
                reason: restriction.isSwitch
                    ? "\(restriction.resource) is switched off for everybody."
                    : "The policy of this machine forbids \(restriction.resource) to \(whom).",
                recoverySuggestion: restriction.isSwitch
                    ? "An operator switches it on: obscura permissions switch \(quoted(restriction.resource.description)) on"
                    : "Ask whoever administers this machine to change its policy."
            )
            error.cause = restriction.isSwitch ? "switch" : "policy"
        case .noLease:
            error = ErrorReply(
                .noLease,
                "Permissions can not be checked now",
                reason: "The coordinator has not been heard for some seconds, and without it nothing is allowed.",
                recoverySuggestion: "Try again; `obscura status` shows how the services are.",
                retryAfter: 1_000
            )
        case .notDetermined, .allowed:
            error = ErrorReply(
                .dismissed,
                "Nobody has decided about \(need)",
                reason: "The request said that the person is not to be asked.",
                recoverySuggestion: command("grant", need.resource, need.access, asker.principal, nil),
                cause: "notAsked"
            )
            if !asker.grants.isEmpty || asker.mayPrompt {
                error.cause = "usedUp"
                error.reason = "The permission for this one time was used by another request first, or has ended."
            }
        }
        error.parameters = (error.parameters ?? [:]).merging(parameters(need, asker)) { old, _ in old }
        return error
    }

    /// The error that ends running work.
    ///
    /// `denials` are all decisions that say no to it now.
    package static func revoked(_ revocation: Revocation, asker: Asker, denials: [Decision] = []) -> ErrorReply {
        let need = revocation.need
        if revocation.reason == .leaseLost {
            var error = refusal(.noLease, of: need, to: asker)
            error.cause = revocation.reason.rawValue
            return error
        }
        let who = revocation.by.map { " by \($0)" } ?? ""
        var error = ErrorReply(
            .revoked,
            "The permission for \(need) has ended",
            reason: "It was ended\(who) at \(revocation.at): \(revocation.reason.rawValue).",
            recoverySuggestion: recovery(from: revocation, asker, denials),
            cause: revocation.reason.rawValue
        )
        error.parameters = parameters(need, asker).merging(
            [
                "reason": revocation.reason.rawValue, "by": revocation.by?.description ?? "",
                "at": revocation.at.description,
            ]
        ) { _, new in new }
        if revocation.unfinished == .discarded { error = error.telling(.discarded) }
        return error
    }

    /// Whether work has ended by somebody who wanted nothing left of what it was making.
    package var discardsUnfinished: Bool {
        code == .revoked && parameters?["unfinished"] == Unfinished.discarded.rawValue
    }

    /// The same error, which tells what becomes, or became, of what the work was making.
    package func telling(_ unfinished: Unfinished) -> ErrorReply {
        var reply = self
        reply.parameters = (parameters ?? [:]).merging(["unfinished": unfinished.rawValue]) { $1 }
        return reply
    }

    private static func recovery(from revocation: Revocation, _ asker: Asker, _ denials: [Decision]) -> String {
        let need = revocation.need
        switch revocation.reason {
        case .restricted:
            return "Ask whoever administers this machine to change its policy, or to switch it on again with "
                + "`obscura permissions switch`."
        case .stopped:
            return "This one use was ended; what was decided stands, and the request can be made again."
        default:
            if !denials.isEmpty { return reset(need, denials) }
            return command("grant", need.resource, need.access, asker.principal, nil)
        }
    }

    /// The command of the operator that changes a decision, quoted for a shell.
    ///
    /// - Parameters:
    ///   - verb: `grant`, `deny`, `revoke` or `reset`.
    ///   - resource: What it is about.
    ///   - access: Left out where the resource has no other.
    ///   - principal: Whom it is about.
    ///   - label: Narrows it.
    /// - Returns: One line.
    package static func command(
        _ verb: String,
        _ resource: Resource,
        _ access: Access,
        _ principal: Principal,
        _ label: String?
    ) -> String {
        var words = ["obscura", "permissions", verb, "--resource", resource.description]
        if resource.accesses != [access] { words += ["--access", access.rawValue] }
        words += ["--principal", principal.description]
        if let label { words += ["--label", label] }
        return words.map(quoted).joined(separator: " ")
    }

    /// The command that takes away all these denials of a need, and as little else as one command can.
    private static func reset(_ need: Need, _ denials: [Decision]) -> String {
        guard let first = denials.first else { preconditionFailure("There is a denial to take away") }
        let widest = denials.first { $0.resource.isPattern }?.resource ?? first.resource
        let label = denials.allSatisfy { $0.label == first.label } ? first.label : nil
        // A denial of less refuses the need, too, and is forgotten by its own access.
        let accesses = need.resource.accesses.filter { access in denials.contains { $0.access == access } }
        return command("reset", widest, accesses.first ?? need.access, first.principal, label)
    }

    /// The error that the first of these needs has.
    private static func denial(of needs: [Need], suggesting suggestion: String) -> ErrorReply {
        switch (needs[0].resource, needs[0].access) {
        case (.library, .read):
            return .accessDenied(recoverySuggestion: suggestion)
        case (.library, _):
            return .dataUnavailable(cause: "accessDenied", recoverySuggestion: suggestion)
        default:
            return ErrorReply(
                .accessDenied,
                "Access denied",
                reason: "The user has denied the application access to "
                    + needs.map(\.resource.description).joined(separator: " and ") + ".",
                recoverySuggestion: suggestion
            )
        }
    }

    private static func parameters(_ need: Need, _ asker: Asker) -> [String: String] {
        [
            "resource": need.resource.description, "access": need.access.rawValue,
            "principal": asker.principal.description,
        ]
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [45, 46, 47, 58, 61, 64, 95].contains(byte)
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
