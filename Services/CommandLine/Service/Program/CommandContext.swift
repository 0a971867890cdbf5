package import ServiceRuntime

/// What surrounds a command: the terminal, the user, and the wish to end.
package struct CommandContext: Sendable {
    /// Where results and errors go.
    package var terminal: Terminal
    /// Whose command it is, with the environment.
    package var user: UserSituation
    /// Whether the user has interrupted.
    package var interruption: Interruption
    /// The path of this executable, beside which the services' executables are.
    package var executable: String

    package init(terminal: Terminal, user: UserSituation, interruption: Interruption, executable: String) {
        self.terminal = terminal
        self.user = user
        self.interruption = interruption
        self.executable = executable
    }
}
