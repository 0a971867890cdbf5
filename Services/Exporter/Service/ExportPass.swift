package import MessageSchema

/// That a job or stream may go on: asked before every chunk.
package struct ExportPass: Sendable {
    /// Throws the error for the program as soon as something was taken away.
    package var check: @Sendable () throws -> Void
    /// For whom, and by which grant, the library is read.
    package var delegation: Delegation
    /// The work is over.
    package var end: @Sendable () -> Void

    package init(
        check: @escaping @Sendable () throws -> Void,
        delegation: Delegation,
        end: @escaping @Sendable () -> Void
    ) {
        self.check = check
        self.delegation = delegation
        self.end = end
    }
}
