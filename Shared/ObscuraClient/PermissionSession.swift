import MessageSchema
import Messaging

/// A session that a program keeps: as long as it does, what the person allowed for a session holds.
///
/// A grant for a session ends ten seconds after nobody keeps or uses it any more. A connection that was lost is made again,
/// and the session goes on when that takes no longer than those ten seconds.
public final class PermissionSession: Sendable {
    private let task: Task<Void, Never>

    init(_ cluster: ObscuraCluster, _ first: ItemStream<KeepSession>) {
        // Lives until the session is let go of.
        task = Task {
            var stream: ItemStream<KeepSession>? = first
            while !Task.isCancelled {
                if let stream { await Self.keep(stream) }
                stream = try? await cluster.follow(KeepSession())
                // Nobody is there; cancellation ends the loop at its head.
                if stream == nil { try? await Task.sleep(for: .seconds(1)) }
            }
            await stream?.cancel()
        }
    }

    deinit { task.cancel() }

    /// Keeps the session no longer.
    public func end() { task.cancel() }

    private static func keep(_ stream: ItemStream<KeepSession>) async {
        do {
            while try await stream.next() != nil {}
        } catch {
            // It is kept anew, unless the task was cancelled.
            return
        }
    }
}

extension ObscuraCluster {
    /// Keeps a session until it is let go of or ended; asks nobody.
    ///
    /// - Throws: ``ObscuraError`` when the cluster is not there.
    public func keepSession() async throws -> PermissionSession {
        PermissionSession(self, try await follow(KeepSession()))
    }
}
