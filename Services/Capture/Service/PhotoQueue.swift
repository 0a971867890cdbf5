package import Media
private import MessageSchema

/// Lets one photo at a time be taken with each camera, in the order in which they were asked for.
///
/// Two at once would light each other's pictures.
package actor PhotoQueue {
    private typealias Entry = CheckedContinuation<Void, any Error>

    /// Milliseconds after which trying again makes sense: a photo whose exposure does not settle takes two seconds.
    private static let retryMilliseconds = 1_000

    /// Who waits for each camera with which a photo is being taken.
    private var waiting: [String: [(id: Int, entry: Entry)]] = [:]
    private var lastID = 0

    package init() {}

    /// Waits for the turn, and takes it; whoever has it leaves.
    ///
    /// - Throws: `cameraBusy` with `retryAfter` where another photo is being taken and the rule is to refuse;
    ///   `CancellationError` as soon as the task is cancelled.
    package func enter(_ camera: String, _ rule: BusyRule) async throws {
        guard waiting[camera] != nil else {
            waiting[camera] = []
            return
        }
        guard rule == .queue else {
            throw ErrorReply(
                .cameraBusy,
                "The camera takes another photo",
                reason: "Another photo is being taken with it.",
                recoverySuggestion: "Try again, or ask to wait for the turn",
                retryAfter: Self.retryMilliseconds,
                parameters: ["camera": camera]
            )
        }
        lastID += 1
        let id = lastID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting[camera]?.append((id, $0)) }
        } onCancel: {
            // Comes to this actor after the entry was noted, which does not wait for anything.
            Task { await self.giveUp(id, camera) }
        }
    }

    /// Ends a turn; the next one begins.
    package func leave(_ camera: String) {
        guard let line = waiting[camera], let next = line.first else {
            waiting[camera] = nil
            return
        }
        waiting[camera] = Array(line.dropFirst())
        next.entry.resume()
    }

    /// How many wait for a camera.
    func length(of camera: String) -> Int { waiting[camera]?.count ?? 0 }

    private func giveUp(_ id: Int, _ camera: String) {
        guard let index = waiting[camera]?.firstIndex(where: { $0.id == id }) else { return }
        waiting[camera]?.remove(at: index).entry.resume(throwing: CancellationError())
    }
}
