import Consent
package import MessageSchema
package import Messaging

extension CallerRule {
    /// Admits those who may speak for the person, and tells the others whom to ask; the server logs who was refused.
    ///
    /// Who that is, is asked for each caller, so that a policy that was read again holds.
    package static func operators(
        _ operators: @autoclosure @escaping @Sendable () -> Operators,
        of service: ServiceName
    ) -> CallerRule {
        .admitting { caller in
            guard !operators().include(caller) else { return nil }
            return ErrorReply(
                .operatorRequired,
                "Only an operator may ask the \(service.rawValue) for this",
                reason: "\(caller.principal) is not an operator of this cluster.",
                recoverySuggestion:
                    "Ask an operator, or have root add \(caller.principal) to \"operators\" in the policy file."
            )
        }
    }
}
