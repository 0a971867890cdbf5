/// The terminal at which a person can be asked, apart from where results go.
package struct PersonTerminal: Sendable {
    /// Shows a text as it is.
    package let write: @Sendable (String) -> Void
    /// Waits for a line; nil at the end of the input, or when the task is cancelled.
    package let readLine: @Sendable () async -> String?

    package init(write: @escaping @Sendable (String) -> Void, readLine: @escaping @Sendable () async -> String?) {
        self.write = write
        self.readLine = readLine
    }
}
