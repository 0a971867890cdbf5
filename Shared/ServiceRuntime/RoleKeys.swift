package import Consent
private import FoundationEssentials
private import Hashing

/// What a service needs to prove its role, and to check the others': handed over by the supervisor.
package struct RoleKeys: Sendable, Codable, Hashable {
    package var role: Role
    /// This role's secret, in hexadecimal; it is sent to the other services' role sockets as the PLAIN password.
    package var key: String
    /// The SHA-256 of each role's key, in hexadecimal: enough to check a proof and too little to give one.
    package var verifiers: [String: String]

    /// Reads what ``encoded`` wrote.
    ///
    /// - Throws: `DecodingError` for anything else.
    package init(decoding bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(RoleKeys.self, from: Data(bytes))
    }

    init(role: Role, key: String, verifiers: [String: String]) {
        self.role = role
        self.key = key
        self.verifiers = verifiers
    }

    /// One JSON object.
    package var encoded: [UInt8] {
        get throws { try Array(JSONEncoder().encode(self)) }
    }
}

/// The keys of all roles of one cluster; made anew at each start of its supervisor.
package struct RoleKeyring: Sendable {
    private let keys: [Role: String]

    /// Makes 256-bit keys from the system's random source.
    package init() {
        keys = Dictionary(
            uniqueKeysWithValues: Role.allCases.map { role in
                (role, randomBytes(32).map { Self.hexadecimal($0) }.joined())
            }
        )
    }

    /// What the service with `role` is handed.
    package func keys(for role: Role) -> RoleKeys {
        let verifiers = keys.map { ($0.key.rawValue, SHA256Digest(hashing: Array($0.value.utf8)).description) }
        return RoleKeys(role: role, key: keys[role] ?? "", verifiers: Dictionary(uniqueKeysWithValues: verifiers))
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}
