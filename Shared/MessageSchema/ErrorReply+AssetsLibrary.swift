/// The errors of the Assets Library, with the strings it used where they are known.
extension ErrorReply {
    /// -3302: the data can not be viewed or played, or a file is out of the caller's reach.
    ///
    /// - Parameters:
    ///   - cause: A word for programs.
    ///   - found: What exactly was found, for a person; the sentence stays the Assets Library's, and it is the parameter
    ///     `found`.
    /// - Returns: The error.
    package static func invalidData(cause: String? = nil, found: String? = nil) -> ErrorReply {
        var error = assetsLibrary(
            -3302,
            .invalidData,
            "Invalid data",
            reason:
                "There was a problem writing this asset because the data is invalid and cannot be viewed or played.",
            recoverySuggestion: "Try with different data",
            cause: cause
        )
        error.parameters = found.map { ["found": $0] }
        return error
    }

    /// -3310: a write that the person denied arrives so, with the true cause beside it.
    package static func dataUnavailable(cause: String, recoverySuggestion: String) -> ErrorReply {
        .assetsLibrary(
            -3310,
            .dataUnavailable,
            "Data unavailable",
            reason: "The user has denied the application access to their media.",
            recoverySuggestion: recoverySuggestion,
            cause: cause
        )
    }

    /// -3311: the person denied reading the library.
    package static func accessDenied(recoverySuggestion: String) -> ErrorReply {
        .assetsLibrary(
            -3311,
            .accessDenied,
            "User denied access",
            reason: "The user has denied the application access to their media.",
            recoverySuggestion: recoverySuggestion
        )
    }

    /// -3312: policy or the global switch forbids it to everybody.
    package static func accessRestricted(reason: String, recoverySuggestion: String) -> ErrorReply {
        .assetsLibrary(
            -3312,
            .accessRestricted,
            "Access restricted",
            reason: reason,
            recoverySuggestion: recoverySuggestion
        )
    }

    /// -3300: an asset can not be changed, or the write failed.
    package static func writeFailed(reason: String, cause: String? = nil) -> ErrorReply {
        .assetsLibrary(-3300, .writeFailed, "Write failed", reason: reason, cause: cause)
    }

    /// -3301: the writer is busy; the error says when to try again.
    package static func writeBusy(retryAfter milliseconds: Int) -> ErrorReply {
        var error = assetsLibrary(
            -3301,
            .writeBusy,
            "Write busy",
            reason: "There was a problem writing this asset because the writing resources are busy.",
            recoverySuggestion: "Try to write again"
        )
        error.retryAfter = milliseconds
        return error
    }

    /// -3305: the disk is full; says in bytes what is needed and what is there.
    package static func diskFull(needed: Int64, available: Int64) -> ErrorReply {
        var error = assetsLibrary(
            -3305,
            .diskFull,
            "Out of disk space",
            reason: "\(needed) bytes are needed and \(available) bytes are free on the media store's file system.",
            recoverySuggestion: "Free some space on that file system and try again."
        )
        error.parameters = ["bytesNeeded": String(needed), "bytesAvailable": String(available)]
        return error
    }

    /// An export that does not fit where it is to lie.
    package static func noRoom(needed: Int64, free: Int64) -> ErrorReply {
        ErrorReply(
            .diskFull,
            "There is not enough room at the destination",
            reason: "\(needed) bytes are needed, \(free) are free.",
            parameters: ["bytesNeeded": "\(needed)", "bytesFree": "\(free)"]
        )
    }
}
