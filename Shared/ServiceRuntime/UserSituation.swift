private import Consent
private import Files
private import Glibc

/// What is known about the user whose directories are looked for: environment, identity, and which directories are there.
package struct UserSituation: Sendable {
    /// A directory that is there.
    package struct Directory: Hashable, Sendable {
        /// The user that owns it.
        package var owner: UInt32
        /// Whether this user may reach the files in it.
        package var canBeEntered: Bool

        package init(owner: UInt32, canBeEntered: Bool) {
            self.owner = owner
            self.canBeEntered = canBeEntered
        }
    }

    /// The environment variables.
    package var environment: [String: String]
    /// The effective user.
    package var userID: UInt32
    /// The user's name and home directory in the user database, where it has them.
    package var account: (name: String, home: String)?
    /// The directory at a path, where there is one.
    package var directory: @Sendable (String) -> Directory?
    /// Whether anything is at a path.
    package var exists: @Sendable (String) -> Bool

    /// A situation in which there are these directories and files, for tests.
    package init(
        environment: [String: String],
        userID: UInt32,
        account: (name: String, home: String)?,
        directories: [String: Directory] = [:],
        files: Set<String> = []
    ) {
        self.environment = environment
        self.userID = userID
        self.account = account
        directory = { directories[$0] }
        exists = { files.contains($0) }
    }

    /// The situation of this process; asks the user database and, later, the file system, which both can block briefly.
    ///
    /// - Parameter environment: The process's environment.
    package init(ofThisProcess environment: [String: String]) {
        self.environment = environment
        userID = geteuid()
        account = UserDatabase.account(of: userID)
        directory = { Self.readDirectory($0) }
        exists = { unsafe access($0, F_OK) == 0 }
    }

    /// The value of an environment variable that is set and not empty.
    package func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether services of this user use the machine's own directories: root, or the user `obscura`.
    package var ownsTheMachine: Bool { userID == 0 || account?.name == Deployment.systemUser }

    /// The home directory: `$HOME`, else what the user database says.
    package var home: String? { absolutePath(in: "HOME") ?? account?.home }

    func absolutePath(in name: String) -> String? {
        guard let path = variable(name), path.hasPrefix("/") else { return nil }
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private static func readDirectory(_ path: String) -> Directory? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        let canBeEntered = unsafe access(path, X_OK) == 0
        return Directory(owner: status.st_uid, canBeEntered: canBeEntered)
    }
}
