private import CSQLite

/// An extended result code (sqlite.org/rescode.html).
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The low byte: the kind of failure.
    package var primary: Int32 { rawValue & 0xFF }

    /// A UNIQUE or PRIMARY KEY constraint was in the way.
    package var isUniqueness: Bool {
        rawValue == SQLITE_CONSTRAINT | 8 << 8 || rawValue == SQLITE_CONSTRAINT | 6 << 8
    }
}
