package import Cameras
package import MessageSchema
package import Video4Linux

/// One camera, opened while anybody holds it, its frames handed to everybody who does.
///
/// The machine decides; this actor performs, and pumps frames from the device. A holder that is slow loses frames,
/// which are counted, and never delays the others.
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
    /// How long a camera stays opened for more than those who are left want: the next photo may come soon.
    private static let patience = Duration.seconds(10)

    /// How often an open camera is asked whether it still gives frames.
    private static let pulse = Duration.seconds(1)

    private let device: any CameraDevice
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Int64
    private let tell: (@Sendable (Availability?) -> Void)?
    private var health = CameraHealth()
    private var trouble: Availability?
    private var machine = SessionMachine()
    private var holders: [SessionMachine.HolderID: Holder] = [:]
    private var lastID = 0
    /// Counts openings, so that a pump that outlived its own does not touch the next one.
    private var opening = 0
    private var failures: [SessionMachine.HolderID: CameraError] = [:]
    private var losses: [SessionMachine.HolderID: Int] = [:]
    /// What was changed of the camera's settings, to be put back when nobody holds it any more.
    private var book = ControlBook()
    /// Who wants the light to be on.
    private var lit: Set<SessionMachine.HolderID> = []
    private var reconsidering: Task<Void, Never>?

    /// The session of a device.
    ///
    /// - Parameters:
    ///   - device: The camera.
    ///   - clock: For going back to a smaller format after a while, and for looking at the age of the last frame.
    ///   - now: Microseconds of a clock that only goes forward.
    ///   - tell: Is told when something becomes wrong with the camera, and with nil when it is right again.
    package init(
        device: any CameraDevice,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Int64 = { MonotonicTime.now() },
        tell: (@Sendable (Availability?) -> Void)? = nil
    ) {
        self.device = device
        self.clock = clock
        self.now = now
        self.tell = tell
    }

    /// Waits for the camera to be open, and begins to hold it.
    ///
    /// - Throws: `CameraError`, `CameraInUse`, or `CancellationError` as soon as the task is cancelled; every feed that was
    ///   given is released with ``release(_:)``.
    package func acquire(_ hold: CameraHold) async throws -> Feed {
        try Task.checkCancellation()
        var hold = hold
        hold.wanted = hold.wanted.clamped(to: device.camera)
        lastID += 1
        let id = lastID
        let (frames, continuation) = AsyncStream<CapturedFrame>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.depth)
        )
        let format = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { admission in
                holders[id] = Holder(continuation: continuation, frames: frames, admission: admission)
                perform(machine.handle(.acquire(id, hold)))
            }
        } onCancel: {
            // Comes to this actor after the holder was noted, which does not wait for anything.
            Task { await self.giveUp(id) }
        }
        return Feed(format: format, frames: frames, id: id)
    }

    /// Waits for the camera to be open, and begins to hold it as a photo does.
    package func acquire(_ wanted: WantedFormat) async throws -> Feed {
        try await acquire(CameraHold(.photo, wanted: wanted))
    }

    /// Changes what a holder wants; one that takes any format may see it change.
    package func change(_ feed: Feed, to hold: CameraHold) {
        var hold = hold
        hold.wanted = hold.wanted.clamped(to: device.camera)
        perform(machine.handle(.change(feed.id, hold)))
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

    /// Frames that a holder was too slow for so far.
    package func lost(by feed: Feed) -> Int { losses[feed.id] ?? holders[feed.id]?.lost ?? 0 }

    /// Turns the light on for a holder, or no longer for that one: it is on as long as anybody wants it.
    package func setLight(_ isOn: Bool, for feed: Feed) async throws(CameraError) {
        let wasLit = !lit.isEmpty
        if isOn { lit.insert(feed.id) } else { lit.remove(feed.id) }
        guard wasLit == lit.isEmpty else { return }
        do throws(CameraError) {
            try await device.setLight(isOn)
        } catch {
            lit.remove(feed.id)
            throw error
        }
    }

    /// A picture at a size of its own beside what the holders get, from a camera that can give one.
    ///
    /// - Throws: `notSupported` where the camera can not, or is not open.
    package func still(_ wanted: WantedFormat) async throws(CameraError) -> CapturedFrame {
        guard case .open = machine.state else { throw CameraError(.notSupported, "not open") }
        return try await device.still(wanted.clamped(to: device.camera))
    }

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
                Task { await end(restoring: true) }
            case .closeToChange:
                Task { await end(restoring: false) }
            case .admit(let id, let format):
                holders[id]?.admission.take()?.resume(returning: format)
            case .dismiss(let id, let error):
                dismiss(id, error)
            case .refuse(let id, let others):
                refuse(id, inFavourOf: others.compactMap { machine.hold(of: $0) })
            case .reconsiderLater:
                reconsidering?.cancel()
                // Ends by itself; only the last one has a say.
                reconsidering = Task { await reconsider() }
            }
        }
    }

    private func reconsider() async {
        guard (try? await clock.sleep(for: Self.patience)) != nil, !Task.isCancelled else { return }
        perform(machine.handle(.reconsider))
    }

    private func run(_ wanted: WantedFormat, opening: Int) async {
        do throws(CameraError) {
            let format = try await device.open(wanted)
            health.opened(at: now())
            judge()
            // Ends with this opening.
            if tell != nil { Task { [opening] in await watch(opening) } }
            perform(machine.handle(.opened(format)))
            while case .open = machine.state, opening == self.opening {
                let frame = try await device.nextFrame()
                if opening == self.opening { hand(out: frame) }
            }
        } catch {
            // `cancelled` is what a close does to the wait for a frame.
            guard error.code != .cancelled, opening == self.opening else { return }
            health.failed(error, at: now())
            judge()
            // What is remembered of it is forgotten after a while.
            if trouble != nil { Task { await judgeLater() } }
            perform(machine.handle(.failed(error)))
        }
    }

    private func end(restoring: Bool) async {
        if restoring { await restoreControls() }
        lit = []
        health.closed()
        judge()
        await device.close()
        perform(machine.handle(.closed))
    }

    /// While the camera is open, looks at the age of its last frame.
    private func watch(_ opening: Int) async {
        while opening == self.opening, health.isOpen, (try? await clock.sleep(for: Self.pulse)) != nil { judge() }
    }

    private func judgeLater() async {
        guard (try? await clock.sleep(for: .microseconds(CameraHealth.memory))) != nil else { return }
        judge()
    }

    private func judge() {
        guard let tell else { return }
        let found = health.trouble(at: now())
        guard found != trouble else { return }
        trouble = found
        tell(found)
    }

    private func hand(out frame: CapturedFrame) {
        health.frame(at: now())
        if trouble != nil { judge() }
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

    private func refuse(_ id: SessionMachine.HolderID, inFavourOf others: [CameraHold]) {
        guard var holder = holders.removeValue(forKey: id) else { return }
        var isH264 = false
        if case .open(let format) = machine.state { isH264 = format.pixelFormat == .h264 }
        holder.admission.take()?.resume(throwing: CameraInUse(others, isH264: isH264))
        holder.continuation.finish()
    }

    // MARK: Settings

    /// For whom the camera is held now.
    package var holds: [CameraHold] { machine.holds }

    /// The camera's settings with their values now.
    package func controls() async -> [CameraControl] { await device.controls() }

    /// Sets values that were checked, in the order of the list; all of them or none.
    ///
    /// Whoever calls holds the camera, and has just read the controls. What was there before is put back when the
    /// last holder leaves.
    ///
    /// - Throws: `CameraError`; what was set before it is taken back then.
    package func set(_ changes: [ControlChange]) async throws(CameraError) {
        var done: [ControlChange] = []
        do throws(CameraError) {
            for change in changes {
                try await device.set(change.control, to: change.value)
                // What has no value, such as a button, can not be put back.
                guard let before = change.control.value else { continue }
                book.note(ControlChange(control: change.control, value: before))
                done.append(ControlChange(control: change.control, value: before))
            }
        } catch {
            // The first error is the one to tell.
            for change in done.reversed() { _ = try? await device.set(change.control, to: change.value) }
            throw error
        }
    }

    private func restoreControls() async {
        // A camera that was unplugged has forgotten them, and one that refuses keeps nobody from closing it.
        for change in book.takeRestorations() { _ = try? await device.set(change.control, to: change.value) }
    }
}

/// A camera that is held by others in a way that does not go with what was asked.
package struct CameraInUse: Error, Hashable, Sendable {
    /// Who holds it, and what for.
    package let holds: [CameraHold]
    /// Whether it gives them H.264, which has no single pictures.
    package let isH264: Bool

    package init(_ holds: [CameraHold], isH264: Bool = false) {
        self.holds = holds
        self.isH264 = isH264
    }
}
