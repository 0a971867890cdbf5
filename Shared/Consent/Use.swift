/// The name of something that a program does by its grants: `capture-1234-17`, the seventeenth use of one process of a service.
package struct UseID: TextCodable {
    /// The text: the service, its process and a number.
    package let description: String

    /// Takes a name: 1 to 128 characters that are safe inside a quoted shell word.
    package init?(_ description: String) {
        guard Resource.isID(description) else { return nil }
        self.description = description
    }

    /// The name of the `number`-th use of a process of a service.
    package init(_ service: Role, process: Int32, number: UInt64) {
        description = "\(service.rawValue)-\(process)-\(number)"
    }
}

/// A use that an operator ended without changing a decision.
package struct StoppedUse: Codable, Hashable, Sendable {
    /// The use.
    package var use: UseID
    /// The operator.
    package var by: Principal
    /// When.
    package var at: Moment
    /// What becomes of what it was making; kept when absent.
    package var unfinished: Unfinished?

    /// Makes one.
    package init(use: UseID, by: Principal, at: Moment, unfinished: Unfinished? = nil) {
        self.use = use
        self.by = by
        self.at = at
        self.unfinished = unfinished
    }
}
