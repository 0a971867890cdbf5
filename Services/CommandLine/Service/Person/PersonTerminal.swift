/// The terminal at which a person can be asked, apart from where results go.
package struct PersonTerminal: Sendable {
    /// Shows a text as it is.
    package let write: @Sendable (String) -> Void
    /// Waits for a line; nil at the end of the input, or when the task is cancelled.
    package let readLine: @Sendable () async -> String?

    /// Forgets what was typed before a question was there to be answered.
    package let discardTyped: @Sendable () async -> Void
    /// Whether the terminal was closed: the end of its input says nothing then.
    package let isClosed: @Sendable () -> Bool

    package init(
        write: @escaping @Sendable (String) -> Void,
        discardTyped: @escaping @Sendable () async -> Void = {},
        isClosed: @escaping @Sendable () -> Bool = { false },
        readLine: @escaping @Sendable () async -> String?
    ) {
        self.write = write
        self.discardTyped = discardTyped
        self.isClosed = isClosed
        self.readLine = readLine
    }
}
