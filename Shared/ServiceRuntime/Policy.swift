package import Consent
private import FoundationEssentials

/// The policy file: who may speak for the person, what is forbidden, what is allowed without a question, and which runtimes'
/// containers are known.
package struct Policy: Sendable, Hashable {
    /// Operators beside root: principals such as `uid:1000` and `unit:panel.service`, and groups as `group:video`.
    package let operators: [String]
    /// Control group prefixes below which a container's name is proof, such as `/machine.slice/`.
    package let containers: [String]
    /// What nobody can allow: `camera/*` for everybody, `camera/* for uid:1000` for one principal.
    package let restrictions: [Restriction]
    /// What is allowed where nobody has decided: `camera/* use for unit:booth.service`.
    package let granted: [PolicyGrant]

    /// What a policy may say.
    package static let names = ["operators", "restricted", "granted", "containers"]

    private static let spokenNames = "\"operators\", \"restricted\", \"granted\" and \"containers\""

    private static func spoken(_ text: String) -> String { "\"\(EscapedText.shown(text, limit: 60))\"" }

    /// Nobody but root, nothing forbidden.
    package init() {
        operators = []
        containers = []
        restrictions = []
        granted = []
    }

    /// Reads a policy.
    ///
    /// - Throws: ``PolicyError`` that says which entry is wrong.
    package init(decoding bytes: [UInt8]) throws(PolicyError) {
        let values: [String: PolicyValue]
        do {
            values = try JSONDecoder().decode([String: PolicyValue].self, from: Data(bytes))
        } catch {
            throw PolicyError(description: "the policy is not a JSON object with the lists \(Self.spokenNames)")
        }
        // A name that was misspelt would otherwise be a rule that is not kept.
        let unknown = values.keys.filter { !Self.names.contains($0) }.sorted().map { Self.spoken($0) }
        guard unknown.isEmpty else {
            let are = unknown.count == 1 ? "is" : "are"
            throw PolicyError(
                description: "\(unknown.joined(separator: " and ")) \(are) not known; there are \(Self.spokenNames)"
            )
        }
        var lists: [String: [String]] = [:]
        for name in Self.names {
            switch values[name] {
            case .list(let texts)?: lists[name] = texts
            case .other?: throw PolicyError(description: "\(Self.spoken(name)) is not a list of texts")
            case nil: break
            }
        }
        operators = lists["operators"] ?? []
        containers = lists["containers"] ?? []
        for text in operators where Principal(text) == nil && !(text.hasPrefix("group:") && text.utf8.count > 6) {
            throw PolicyError(description: "\(Self.spoken(text)) in \"operators\" is no principal and no group")
        }
        var restrictions: [Restriction] = []
        for text in lists["restricted"] ?? [] {
            guard let restriction = Restriction(text), !restriction.isSwitch else {
                throw PolicyError(
                    description:
                        "\(Self.spoken(text)) in \"restricted\" is no resource, and no \"RESOURCE for PRINCIPAL\""
                )
            }
            guard !restriction.resource.isPosition else {
                throw PolicyError(position: Self.spoken(text), in: "restricted")
            }
            restrictions.append(restriction)
        }
        self.restrictions = restrictions
        granted = try Self.grants(lists["granted"] ?? [])
        for text in containers where !(text.hasPrefix("/") && text.hasSuffix("/")) {
            throw PolicyError(description: "\(Self.spoken(text)) in \"containers\" does not begin and end with /")
        }
    }
}

extension Policy {
    fileprivate static func grants(_ texts: [String]) throws(PolicyError) -> [PolicyGrant] {
        var grants: [PolicyGrant] = []
        for text in texts {
            guard let grant = PolicyGrant(text) else {
                throw PolicyError(
                    description: "\(spoken(text)) in \"granted\" is no \"RESOURCE ACCESS for PRINCIPAL\", "
                        + "such as \"camera/* use for unit:booth.service\""
                )
            }
            guard !grant.resource.isPosition else { throw PolicyError(position: spoken(text), in: "granted") }
            grants.append(grant)
        }
        return grants
    }
}

/// Why a policy is refused.
package struct PolicyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}

extension PolicyError {
    fileprivate init(position text: String, in list: String) {
        description =
            "\(text) in \"\(list)\" names where cameras look, and no camera; "
            + "name one as `obscura cameras list` does, or \"camera/*\""
    }
}

/// What stands behind a name in a policy.
private enum PolicyValue: Decodable {
    case list([String])
    case other

    init(from decoder: any Decoder) throws {
        // Anything but a list of texts is named by the policy, not by the decoder.
        let texts = try? decoder.singleValueContainer().decode([String].self)
        self = texts.map { .list($0) } ?? .other
    }
}
