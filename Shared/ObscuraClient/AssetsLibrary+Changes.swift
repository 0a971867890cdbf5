import MessageSchema
private import Messaging

extension AssetsLibrary {
    /// What stands for the library as it is now; to be kept, and not to be understood.
    ///
    /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library.
    public func currentChangeToken() async throws -> String { try await events(since: nil).token }

    /// What changed since a token, and the token to go on from.
    ///
    /// - Parameter token: From ``currentChangeToken()``, from here or from a ``LibraryNotification``, also of an earlier run.
    /// - Returns: What is otherwise than it was, and what stands for the library as it is then.
    /// - Throws: ``ObscuraError`` with code `changeTokenExpired` when that can not be said any more: the library was
    ///   restored or is another one, or 90 days or a million changes have passed. Take a new token, then list everything.
    public func changes(since token: String) async throws -> (changes: LibraryChanges, token: String) {
        let told = try await events(since: token)
        return (LibraryChanges(told.events), told.token)
    }

    /// The changes as they happen.
    ///
    /// - Parameter token: Where to begin; now when nil. One that has expired begins with ``LibraryNotification/Extent/everything``.
    /// - Returns: A sequence that begins to watch with its first `next()`.
    public func notifications(since token: String? = nil) -> LibraryNotifications {
        LibraryNotifications(self, since: token)
    }

    func events(since token: String?) async throws -> (events: [LibraryEvent], token: String) {
        let stream = try await cluster.stream(ListChanges(since: token))
        return try await translating {
            var events: [LibraryEvent] = []
            while let item = try await stream.next() { events += item.value.changes }
            guard let summary = stream.summary else { throw ErrorReply(.internalFault, "No end of the changes") }
            return (events, summary.token)
        }
    }
}
