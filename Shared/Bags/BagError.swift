package import Files

/// Why a bag can not be written or read.
package struct BagError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The directory has something else in it.
        case notABag
        /// The bag's copies have another privacy profile than those that were to come.
        case otherProfile
        /// A bag whose manifest has not been written yet.
        case unfinished
        /// Another process writes into the bag.
        case inUse
        /// Other files have all the names that the asset could get.
        case nameTaken
        /// The bytes that came are not those that were announced.
        case contentMismatch
        /// A tag file can not be understood.
        case damagedTagFile
        /// The file system refused; see `cause`.
        case files
    }

    package let code: Code
    /// What happened, in words.
    package let detail: String
    /// The file system's refusal.
    package let cause: FilesError?

    package init(_ code: Code, _ detail: String, cause: FilesError? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }

    /// The file system's refusal.
    package init(_ cause: FilesError) {
        self.init(.files, cause.description, cause: cause)
    }

    /// Whether the disk or the quota is full.
    package var isOutOfSpace: Bool { cause?.code == .noSpace }

    package var description: String { detail }
}

/// Runs calls of `Files` and turns their error into a bag's.
func bagging<Result: ~Copyable>(_ body: () throws(FilesError) -> Result) throws(BagError) -> Result {
    do throws(FilesError) {
        return try body()
    } catch {
        throw BagError(error)
    }
}
