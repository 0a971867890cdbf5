package import Consent
private import FoundationEssentials

/// The policy file: who may speak for the person, what is forbidden, and which runtimes' containers are known.
package struct Policy: Sendable, Hashable {
    /// Operators beside root: principals such as `uid:1000` and `unit:panel.service`, and groups as `group:video`.
    package let operators: [String]
    /// Control group prefixes below which a container's name is proof, such as `/machine.slice/`.
    package let containers: [String]
    /// What nobody can allow: `camera/*` for everybody, `camera/* for uid:1000` for one principal.
    package let restrictions: [Restriction]

    private static let names = ["operators", "restricted", "containers"]

    /// Nobody but root, nothing forbidden.
    package init() {
        operators = []
        containers = []
        restrictions = []
    }

    /// Reads a policy.
    ///
    /// - Throws: ``PolicyError`` that says which entry is wrong.
    package init(decoding bytes: [UInt8]) throws(PolicyError) {
        let lists: [String: [String]]
        do {
            lists = try JSONDecoder().decode([String: [String]].self, from: Data(bytes))
        } catch {
            throw PolicyError(
                description: "the policy is not a JSON object with the lists \"operators\", \"restricted\" and "
                    + "\"containers\""
            )
        }
        // A name that was misspelt would otherwise be a rule that is not kept.
        for name in lists.keys.sorted() where !Self.names.contains(name) {
            throw PolicyError(
                description: "\"\(name)\" is not known; there are \"operators\", \"restricted\" and \"containers\""
            )
        }
        operators = lists["operators"] ?? []
        containers = lists["containers"] ?? []
        for text in operators where Principal(text) == nil && !(text.hasPrefix("group:") && text.utf8.count > 6) {
            throw PolicyError(description: "\"\(text)\" in \"operators\" is no principal and no group")
        }
        var restrictions: [Restriction] = []
        for text in lists["restricted"] ?? [] {
            guard let restriction = Restriction(text) else {
                throw PolicyError(
                    description: "\"\(text)\" in \"restricted\" is no resource, and no \"RESOURCE for PRINCIPAL\""
                )
            }
            restrictions.append(restriction)
        }
        self.restrictions = restrictions
        for text in containers where !(text.hasPrefix("/") && text.hasSuffix("/")) {
            throw PolicyError(description: "\"\(text)\" in \"containers\" does not begin and end with /")
        }
    }
}

/// Why a policy is refused.
package struct PolicyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}
