package import Consent
package import MessageSchema

/// Who may send a request at all; consent is another question, which the handler asks.
package struct CallerRule: Sendable {
    let refusal: @Sendable (PeerIdentity) -> ErrorReply?

    /// Everybody whose identity is proven.
    package static let anyone = CallerRule { _ in nil }

    /// Services alone.
    package static let anyRole = CallerRule { $0.role == nil ? .roleRequired : nil }

    /// These services alone.
    package static func roles(_ roles: Role...) -> CallerRule {
        CallerRule { caller in caller.role.map(roles.contains) == true ? nil : .roleRequired }
    }

    /// Whoever gets no error from the closure, which runs on the socket loop and must not block.
    package static func admitting(_ refusal: @escaping @Sendable (PeerIdentity) -> ErrorReply?) -> CallerRule {
        CallerRule(refusal: refusal)
    }

    /// The same rule, which tells whom it refuses and why; the closure runs on the socket loop and must not block.
    package func telling(_ refused: @escaping @Sendable (PeerIdentity, ErrorReply) -> Void) -> CallerRule {
        CallerRule { [refusal] caller in
            guard let error = refusal(caller) else { return nil }
            refused(caller, error)
            return error
        }
    }
}

extension ErrorReply {
    /// What a program gets that speaks as a service.
    package static var roleRequired: ErrorReply {
        ErrorReply(
            .roleRequired,
            "Only a service of the cluster may do this."
        )
    }
}
