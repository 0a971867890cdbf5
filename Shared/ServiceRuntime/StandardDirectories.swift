/// Where a cluster keeps what must last, and where its sockets and locks are, when nobody says otherwise.
///
/// Pure: the answer follows from the user's situation alone. Nothing is created here.
package enum StandardDirectories {
    /// What the directory of sockets is wanted for.
    package enum Purpose: Sendable {
        /// To run services in: it must be this user's to write.
        case serving
        /// To reach services that run: of the directories that are there, the first with a coordinator's socket.
        case calling
    }

    /// The directory of everything that must last.
    ///
    /// `$OBSCURA_DATA`; else `/var/lib/obscura` for root and the system user; else `$XDG_DATA_HOME/obscura`; else
    /// `~/.local/share/obscura`. Relative paths in `XDG_` variables are ignored (XDG Base Directory Specification 0.8).
    ///
    /// - Returns: `nil` for a user without a home directory to whom nothing else applies.
    package static func data(_ user: UserSituation) -> String? {
        if let chosen = user.variable("OBSCURA_DATA") { return chosen }
        if user.ownsTheMachine { return "/var/lib/obscura" }
        if let base = user.absolutePath(in: "XDG_DATA_HOME") { return base + "/obscura" }
        return user.home.map { $0 + "/.local/share/obscura" }
    }

    /// The directory of sockets and locks.
    ///
    /// `$OBSCURA_RUNTIME`; else `/run/obscura`; else `$XDG_RUNTIME_DIR/obscura` or `/run/user/UID/obscura` if it is this
    /// user's; else `~/.local/state/obscura/run`. Root and the system user serve in `/run/obscura`; others call there if
    /// it is there and they may enter it. It is never a shared temporary directory.
    ///
    /// - Returns: `nil` for a user without a home directory to whom nothing else applies.
    package static func runtime(_ user: UserSituation, for purpose: Purpose) -> String? {
        if let chosen = user.variable("OBSCURA_RUNTIME") { return chosen }
        let own = ownRuntime(user)
        switch purpose {
        case .serving:
            return own
        case .calling:
            let shared = user.directory("/run/obscura").flatMap { $0.canBeEntered ? "/run/obscura" : nil }
            let candidates = [shared, own].compactMap(\.self)
            return candidates.first { user.exists($0 + "/coordinator.sock") } ?? candidates.first
        }
    }

    private static func ownRuntime(_ user: UserSituation) -> String? {
        if user.ownsTheMachine { return "/run/obscura" }
        let bases = [user.absolutePath(in: "XDG_RUNTIME_DIR"), "/run/user/\(user.userID)"].compactMap(\.self)
        for base in bases where user.directory(base)?.owner == user.userID {
            return base + "/obscura"
        }
        return user.home.map { $0 + "/.local/state/obscura/run" }
    }
}
