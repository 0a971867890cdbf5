package import Files

/// Notices that the policy file is another one: written, replaced, made or removed.
///
/// A value that is given a look now and then; a change counts when the next look finds the same, so that a file that is
/// being written is not read in the middle.
package struct PolicyWatch: Sendable {
    private var known: FileStatus?
    private var seen: FileStatus?

    /// Watches from what the file was when it was read; nil for none.
    package init(from status: FileStatus?) {
        known = status
        seen = status
    }

    /// Takes what the file is now.
    ///
    /// - Returns: Whether the policy has to be read again.
    package mutating func look(_ status: FileStatus?) -> Bool {
        defer { seen = status }
        guard status == seen, status != known else { return false }
        known = status
        return true
    }
}
