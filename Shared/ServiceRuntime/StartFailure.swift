import Files
private import MessageSchema
private import Messaging

/// Why a service does not run, for its log, its supervisor and its exit status.
struct StartFailure {
    /// What is wrong, why, and what to do.
    let text: String
    /// After sysexits.h.
    let code: Int32

    init(_ error: any Error) {
        switch error {
        case let error as SettingsError:
            self.init(text: error.description, code: error.code == .badFile ? 65 : 64)
        case let error as PolicyError:
            self.init(text: error.description, code: 65)
        case let error as MessagingError:
            self.init(text: error.description, code: Self.code(for: error.code))
        case let error as FilesError:
            let place = error.path.map { "\($0): " } ?? ""
            self.init(text: "\(place)\(error); \(Self.advice(for: error.code))", code: Self.code(for: error.code))
        case let error as ErrorReply:
            self.init(text: ErrorWords.plain(error), code: Self.code(for: error.code))
        default:
            self.init(text: "\(error)", code: 70)
        }
    }

    private init(text: String, code: Int32) {
        self.text = text
        self.code = code
    }

    private static func code(for code: MessagingError.Code) -> Int32 {
        switch code {
        case .alreadyRunning, .addressInUse: 75
        case .pathTooLong, .runtimeDirectory: 73
        default: 70
        }
    }

    private static func code(for code: FilesError.Code) -> Int32 {
        switch code {
        case .locked, .busy: 75
        case .notPermitted, .readOnly, .notFound, .notADirectory, .isADirectory, .symbolicLink, .nameTooLong: 73
        case .noSpace, .inputOutput: 74
        default: 70
        }
    }

    private static func advice(for code: FilesError.Code) -> String {
        switch code {
        case .notADirectory, .isADirectory, .symbolicLink, .alreadyExists:
            "move away what is there, or choose another folder with --data and --runtime"
        case .noSpace: "free some space"
        case .locked, .busy: "end whoever uses it"
        default: "make it usable for this user, or choose another folder with --data and --runtime"
        }
    }

    private static func code(for code: ErrorCode) -> Int32 {
        switch code {
        case .alreadyRunning: 75
        case .databaseTooNew, .damaged: 65
        case .cannotCreate: 73
        case .diskFull, .inputOutput: 74
        case .usage, .invalidArgument: 64
        case .noSuchFile, .notAFile, .unreadable: 66
        default: 70
        }
    }
}
