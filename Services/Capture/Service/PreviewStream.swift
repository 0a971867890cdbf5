package import Consent
package import MessageSchema
package import Messaging
private import Timekeeping
private import Video4Linux

/// Shows one viewer what a camera sees, until the viewer, the camera or the person ends it.
package struct PreviewStream: Sendable {
    let preview: Preview
    /// For whom.
    let owner: Principal
    /// Asked on the socket loop before each picture is handed over; throws to end the stream.
    let check: @Sendable () throws -> Void
    /// Waits until the stream may not go on, and says why; nil when its task is cancelled.
    let revoked: @Sendable () async -> (any Error)?

    package init(
        preview: Preview,
        owner: Principal,
        check: @escaping @Sendable () throws -> Void,
        revoked: @escaping @Sendable () async -> (any Error)?
    ) {
        self.preview = preview
        self.owner = owner
        self.check = check
        self.revoked = revoked
    }

    /// Sends pictures until an end.
    ///
    /// - Throws: What ended it: the revocation's error, `CameraError`, or `CancellationError` when the viewer did.
    package func run(_ request: PreviewCamera, to sink: ItemSink<PreviewItem>) async throws -> Empty {
        let wish = PreviewWish(
            width: request.width,
            height: request.height,
            framesPerSecond: request.framesPerSecond
        )
        let revocation: @Sendable () async throws -> Empty? = {
            if let error = await revoked() { throw error }
            return nil
        }
        // A camera that is silent must not keep a viewer that lost its permission.
        return try await Race.run(until: [revocation]) {
            let viewer = await preview.join(wish, owner: owner)
            do {
                while true {
                    try await sink.waitForCredit()
                    try check()
                    try await send(try await preview.next(for: viewer), to: sink)
                }
            } catch {
                await preview.leave(viewer)
                throw error
            }
        }
    }

    private func send(_ delivery: Preview.Delivery, to sink: ItemSink<PreviewItem>) async throws {
        let age = (MonotonicTime.now() - delivery.frame.microseconds) / 1_000
        let item = PreviewItem(
            number: delivery.frame.number,
            width: delivery.picture.size.width,
            height: delivery.picture.size.height,
            captured: BootInstant.now().nanoseconds / 1_000_000 - age,
            dropped: delivery.dropped
        )
        // Whoever can not take it now gets a newer one when it can.
        _ = try await sink.offer(item, attachments: [delivery.picture.jpeg], admitting: check)
    }
}
