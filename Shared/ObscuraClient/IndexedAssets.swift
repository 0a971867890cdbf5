private import MessageSchema

/// Assets with their indices: 0 is the first in the order of the group, also when they come backwards.
public struct IndexedAssets: AsyncSequence, Sendable {
    public typealias Element = (index: Int, asset: Asset)

    private let assets: Assets

    init(_ assets: Assets) { self.assets = assets }

    public func makeAsyncIterator() -> Iterator { Iterator(assets) }

    /// Takes one asset after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let assets: Assets
        private var iterator: Assets.Iterator
        private var index: Int?

        init(_ assets: Assets) {
            self.assets = assets
            iterator = assets.makeAsyncIterator()
        }

        /// The next asset with its index; nil after the last.
        ///
        /// Backwards the assets are counted before the first one comes; those that arrive meanwhile shift the indices.
        ///
        /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library.
        public mutating func next() async throws -> (index: Int, asset: Asset)? {
            let query = assets.query.request.query
            let isReversed = query.reverse ?? false
            let current: Int
            if let index {
                current = index
            } else if isReversed {
                current = try await assets.cluster.call(CountAssets(query: query)).count - 1 - (query.offset ?? 0)
            } else {
                current = query.offset ?? 0
            }
            guard let asset = try await iterator.next() else { return nil }
            index = current + (isReversed ? -1 : 1)
            return (current, asset)
        }
    }
}
