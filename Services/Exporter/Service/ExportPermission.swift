package import Consent
package import ServiceRuntime

/// Who lets an export happen: the gate, or a test.
package struct ExportPermission: Sendable {
    /// What every export needs; what is missing is asked for in one prompt.
    package static let needs = [Need(.export, .use), Need(.library, .read)]

    /// Returns when both are allowed, after asking the person if the asker may; throws the error for the program.
    package var pass: @Sendable (Asker) async throws -> ExportPass

    package init(pass: @escaping @Sendable (Asker) async throws -> ExportPass) { self.pass = pass }

    /// Permission by the gate's copy of the decisions.
    package init(_ gate: ConsentGate) {
        self.init { asker in
            let authorization = try await gate.authorize(Self.needs, for: asker)
            return ExportPass(
                check: { try authorization.check() },
                delegation: authorization.delegation(of: Need(.library, .read)),
                end: { authorization.end() }
            )
        }
    }
}
