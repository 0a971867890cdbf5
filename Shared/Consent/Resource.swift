/// Something a person can allow or refuse: `camera/<id>`, `microphone/<id>`, `library`, `location`, `export`.
///
/// The id `*` makes a pattern that stands for all of its kind: `camera/*`. Requests name things, decisions may name patterns.
package enum Resource: TextCodable {
    case camera(String)
    case microphone(String)
    case library
    case location
    case export

    package init?(_ description: String) {
        switch description {
        case "library": self = .library
        case "location": self = .location
        case "export": self = .export
        default:
            guard let slash = description.firstIndex(of: "/") else { return nil }
            let id = String(description[description.index(after: slash)...])
            guard id == Self.wildcard || Self.isID(id) else { return nil }
            switch description[..<slash] {
            case "camera": self = .camera(id)
            case "microphone": self = .microphone(id)
            default: return nil
            }
        }
    }

    package var description: String {
        switch self {
        case .camera(let id): "camera/\(id)"
        case .microphone(let id): "microphone/\(id)"
        case .library: "library"
        case .location: "location"
        case .export: "export"
        }
    }

    /// The id that stands for every camera or microphone.
    package static let wildcard = "*"

    /// Whether this names all of a kind instead of one thing.
    package var isPattern: Bool {
        switch self {
        case .camera(let id), .microphone(let id): id == Self.wildcard
        case .library, .location, .export: false
        }
    }

    /// Whether this is written like a camera and names a place where cameras look: `front`, `back` or `external`.
    ///
    /// Which camera looks there changes as cameras come and go; decisions and requests are about cameras.
    package var isPosition: Bool {
        guard case .camera(let id) = self else { return false }
        return ["front", "back", "external"].contains(id)
    }

    /// Whether this is a microphone, or all of them.
    package var isMicrophone: Bool {
        if case .microphone = self { true } else { false }
    }

    /// Whether everything that `other` names is named by this resource or pattern too.
    package func covers(_ other: Resource) -> Bool {
        switch (self, other) {
        case (.camera(let mine), .camera(let theirs)), (.microphone(let mine), .microphone(let theirs)):
            mine == Self.wildcard || mine == theirs
        default:
            self == other
        }
    }

    /// Whether something is named by both.
    package func overlaps(_ other: Resource) -> Bool {
        covers(other) || other.covers(self)
    }

    /// What can be asked for, from the least to the most.
    package var accesses: [Access] {
        switch self {
        case .camera, .microphone, .export: [.use]
        case .library: [.addOnly, .read, .readWrite]
        case .location: [.read]
        }
    }

    /// The least that can be asked for; what is meant where no access is given.
    package var leastAccess: Access {
        switch self {
        case .camera, .microphone, .export: .use
        case .library: .addOnly
        case .location: .read
        }
    }

    /// 1 to 128 printable ASCII characters except space, `*`, `/`, `"`, `'`, `` ` ``, `$` and `\`: safe inside a quoted shell word.
    package static func isID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x21...0x7e).contains(byte) && ![0x2a, 0x2f, 0x22, 0x27, 0x60, 0x24, 0x5c].contains(byte)
            }
    }
}
