private import MessageSchema
import Messaging

/// A camera that came, went or changed.
public struct CameraChange: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It was there when the watching began.
        case present
        case added, removed
        /// Something about it is another, such as whether it can be used.
        case changed
    }

    public let kind: Kind
    /// The camera as it is now, or as it was before it went.
    public let camera: CameraInfo
}

/// The cameras as they come, go and change, until the loop is left.
///
/// First comes every camera that is there. A program that does not ask for the next change misses those that were undone
/// meanwhile.
public struct CameraChanges: AsyncSequence, Sendable {
    public typealias Element = CameraChange

    private let cluster: ObscuraCluster

    init(_ cluster: ObscuraCluster) { self.cluster = cluster }

    public func makeAsyncIterator() -> Iterator { Iterator(cluster) }

    /// Waits for one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let cluster: ObscuraCluster
        private var stream: ItemStream<WatchCameras>?

        init(_ cluster: ObscuraCluster) { self.cluster = cluster }

        /// The next change, however long it takes; nil when the cluster ends the watching.
        ///
        /// - Throws: ``ObscuraError``: `serviceUnavailable` when the cluster is gone; `CancellationError`.
        public mutating func next() async throws -> CameraChange? {
            let current: ItemStream<WatchCameras>
            if let stream { current = stream } else { current = try await cluster.follow(WatchCameras()) }
            stream = current
            guard let event = try await translating({ try await current.next() })?.value,
                let kind = CameraChange.Kind(rawValue: event.kind.rawValue)
            else { return nil }
            return CameraChange(kind: kind, camera: CameraInfo(event.camera))
        }
    }
}
