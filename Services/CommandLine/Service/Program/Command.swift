/// One command of `obscura`: what it is called and takes, and what it does.
///
/// A command is a value without state; ``CommandCatalogue`` lists them all.
package protocol Command: Sendable {
    /// What the parser and the help read.
    var signature: CommandSignature { get }

    /// Does it.
    ///
    /// The task is cancelled when the user interrupts, unless ``interruption(_:)`` says otherwise; results go to the
    /// context's terminal.
    ///
    /// - Returns: The exit status, where it is not an error's. It holds also when the user interrupted in the last
    ///   moment, so that a command that was cancelled before it was done has to throw.
    /// - Throws: `ErrorReply`, which is printed and decides the exit status; anything else is a fault of ours.
    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus

    /// What an interrupt (Ctrl-C, SIGTERM, a closed terminal) does to it when it was called with these arguments.
    func interruption(_ arguments: Arguments) -> InterruptionRule

    /// Whether SIGHUP means something of its own to it; to others it is an interrupt.
    var takesHangups: Bool { get }
}

extension Command {
    package func interruption(_ arguments: Arguments) -> InterruptionRule { .cancels }
    package var takesHangups: Bool { false }
}

/// What an interrupt does to a command.
package enum InterruptionRule: Sendable {
    /// Its task is cancelled, and the process ends with 130 and says so.
    case cancels
    /// Its task is cancelled, and the process ends with 130 and says nothing: it watched until the user had seen enough.
    case ends
    /// Nothing: the command awaits ``Interruption/wait()`` itself and ends in its own way.
    case isHandled
}
