/// A message that is answered by one reply.
package protocol Request: Codable, Sendable, ParameterChecking {
    associatedtype Reply: Codable & Sendable
    /// The name on the wire, such as `library.asset`.
    static var name: String { get }
}

/// A message that is answered by a stream of items, closed by one `end` with a summary.
///
/// An item's bytes, where it has any, travel as attachments.
package protocol StreamRequest: Codable, Sendable, ParameterChecking {
    associatedtype Item: Codable & Sendable
    associatedtype Summary: Codable & Sendable
    /// The name on the wire, such as `library.assets`.
    static var name: String { get }
    /// How many items the receiver can allow ahead; more is taken as this.
    static var creditLimit: Int { get }
}

extension StreamRequest {
    package static var creditLimit: Int { Limits.credit }
}

/// A message that is followed by a stream of chunks from the client, and answered by one reply.
///
/// Each item's single attachment is the next chunk; the client's `end` says how many bytes there were.
package protocol UploadRequest: Codable, Sendable, ParameterChecking {
    associatedtype Reply: Codable & Sendable
    /// The name on the wire, such as `library.save`.
    static var name: String { get }
}

/// A body with nothing in it.
package struct Empty: Codable, Hashable, Sendable {
    package init() {}
}
