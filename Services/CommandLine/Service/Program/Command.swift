/// One command of `obscura`: what it is called and takes, and what it does.
///
/// A command is a value without state; ``CommandCatalogue`` lists them all.
package protocol Command: Sendable {
    /// What the parser and the help read.
    var signature: CommandSignature { get }

    /// Does it.
    ///
    /// The task is cancelled when the user interrupts, unless ``interruption`` says otherwise; results go to the
    /// context's terminal.
    ///
    /// - Returns: The exit status, where it is not an error's.
    /// - Throws: `ErrorReply`, which is printed and decides the exit status; anything else is a fault of ours.
    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus

    /// What an interrupt (Ctrl-C, SIGTERM, a closed terminal) does to it.
    var interruption: InterruptionRule { get }

    /// Whether SIGHUP means something of its own to it; to others it is an interrupt.
    var takesHangups: Bool { get }
}

extension Command {
    package var interruption: InterruptionRule { .cancels }
    package var takesHangups: Bool { false }
}

/// What an interrupt does to a command.
package enum InterruptionRule: Sendable {
    /// Its task is cancelled, and the process ends with 130.
    case cancels
    /// Nothing: the command awaits ``Interruption/wait()`` itself and ends in its own way.
    case isHandled
}
