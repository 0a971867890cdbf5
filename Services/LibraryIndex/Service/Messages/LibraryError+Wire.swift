private import Files
private import Media
package import MessageSchema
private import SQLite

/// The one table from the library's errors to those of the wire.
extension LibraryError {
    /// What a program is told.
    package var reply: ErrorReply {
        switch code {
        case .empty: return .invalidData(cause: "empty", found: description)
        case .unusable(let reason): return .invalidData(cause: "unusable", found: reason)
        case .otherMediaType: return .invalidData(cause: "otherMediaType", found: description)
        case .otherContent: return .invalidData(cause: "otherContent", found: description)
        case .diskFull(let needed, let available): return .diskFull(needed: needed, available: available)
        case .writeBusy: return .writeBusy(retryAfter: 1000)
        case .writeFailed(let reason): return .writeFailed(reason: reason)
        case .noSuchAsset:
            return ErrorReply(
                .noSuchAsset,
                "No such asset",
                recoverySuggestion: "`obscura library list` shows the assets."
            )
        case .noSuchGroup:
            return ErrorReply(
                .noSuchGroup,
                "No such group",
                recoverySuggestion: "`obscura library groups` shows the groups."
            )
        case .notEditable:
            return .writeFailed(
                reason: "A program can edit only what it has saved itself.",
                cause: "notEditable"
            )
        case .changesExpired(let reason):
            return ErrorReply(
                .changeTokenExpired,
                "The change token has expired",
                reason: reason.words,
                recoverySuggestion: "List everything, and go on from a new token.",
                cause: reason.rawValue
            )
        case .contentLost(let state):
            return ErrorReply(
                .damaged,
                "The asset's bytes are \(state.rawValue)",
                reason: "The media store does not have the bytes that were saved.",
                recoverySuggestion: "Restore the media store from a backup, then run `obscura library verify`.",
                cause: state.rawValue
            )
        case .noPicture(let reason):
            return ErrorReply(.imageUnavailable, "No picture can be made of it", reason: reason)
        case .notRedacted(let reason):
            return ErrorReply(
                .imageUnavailable,
                "Its metadata can not be taken out",
                reason: reason,
                cause: "notRedacted"
            )
        case .invalidArgument(let parameter, let rule): return .invalidParameter(parameter, rule)
        case .idempotencyConflict:
            return ErrorReply(
                .idempotencyConflict,
                "The same key was used for another request",
                recoverySuggestion: "Use a new key for a new request."
            )
        case .alreadyRunning(let processID): return .libraryInUse(by: processID)
        case .storeLost:
            return ErrorReply(
                .cannotCreate,
                "The media store is not there",
                reason: "Its marker .obscura-media is missing or another library's.",
                recoverySuggestion: "Mount its disk; or, if the store is really gone, move the library's index away."
            )
        case .closing: return .libraryIsClosing
        case .noDecoder(let reason):
            return ErrorReply(
                .serviceUnavailable,
                "No decoder could be started",
                reason: reason,
                recoverySuggestion: "Install obscura-decoder beside obscura-library, or name it with --decoder.",
                retryAfter: 1000
            )
        }
    }
}

extension ErrorReply {
    /// The words for an error of the library, of its index or of its files; nil for what has none.
    package static func library(_ error: any Error) -> ErrorReply? {
        switch error {
        case let error as ErrorReply: return error
        case let error as LibraryError: return error.reply
        case let error as SQLiteError: return database(error)
        case let error as FilesError where error.code == .noSpace:
            return ErrorReply(.diskFull, "Out of disk space", reason: error.description)
        case let error as FilesError: return .writeFailed(reason: error.description)
        default: return nil
        }
    }

    fileprivate static var libraryIsClosing: ErrorReply {
        ErrorReply(
            .shuttingDown,
            "The library is ending.",
            reason: "What is asked now would not be kept.",
            recoverySuggestion: "Try again when it has started anew.",
            retryAfter: 1000
        )
    }

    fileprivate static func libraryInUse(by processID: Int32?) -> ErrorReply {
        ErrorReply(
            .alreadyRunning,
            "Another library uses this data folder",
            reason: processID.map { "It is process \($0)." },
            recoverySuggestion: "End it, or choose another --data."
        )
    }

    private static func database(_ error: SQLiteError) -> ErrorReply {
        switch error.code {
        case .closed: .libraryIsClosing
        case .busy: .writeBusy(retryAfter: 1000)
        case .inUse, .databaseTooNew, .notADatabase, .corrupt, .foreignDatabase, .remoteFileSystem, .readOnly,
            .cannotOpen, .diskFull:
            ErrorReply(
                error,
                of: "library",
                whenUnreadable: "Restore a copy from the folder backups beside it, or move it away; "
                    + "then run `obscura library rebuild`."
            )
        default: .writeFailed(reason: error.description)
        }
    }
}

extension LibraryError.ExpiryReason {
    fileprivate var words: String {
        switch self {
        case .otherEpoch: "It is of another library, or of one that was restored."
        case .tooOld: "Changes are kept for 90 days, and the last million of them."
        case .ahead: "The library has not come so far: it is an older copy."
        }
    }
}
