import Consent

/// What a person calls a resource: `camera/front`, `camera/ID`, `'camera/*'`, `library`, or the name or position of a
/// camera or a microphone, as it is written everywhere else; ``Cluster/resource(_:)`` finds what is meant.
package struct ResourceName: LosslessStringConvertible, Hashable, Sendable {
    package let description: String

    /// Nil for an empty text, and for one that could steer a terminal.
    package init?(_ description: String) {
        guard !description.isEmpty, !description.hasControls else { return nil }
        self.description = description
    }

    /// What the name says is a camera or a microphone; nil where it can be either, or something else.
    var kind: Kind? {
        if description.hasPrefix("camera/") { return .camera }
        return description.hasPrefix("microphone/") ? .microphone : nil
    }

    /// The name without its kind.
    var word: String {
        guard kind != nil, let slash = description.firstIndex(of: "/") else { return description }
        return String(description[description.index(after: slash)...])
    }

    enum Kind: String {
        case camera, microphone
    }
}

/// A resource that was named, and whether anybody knows it now.
struct NamedResource: Sendable {
    let resource: Resource
    /// False for a camera or a microphone that is not there; true where nobody could be asked.
    let isKnown: Bool

    init(_ resource: Resource, isKnown: Bool = true) {
        self.resource = resource
        self.isKnown = isKnown
    }
}

extension String {
    /// Whether it has characters that move a cursor or end a line, C0, C1 and DEL.
    package var hasControls: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) } }
}

extension ValueReader<ResourceName> {
    /// A resource, as people write it.
    package static var resource: ValueReader<ResourceName> {
        .written("a resource such as camera/front, 'camera/*', the name of a camera, library, location or export")
    }
}

extension ValueReader<String> {
    /// The identity of a camera or a microphone, or a position.
    package static var device: ValueReader<String> {
        ValueReader(expecting: "an identity as a list of them has it, or front, back or external") { text in
            Resource.isID(text) ? text : nil
        }
    }

    /// A text without characters that steer a terminal.
    package static var name: ValueReader<String> {
        ValueReader(expecting: "a text without control characters") { $0.isEmpty || $0.hasControls ? nil : $0 }
    }
}
