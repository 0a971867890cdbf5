package import Files
private import Glibc
package import MessageSchema

extension ErrorReply {
    /// A file that the user named can not be read.
    package static func cannotRead(_ path: String, _ error: FilesError) -> ErrorReply {
        let code: ErrorCode =
            switch error.code {
            case .notFound, .notADirectory, .nameTooLong, .invalid: .noSuchFile
            case .isADirectory, .notRegular: .notAFile
            case .inputOutput, .other: .inputOutput
            default: .unreadable
            }
        return ErrorReply(code, "Can not read the file", reason: reason(path, error), parameters: ["path": path])
    }

    /// A file that the user named can not be made.
    package static func cannotCreate(_ path: String, _ error: FilesError) -> ErrorReply {
        let code: ErrorCode = error.code == .noSpace ? .diskFull : .cannotCreate
        return ErrorReply(code, "Can not create the file", reason: reason(path, error), parameters: ["path": path])
    }

    /// A file has the name that another one was to get.
    static func nameTaken(_ path: String) -> ErrorReply {
        ErrorReply(
            .destinationExists,
            "There is such a file already",
            reason: "'\(path)' is there, and is not to be lost",
            recoverySuggestion: "name another file, or move that one away",
            parameters: ["path": path]
        )
    }

    /// A file that was opened can not be written; where nothing may be written at all it is one that can not be made.
    package static func cannotWrite(_ path: String, _ error: FilesError) -> ErrorReply {
        if error.code == .notPermitted || error.code == .readOnly { return cannotCreate(path, error) }
        let code: ErrorCode = error.code == .noSpace ? .diskFull : .inputOutput
        return ErrorReply(code, "Can not write the file", reason: reason(path, error), parameters: ["path": path])
    }

    /// Standard output could not be written, with this errno.
    ///
    /// - Returns: Nil where a reader of a pipe has read enough, of which nothing has to be said.
    package static func outputFailed(_ errorNumber: Int32) -> ErrorReply? {
        guard errorNumber != EPIPE else { return nil }
        let (code, reason, advice): (ErrorCode, String, String) =
            switch errorNumber {
            case ENOSPC, EDQUOT:
                (
                    .diskFull, "There is no room where standard output goes",
                    "free some space there, or send it elsewhere"
                )
            case EBADF: (.inputOutput, "Standard output is closed", "open it, or send it to a file or to /dev/null")
            case EIO: (.inputOutput, "The disk or the terminal behind standard output failed", "send it elsewhere")
            default: (.inputOutput, unsafe String(cString: strerror(errorNumber)), "send standard output elsewhere")
            }
        return ErrorReply(
            code,
            "Can not write the output",
            reason: "\(reason); what the command did is done",
            recoverySuggestion: advice,
            parameters: ["errno": "\(errorNumber)"]
        )
    }

    /// The user named something that is no file.
    package static func notAFile(_ path: String, _ what: String) -> ErrorReply {
        ErrorReply(.notAFile, "Not a file", reason: "'\(path)' is \(what)", parameters: ["path": path])
    }

    private static func reason(_ path: String, _ error: FilesError) -> String {
        "'\(path)': \(error.words)"
    }
}

extension FilesError {
    /// What is wrong, in a few words and without a path.
    package var words: String {
        switch code {
        case .notFound: "there is no such file or directory"
        case .notPermitted: "you are not allowed to"
        case .isADirectory: "it is a directory"
        case .notRegular: "it is no regular file, but a device, a pipe or a socket"
        case .notADirectory: "a part of the path is not a directory"
        case .symbolicLink: "it is a symbolic link"
        case .outsideDirectory: "it leads out of its directory"
        case .noSpace: "the disk is full"
        case .readOnly: "the file system is read-only"
        case .nameTooLong: "the name is too long"
        case .inputOutput: "the disk could not be read or written"
        default: description
        }
    }
}
