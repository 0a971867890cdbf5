package import Consent
private import FoundationEssentials

/// The policy file: who may speak for the person, what is forbidden, and which runtimes' containers are known.
package struct Policy: Sendable, Hashable, Codable {
    /// Operators beside root: principals such as `uid:1000` and `unit:panel.service`, and groups as `group:video`.
    package var operators: [String]?
    /// Control group prefixes below which a container's name is proof, such as `/machine.slice/`.
    package var containers: [String]?
    /// What nobody can allow: `camera/*` for everybody, `camera/* for uid:1000` for one principal.
    package var restricted: [String]?

    package init() {}

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
        for name in lists.keys.sorted() where !["operators", "restricted", "containers"].contains(name) {
            throw PolicyError(
                description: "\"\(name)\" is not known; there are \"operators\", \"restricted\" and \"containers\""
            )
        }
        operators = lists["operators"]
        containers = lists["containers"]
        restricted = lists["restricted"]
        for text in operators ?? [] where Principal(text) == nil && !(text.hasPrefix("group:") && text.utf8.count > 6) {
            throw PolicyError(description: "\"\(text)\" in \"operators\" is no principal and no group")
        }
        for text in restricted ?? [] where Restriction(text) == nil {
            throw PolicyError(
                description: "\"\(text)\" in \"restricted\" is no resource, and no \"RESOURCE for PRINCIPAL\""
            )
        }
        for text in containers ?? [] where !(text.hasPrefix("/") && text.hasSuffix("/")) {
            throw PolicyError(description: "\"\(text)\" in \"containers\" does not begin and end with /")
        }
    }
}

extension Policy {
    /// What is forbidden, in the order of the file.
    package var restrictions: [Restriction] { (restricted ?? []).compactMap(Restriction.init) }
}

/// Why a policy is refused.
package struct PolicyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}
