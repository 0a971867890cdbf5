/// Why a movie could not be written or recovered.
package struct MovieError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, for callers to switch on.
    package enum Code: String, Sendable {
        /// The disk is full, or its file system takes no larger file; what was written so far can still be finished.
        case noSpace
        /// Another input or output error; `errorNumber` tells. The file's state on disk is not known.
        case inputOutput
        /// The file was there already, or is not there.
        case notCreated
        /// A frame is not later than the one before it.
        case timeWentBack
        /// A frame without bytes, or of 4 GiB.
        case badFrame
        /// The movie failed or was finished before; nothing more can be added.
        case closed
        /// There is no movie to recover: no head, or not one whole frame.
        case nothingToRecover
    }

    package let code: Code

    /// errno, where a system call failed.
    package let errorNumber: Int32?

    package init(_ code: Code, errorNumber: Int32? = nil) {
        self.code = code
        self.errorNumber = errorNumber
    }

    package var description: String {
        errorNumber.map { "\(code.rawValue) (errno \($0))" } ?? code.rawValue
    }
}
