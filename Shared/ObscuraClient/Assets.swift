private import MessageSchema
import Messaging

/// Assets in the library's order, asked for in pages while they are iterated over.
///
/// The enumeration begins with the first `next()`; leaving the loop ends it. A program without permission gets an error,
/// never a list that looks empty.
public struct Assets: AsyncSequence, Sendable {
    public typealias Element = Asset

    let cluster: ObscuraCluster
    let query: Query

    init(_ cluster: ObscuraCluster, _ query: Query) {
        self.cluster = cluster
        self.query = query
    }

    /// The same assets, each with its index in its group.
    public var indexed: IndexedAssets { IndexedAssets(self) }

    public func makeAsyncIterator() -> Iterator { Iterator(cluster, query) }

    /// Takes one asset after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let cluster: ObscuraCluster
        private let query: Query
        private var stream: PatientStream<ListAssets>?
        private var page: ArraySlice<Asset> = []
        private var isOver = false

        init(_ cluster: ObscuraCluster, _ query: Query) {
            self.cluster = cluster
            self.query = query
        }

        /// The next asset; nil after the last.
        ///
        /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library.
        public mutating func next() async throws -> Asset? {
            if let asset = page.popFirst() { return asset }
            guard !isOver else { return nil }
            let current: PatientStream<ListAssets>
            if let stream { current = stream } else { current = try await cluster.stream(query.request, window: 4) }
            stream = current
            while page.isEmpty {
                guard let item = try await translating({ try await current.next() }) else {
                    isOver = true
                    return nil
                }
                page = item.value.assets.map { [cluster] in Asset($0, cluster) }[...]
            }
            return page.popFirst()
        }
    }
}
