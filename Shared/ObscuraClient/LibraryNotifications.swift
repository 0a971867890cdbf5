import MessageSchema
import Messaging

/// The library's changes as they happen, until the loop is left.
///
/// Changes that come faster than they are asked for are put together. A program that lost its permission gets the error.
public struct LibraryNotifications: AsyncSequence, Sendable {
    public typealias Element = LibraryNotification

    private let library: AssetsLibrary
    private let token: String?

    init(_ library: AssetsLibrary, since token: String?) {
        self.library = library
        self.token = token
    }

    public func makeAsyncIterator() -> Iterator { Iterator(library, since: token) }

    /// Waits for one notification after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let library: AssetsLibrary
        private var stream: ItemStream<WatchLibrary>?
        /// Up to where everything was told.
        private var token: String?
        private var generation: Int64 = 0

        init(_ library: AssetsLibrary, since token: String?) {
            self.library = library
            self.token = token
        }

        /// The next notification, however long it takes; nil when the library ends the watching.
        ///
        /// - Throws: ``ObscuraError``: -3311 for a program that may not read the library, `revoked`, `serviceUnavailable`
        ///   when the cluster is gone; `CancellationError`.
        public mutating func next() async throws -> LibraryNotification? {
            do {
                return try await nextInHistory()
            } catch let error as ObscuraError where error.code == ErrorCode.changeTokenExpired.rawValue {
                // Another history: nothing that was loaded can be trusted.
                if let stream { await stream.cancel() }
                stream = nil
                generation = 0
                let now = try await library.currentChangeToken()
                token = now
                return LibraryNotification(extent: .everything, token: now)
            }
        }

        private mutating func nextInHistory() async throws -> LibraryNotification? {
            let since: String
            if let token { since = token } else { since = try await library.currentChangeToken() }
            token = since
            let current: ItemStream<WatchLibrary>
            if let stream {
                current = stream
            } else {
                current = try await library.cluster.follow(WatchLibrary(since: since))
            }
            stream = current
            repeat {
                guard let event = try await translating({ try await current.next() })?.value else { return nil }
                // What was told already together with others is on its way all the same.
                if event.generation <= generation { continue }
                let told = try await library.events(since: since)
                generation = told.events.last?.generation ?? event.generation
                token = told.token
                let changes = LibraryChanges(told.events)
                return LibraryNotification(extent: changes.isEmpty ? .nothing : .only(changes), token: told.token)
            } while true
        }
    }
}
