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
    /// - Returns: The error; its recovery suggestion is the exact command that changes the answer.
    package static func refusal(_ answer: GateAnswer, of need: Need, to asker: Asker) -> ErrorReply {
        var error: ErrorReply
        switch answer {
        case .denied(let decision):
            error = denial(of: need, by: decision)
            error.parameters = [
                "decidedAt": decision.decidedAt.description, "decidedBy": decision.decidedBy.description,
            ]
        case .restricted(let resource):
            error = .accessRestricted(
                reason: "The policy of this machine forbids \(resource) to everybody.",
                recoverySuggestion: "Ask whoever administers this machine to change its policy."
            )
            error.cause = "policy"
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
        }
        error.parameters = (error.parameters ?? [:]).merging(parameters(need, asker)) { old, _ in old }
        return error
    }

    /// The error that ends running work.
    package static func revoked(_ revocation: Revocation, asker: Asker) -> ErrorReply {
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
            recoverySuggestion: revocation.reason == .restricted
                ? "Ask whoever administers this machine to change its policy."
                : command("reset", need.resource, need.access, asker.principal, nil),
            cause: revocation.reason.rawValue
        )
        error.parameters = parameters(need, asker).merging(
            [
                "reason": revocation.reason.rawValue, "by": revocation.by?.description ?? "",
                "at": revocation.at.description,
            ]
        ) { _, new in new }
        return error
    }

    /// The command of the operator that changes a decision, quoted for a shell.
    ///
    /// - Parameters:
    ///   - verb: `grant`, `deny`, `revoke` or `reset`.
    ///   - resource: What it is about.
    ///   - access: Left out where it is the least that the resource has.
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
        if access != resource.leastAccess { words += ["--access", access.rawValue] }
        words += ["--principal", principal.description]
        if let label { words += ["--label", label] }
        return words.map(quoted).joined(separator: " ")
    }

    private static func denial(of need: Need, by decision: Decision) -> ErrorReply {
        let suggestion = command("reset", decision.resource, decision.access, decision.principal, decision.label)
        switch (need.resource, need.access) {
        case (.library, .read):
            return .accessDenied(recoverySuggestion: suggestion)
        case (.library, _):
            return .dataUnavailable(cause: "accessDenied", recoverySuggestion: suggestion)
        default:
            return ErrorReply(
                .accessDenied,
                "Access denied",
                reason: "The user has denied the application \(need.resource).",
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
