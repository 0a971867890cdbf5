/// A program that asks, named by what was proven about it and never by what it says.
///
/// The text form is used in messages, in the database and on the command line: `uid:1000`, `unit:booth.service`,
/// `key:<64 hexadecimal digits>`, `container:NAME`.
package enum Principal: TextCodable {
    /// All programs of one user.
    case user(UInt32)
    /// A systemd system unit.
    case unit(String)
    /// The holder of an enrolled CURVE key, by its public key in lower-case hexadecimal digits.
    case key(String)
    /// A container below a configured runtime prefix.
    case container(String)

    package init?(_ description: String) {
        guard let colon = description.firstIndex(of: ":") else { return nil }
        let value = String(description[description.index(after: colon)...])
        switch description[..<colon] {
        case "uid":
            guard let user = Self.decimal(value) else { return nil }
            self = .user(user)
        case "unit" where Self.isName(value) && value.hasSuffix(".service") && value.utf8.count > 8:
            self = .unit(value)
        case "key" where value.utf8.count == 64 && value.utf8.allSatisfy(Self.isLowercaseHex):
            self = .key(value)
        case "container" where Self.isName(value):
            self = .container(value)
        default:
            return nil
        }
    }

    package var description: String {
        switch self {
        case .user(let user): "uid:\(user)"
        case .unit(let name): "unit:\(name)"
        case .key(let digits): "key:\(digits)"
        case .container(let name): "container:\(name)"
        }
    }

    /// What made this identity certain.
    package var proof: Proof {
        switch self {
        case .user: .peerCredentials
        case .unit: .systemUnit
        case .key: .enrolledKey
        case .container: .containerRuntime
        }
    }

    private static func decimal(_ text: String) -> UInt32? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = UInt32(text), String(value) == text else {
            return nil
        }
        return value
    }

    private static func isLowercaseHex(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...102).contains(byte)
    }

    /// Unit names: letters, digits and `:-_.\@`, at most 255 bytes (systemd.unit(5)).
    private static func isName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || [58, 45, 95, 46, 92, 64].contains(byte)
            }
    }
}

/// How a principal was proven; the word after `provenBy` in messages.
package enum Proof: String, Codable, Sendable, Hashable, CaseIterable {
    /// The kernel's credentials of the peer of a local socket: its user.
    case peerCredentials = "uid"
    /// The control group of the peer is exactly that of a systemd system unit.
    case systemUnit = "unit"
    /// The peer proved to hold an enrolled CURVE key.
    case enrolledKey = "key"
    /// The control group of the peer lies below a configured container runtime prefix.
    case containerRuntime = "container"
}

/// What a service is; always proven, with the supervisor's key or the service's unit.
package enum Role: String, Codable, Sendable, Hashable, CaseIterable {
    case coordinator, probe, capture, library, exporter

    /// Whether work that needs this is done by the service, so that it is the one that uses up a `once` grant for it.
    ///
    /// An export reads the library many times by one grant, which the exporter uses up for all of them; and what a photo
    /// needs is used up together, so that no other request can take the place for it meanwhile.
    package func redeems(_ need: Need) -> Bool {
        switch (self, need.resource) {
        case (.capture, .camera), (.capture, .microphone), (.library, .library), (.library, .location): true
        case (.exporter, .export): true
        case (.capture, .library): need.access == .addOnly
        case (.exporter, .library), (.exporter, .location): need.access == .read
        default: false
        }
    }
}
