package import MessageSchema

extension ErrorReply {
    /// A database's error in the words of whoever keeps it.
    ///
    /// - Parameters:
    ///   - error: What the database said.
    ///   - keeper: The service, as a person calls it, such as `coordinator`.
    ///   - advice: What to do about a database that can not be read.
    package init(_ error: SQLiteError, of keeper: String, whenUnreadable advice: String) {
        switch error.code {
        case .inUse(let processID):
            self.init(
                .alreadyRunning,
                "The \(keeper) is already running on this data folder",
                reason: processID.map { "It is process \($0)." },
                recoverySuggestion: "End it, or choose another --data."
            )
        case .databaseTooNew:
            self.init(
                .databaseTooNew,
                "The \(keeper)'s database is of a newer release",
                reason: error.description,
                recoverySuggestion: "Install that release, or restore the copy that it made before."
            )
        case .notADatabase, .corrupt, .foreignDatabase:
            self.init(
                .damaged,
                "The \(keeper)'s database can not be read",
                reason: error.description,
                recoverySuggestion: advice
            )
        case .remoteFileSystem, .readOnly, .cannotOpen:
            self.init(
                .cannotCreate,
                "The \(keeper)'s database can not be kept there",
                reason: error.description,
                recoverySuggestion: "Choose a --data folder on a local disk that can be written."
            )
        case .diskFull:
            self.init(.diskFull, "Out of disk space", reason: error.description)
        default:
            self.init(.inputOutput, "The \(keeper)'s database failed", reason: error.description)
        }
    }
}
