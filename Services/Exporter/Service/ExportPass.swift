import Media
package import MessageSchema

/// That a job or stream may go on: asked before every chunk.
package struct ExportPass: Sendable {
    /// Throws the error for the program as soon as something was taken away.
    package var check: @Sendable () throws -> Void
    /// For whom, and by which grant, the library is read.
    package var delegation: Delegation
    /// Why the location may not be seen, as a read of the original would say it.
    package var locationRefusal: @Sendable () -> ErrorReply
    /// The work is over.
    package var end: @Sendable () -> Void

    package init(
        check: @escaping @Sendable () throws -> Void,
        delegation: Delegation,
        locationRefusal: @escaping @Sendable () -> ErrorReply,
        end: @escaping @Sendable () -> Void
    ) {
        self.check = check
        self.delegation = delegation
        self.locationRefusal = locationRefusal
        self.end = end
    }

    /// The failure of an asset whose original may say where it was taken, and is hidden for that.
    func hiding(_ url: AssetURL) -> ExportFailure {
        var failure = ExportFailure(url: url, locationRefusal())
        failure.reason = "It may say where it was taken. \(failure.reason)"
        return failure
    }
}
