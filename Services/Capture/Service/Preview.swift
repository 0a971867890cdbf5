private import Cameras
package import Consent
private import Imaging
private import Messaging
private import Timekeeping
private import Video4Linux

/// What many viewers see of one camera, live.
///
/// The machine decides who gets what; this actor holds the camera while anybody looks, and has pictures made by an
/// encoder of its own, which ends with the last viewer.
package actor Preview {
    /// A picture for one viewer.
    package struct Delivery: Sendable {
        package let frame: PreviewMachine.Frame
        package let picture: PreviewPicture
        /// Frames that the viewer has missed so far.
        package let dropped: Int64
    }

    /// What came of the frames since there is somebody to see them.
    package struct Counts: Hashable, Sendable {
        /// Frames that the camera gave.
        package var frames = 0
        /// Pictures that the codec made.
        package var encoded = 0
        /// The camera's own pictures that were passed through.
        package var passedThrough = 0
        /// Frames that were no pictures.
        package var bad = 0
        /// Frames that the camera lost, or that were no good before they came.
        package var lost = 0
    }

    private struct Viewer {
        let wish: PreviewWish
        let owner: Principal
        var failure: CameraError?
        var waiting: CheckedContinuation<Delivery, any Error>?
    }

    private let session: CameraSession
    private let makeEncoder: @Sendable () throws -> PreviewEncoder
    private var machine = PreviewMachine()
    private var viewers: [PreviewMachine.ViewerID: Viewer] = [:]
    private var lastID = 0
    /// Takes frames from the camera while there are viewers.
    private var pump: Task<Void, Never>?
    /// Counts pumps, so that one that is ending does not touch what the next one does.
    private var run = 0
    private var feed: CameraSession.Feed?
    /// What the session knows of the viewers.
    private var held: CameraHold?
    private var isUpdating = false
    private var encoder: PreviewEncoder?
    private var newest: (frame: PreviewMachine.Frame, captured: CapturedFrame)?
    /// Pictures of the newest frame.
    private var pictures: [PreviewSize: PreviewPicture] = [:]
    /// What was made last, while it is handed to those for whom it is: the newest frame may be another one by then.
    private var latest: (frame: PreviewMachine.Frame, picture: PreviewPicture)?
    private var lastNumber: Int64 = -1
    private(set) package var counts = Counts()

    package init(
        session: CameraSession,
        encoder: @escaping @Sendable () throws -> PreviewEncoder = { try PreviewEncoder() }
    ) {
        self.session = session
        makeEncoder = encoder
    }

    // MARK: Viewers

    /// Somebody begins to look; the camera is held for it until ``leave(_:)``.
    package func join(_ wish: PreviewWish, owner: Principal) -> PreviewMachine.ViewerID {
        lastID += 1
        viewers[lastID] = Viewer(wish: wish, owner: owner)
        _ = machine.handle(.join(lastID, wish))
        hold()
        return lastID
    }

    /// Somebody looks no longer.
    package func leave(_ id: PreviewMachine.ViewerID) {
        guard let viewer = viewers.removeValue(forKey: id) else { return }
        viewer.waiting?.resume(throwing: CancellationError())
        perform(machine.handle(.leave(id)))
        hold()
    }

    /// Waits for the next picture for a viewer that can take one now: the newest there is, or the next.
    ///
    /// - Throws: `CameraError` when the camera ended, `CancellationError` as soon as the task is cancelled.
    package func next(for id: PreviewMachine.ViewerID) async throws -> Delivery {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, id) }
        } onCancel: {
            // Comes to this actor after the wait was noted, which does not wait for anything.
            Task { await self.giveUp(id) }
        }
    }

    /// How many look.
    package var viewerCount: Int { viewers.count }

    private func wait(_ continuation: CheckedContinuation<Delivery, any Error>, _ id: PreviewMachine.ViewerID) {
        guard let viewer = viewers[id], !Task.isCancelled else {
            return continuation.resume(throwing: CancellationError())
        }
        precondition(viewer.waiting == nil, "A viewer waits for one picture at a time.")
        if let failure = viewer.failure { return continuation.resume(throwing: failure) }
        viewers[id]?.waiting = continuation
        perform(machine.handle(.ready(id, now: MonotonicTime.now())))
    }

    private func giveUp(_ id: PreviewMachine.ViewerID) {
        guard let waiting = viewers[id]?.waiting.take() else { return }
        perform(machine.handle(.unready(id)))
        waiting.resume(throwing: CancellationError())
    }

    // MARK: The camera

    /// What is wanted of the camera by those whom it has not failed.
    private var wanted: CameraHold? {
        let looking = viewers.values.filter { $0.failure == nil }
        guard !looking.isEmpty else { return nil }
        var hold = CameraHold(.preview, owners: Set(looking.map(\.owner)))
        // Who names no size wants what there is usually; nil stands for that.
        if looking.allSatisfy({ $0.wish.width != nil }) { hold.wanted.width = looking.compactMap(\.wish.width).max() }
        if looking.allSatisfy({ $0.wish.height != nil }) {
            hold.wanted.height = looking.compactMap(\.wish.height).max()
        }
        return hold
    }

    /// Holds the camera as the viewers want it now.
    private func hold() {
        guard let wanted else {
            pump?.cancel()
            pump = nil
            feed = nil
            forget()
            return
        }
        if feed != nil {
            // Viewers get what there is until the camera has changed.
            Task { await update() }
        } else if pump == nil {
            run += 1
            pump = Task { [run] in await take(wanted, run) }
        }
    }

    /// Tells the session what the viewers want now; one at a time, so that the last word is the last.
    private func update() async {
        guard !isUpdating else { return }
        isUpdating = true
        while let feed, let wanted, wanted != held {
            held = wanted
            await session.change(feed, to: wanted)
        }
        isUpdating = false
    }

    private func take(_ hold: CameraHold, _ run: Int) async {
        guard run == self.run, pump != nil else { return }
        do {
            encoder = try makeEncoder()
            let feed = try await session.acquire(hold)
            guard run == self.run, pump != nil else {
                await session.release(feed)
                return
            }
            self.feed = feed
            held = hold
            // Others may have come while the camera was opened.
            await update()
            for await captured in feed.frames {
                guard run == self.run, pump != nil else { break }
                take(captured)
            }
            let failure = await session.failure(of: feed)
            await session.release(feed)
            if !Task.isCancelled { fail(failure ?? CameraError(.stalled, "the camera gave no picture"), run) }
        } catch let error as CameraError {
            fail(error, run)
        } catch is CancellationError {
            // Nobody looks any more.
        } catch {
            fail(CameraError(.fault, "no memory for a codec"), run)
        }
    }

    private func take(_ captured: CapturedFrame) {
        counts.frames += 1
        counts.lost += captured.stamp.lostBefore
        lastNumber += 1 + Int64(captured.stamp.lostBefore)
        let frame = PreviewMachine.Frame(
            number: lastNumber,
            microseconds: captured.stamp.microseconds,
            size: PreviewEncoder.size(of: captured),
            lostBefore: captured.stamp.lostBefore
        )
        newest = (frame, captured)
        pictures = [:]
        perform(machine.handle(.frame(frame)))
    }

    /// The camera has ended for everybody who looks at it now.
    private func fail(_ error: CameraError, _ run: Int) {
        guard run == self.run else { return }
        pump?.cancel()
        pump = nil
        feed = nil
        forget()
        for (id, viewer) in viewers where viewer.failure == nil {
            viewers[id]?.failure = error
            viewers[id]?.waiting.take()?.resume(throwing: error)
            perform(machine.handle(.leave(id)))
        }
    }

    private func forget() {
        encoder = nil
        newest = nil
        pictures = [:]
        perform(machine.handle(.ended))
    }

    // MARK: Pictures

    private func perform(_ actions: [PreviewMachine.Action]) {
        for action in actions {
            switch action {
            case .make(let frame, let size): make(frame, size)
            case .deliver(let frame, let size, let id, let dropped): deliver(frame, size, to: id, dropped)
            case .giveUp:
                let count = PreviewMachine.mostBadFrames
                fail(CameraError(.stalled, "\(count) frames in a row were no pictures"), run)
            }
        }
    }

    private func make(_ frame: PreviewMachine.Frame, _ size: PreviewSize) {
        guard let encoder, let newest, newest.frame == frame else { return }
        // Ends with the picture; whoever wants it waits for it.
        Task { [captured = newest.captured, run] in
            do {
                made(try await encoder.picture(of: captured, at: size), of: frame, run)
            } catch {
                guard run == self.run else { return }
                counts.bad += 1
                perform(machine.handle(.failed))
            }
        }
    }

    private func made(_ picture: PreviewPicture, of frame: PreviewMachine.Frame, _ run: Int) {
        if picture.isCameras { counts.passedThrough += 1 } else { counts.encoded += 1 }
        guard run == self.run else { return }
        if newest?.frame == frame { pictures[picture.size] = picture }
        latest = (frame, picture)
        perform(machine.handle(.made))
        latest = nil
    }

    private func deliver(
        _ frame: PreviewMachine.Frame,
        _ size: PreviewSize,
        to id: PreviewMachine.ViewerID,
        _ dropped: Int64
    ) {
        let picture = latest?.frame == frame && latest?.picture.size == size ? latest?.picture : pictures[size]
        guard let picture, let waiting = viewers[id]?.waiting.take() else { return }
        waiting.resume(returning: Delivery(frame: frame, picture: picture, dropped: dropped))
    }
}
