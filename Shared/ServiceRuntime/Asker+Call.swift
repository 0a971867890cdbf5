package import Consent
private import MessageSchema
package import Messaging
private import Timekeeping

extension Asker {
    /// The program for which a request is: the caller, or whom a service works for.
    ///
    /// Its grant comes from a proven role alone.
    package init(_ call: Call) {
        self.init(
            principal: call.principal,
            label: call.label,
            purpose: call.purpose,
            mayPrompt: call.mayPrompt,
            grants: call.onBehalfOf?.grant?.split(separator: " ").compactMap { DecisionID(String($0)) } ?? [],
            caller: call.caller
        )
        question = call.question
        if let deadline = call.deadline { patience = max(.zero, BootInstant.now().duration(to: deadline)) }
    }
}

extension ConsentGate {
    /// Returns when everything that a request needs is allowed, after asking the person, once, for what nobody decided.
    ///
    /// As `authorize(_:for:handingOn:)` for an asker.
    ///
    /// - Throws: The `ErrorReply` for the program.
    package func authorize(_ needs: [Need], for call: Call, handingOn: [Need] = []) async throws -> Authorization {
        try await authorize(needs, for: Asker(call), handingOn: handingOn)
    }
}
