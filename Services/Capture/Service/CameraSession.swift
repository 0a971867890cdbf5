package import Cameras
private import Synchronization
package import Video4Linux

/// One camera, opened while anybody holds it, its frames handed to everybody who does.
///
/// The machine decides; this actor performs, and pumps frames from the device. A holder that is slow loses frames, which
/// are counted, and never delays the others.
package actor CameraSession {
    /// What a holder gets.
    package struct Feed: Sendable {
        /// What the camera gives.
        package let format: VideoFormat
        /// The frames from now on; ends when the camera ends.
        package let frames: AsyncStream<CapturedFrame>
        fileprivate let id: SessionMachine.HolderID
    }

    private struct Holder {
        let continuation: AsyncStream<CapturedFrame>.Continuation
        let frames: AsyncStream<CapturedFrame>
        var admission: CheckedContinuation<VideoFormat, any Error>?
        /// Frames that this holder was too slow for.
        var lost = 0
    }

    /// Frames that wait for a holder at most.
    private static let depth = 8

    private let device: any CameraDevice
    private var machine = SessionMachine()
    private var holders: [SessionMachine.HolderID: Holder] = [:]
    private var lastID = 0
    /// Counts openings, so that a pump that outlived its own does not touch the next one.
    private var opening = 0
    private var failures: [SessionMachine.HolderID: CameraError] = [:]
    private var losses: [SessionMachine.HolderID: Int] = [:]

    package init(device: any CameraDevice) { self.device = device }

    /// Waits for the camera to be open, and begins to hold it.
    ///
    /// - Throws: `CameraError`, or `CancellationError` as soon as the task is cancelled; every feed that was given is
    ///   released with ``release(_:)``.
    package func acquire(_ wanted: WantedFormat) async throws -> Feed {
        try Task.checkCancellation()
        lastID += 1
        let id = lastID
        let (frames, continuation) = AsyncStream<CapturedFrame>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.depth)
        )
        let format = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { admission in
                holders[id] = Holder(continuation: continuation, frames: frames, admission: admission)
                perform(machine.handle(.acquire(id, wanted)))
            }
        } onCancel: {
            // Comes to this actor after the holder was noted, which does not wait for anything.
            Task { await self.giveUp(id) }
        }
        return Feed(format: format, frames: frames, id: id)
    }

    /// Ends holding the camera.
    ///
    /// - Returns: Frames that this holder was too slow for.
    @discardableResult
    package func release(_ feed: Feed) -> Int {
        let lost = losses.removeValue(forKey: feed.id) ?? holders[feed.id]?.lost ?? 0
        holders.removeValue(forKey: feed.id)?.continuation.finish()
        failures[feed.id] = nil
        perform(machine.handle(.release(feed.id)))
        return lost
    }

    /// Why a feed ended by itself.
    package func failure(of feed: Feed) -> CameraError? { failures[feed.id] }

    /// The light, for whoever holds the camera.
    package func setLight(_ isOn: Bool) async throws(CameraError) { try await device.setLight(isOn) }

    /// What the camera says about its exposure.
    package func readings() async -> ExposureReadings { await device.readings() }

    /// Ends the wait of a holder that was not admitted yet.
    private func giveUp(_ id: SessionMachine.HolderID) {
        guard let admission = holders[id]?.admission.take() else { return }
        holders.removeValue(forKey: id)?.continuation.finish()
        perform(machine.handle(.release(id)))
        admission.resume(throwing: CancellationError())
    }

    private func perform(_ actions: [SessionMachine.Action]) {
        for action in actions {
            switch action {
            case .open(let wanted):
                opening += 1
                // The pump lives as long as this opening; it ends when the device is closed under it.
                Task { [opening] in await run(wanted, opening: opening) }
            case .close:
                // Closing may take a driver seconds; whoever released the camera does not wait for it.
                Task { await end() }
            case .admit(let id, let format):
                holders[id]?.admission.take()?.resume(returning: format)
            case .dismiss(let id, let error):
                dismiss(id, error)
            }
        }
    }

    private func run(_ wanted: WantedFormat, opening: Int) async {
        do throws(CameraError) {
            let format = try await device.open(wanted)
            perform(machine.handle(.opened(format)))
            while case .open = machine.state, opening == self.opening {
                let frame = try await device.nextFrame()
                if opening == self.opening { hand(out: frame) }
            }
        } catch {
            // `cancelled` is what a close does to the wait for a frame.
            guard error.code != .cancelled, opening == self.opening else { return }
            perform(machine.handle(.failed(error)))
        }
    }

    private func end() async {
        await device.close()
        perform(machine.handle(.closed))
    }

    private func hand(out frame: CapturedFrame) {
        for (id, holder) in holders where holder.admission == nil {
            if case .dropped = holder.continuation.yield(frame) { holders[id]?.lost += 1 }
        }
    }

    private func dismiss(_ id: SessionMachine.HolderID, _ error: CameraError) {
        guard var holder = holders.removeValue(forKey: id) else { return }
        if let admission = holder.admission.take() {
            admission.resume(throwing: error)
            holder.continuation.finish()
            return
        }
        failures[id] = error
        losses[id] = holder.lost
        holder.continuation.finish()
    }
}
