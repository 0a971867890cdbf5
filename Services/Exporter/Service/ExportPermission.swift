package import Consent
private import MessageSchema
package import ServiceRuntime

/// Who lets an export happen: the gate, or a test.
package struct ExportPermission: Sendable {
    /// What every export needs; what is missing is asked for in one prompt.
    package static let needs = [Need(.export, .use), Need(.library, .read)]
    /// What pictures with a place need besides; asked for in the same prompt, as nobody knows the pictures before it.
    package static let location = Need(.location, .read)

    /// Returns when both are allowed, after asking the person if the asker may; throws the error for the program.
    package var pass: @Sendable (Asker) async throws -> ExportPass

    package init(pass: @escaping @Sendable (Asker) async throws -> ExportPass) { self.pass = pass }

    /// Permission by the gate's copy of the decisions.
    package init(_ gate: ConsentGate) {
        self.init { asker in
            let (authorization, question, unanswered) = try await Self.authorize(gate, asker)
            let place = await Self.place(gate, asker, question)
            var delegation = authorization.delegation(of: Need(.library, .read))
            let grants = [delegation.grant, place?.delegation(of: Self.location).grant].compactMap(\.self)
            delegation.grant = grants.isEmpty ? nil : grants.joined(separator: " ")
            return ExportPass(
                check: { try authorization.check() },
                delegation: delegation,
                locationRefusal: { Self.locationRefusal(gate, asker, unanswered) },
                end: {
                    authorization.end()
                    place?.end()
                    // What it brought `once` and no picture needed was for this export alone.
                    question?.end()
                }
            )
        }
    }

    /// Asks for the location too where nobody has decided about it.
    ///
    /// Without it the library keeps back the pictures with a place, which are named as failed; the others are exported.
    ///
    /// - Returns: What the export rests on; the question, which ends with the export; and what came of the question, where
    ///   there was no answer.
    private static func authorize(
        _ gate: ConsentGate,
        _ asker: Asker
    ) async throws -> (authorization: Authorization, question: Authorization?, unanswered: ErrorReply?) {
        guard asker.mayPrompt, case .notDetermined = gate.standing(of: location, for: asker) else {
            return (try await gate.authorize(needs, for: asker), nil, nil)
        }
        let question: Authorization
        do {
            // Only asks, and is no use: what is `once` is redeemed below, and the location by the library.
            let everything = needs + [location]
            question = try await gate.authorize(everything, for: asker, handingOn: everything, isUse: false)
        } catch let error as ErrorReply {
            var silent = asker
            silent.mayPrompt = false
            // Not worse than without the question; else the answer to it is what the program is told.
            guard let authorization = try? await gate.authorize(needs, for: silent) else { throw error }
            return (authorization, nil, error)
        }
        var own = asker
        own.grants += question.grants.map(\.id)
        return (try await gate.authorize(needs, for: own), question, nil)
    }

    /// The permission to see where pictures were taken, for all of the export; nil where there is none.
    ///
    /// It is apart from the rest: an export goes on without the location when that is taken away.
    private static func place(_ gate: ConsentGate, _ asker: Asker, _ question: Authorization?) async -> Authorization? {
        guard case .allowed = gate.standing(of: location, for: asker) else { return nil }
        var silent = asker
        silent.mayPrompt = false
        silent.grants += (question?.grants ?? []).map(\.id)
        // Somebody else was quicker to use up what was given once: pictures with a place are kept back. It is no use of its own:
        // the library tells where it shows a place.
        return try? await gate.authorize([location], for: silent, isUse: false)
    }

    /// What stands against the location now; where there is no decision, what came of the question.
    private static func locationRefusal(
        _ gate: ConsentGate,
        _ asker: Asker,
        _ unanswered: ErrorReply?
    ) -> ErrorReply {
        let answer = gate.standing(of: location, for: asker)
        if case .notDetermined = answer, var unanswered {
            // The question was about more than the location; what is missing is the location.
            let missing = ErrorReply.refusal(answer, of: location, to: asker)
            unanswered.parameters = missing.parameters
            unanswered.recoverySuggestion = missing.recoverySuggestion
            return unanswered
        }
        let denials = gate.decisions.denials(of: location, principal: asker.principal, label: asker.decisionLabel)
        return ErrorReply.refusal(answer, of: location, to: asker, denials: denials)
    }
}
