package import Cameras
package import Consent
private import Media
package import MessageSchema
private import Movies
private import ServiceRuntime
private import Synchronization
private import Video4Linux

/// One film while it is being taken.
package struct Recording: Sendable {
    /// How the taking ended.
    package enum End: Sendable {
        /// The maximum duration, a wish to stop, or a holder that is gone: the film is kept.
        case complete
        /// The holder cancelled: the film is discarded.
        case cancelled
        /// The person took the permission back, or the camera or the disk failed; what there is is kept, unless the person
        /// said otherwise.
        case broken(any Error)

        /// Whether nothing of the film is kept, whatever was filmed.
        package var discards: Bool {
            switch self {
            case .complete: false
            case .cancelled: true
            case .broken(let error): (error as? ErrorReply)?.discardsUnfinished == true
            }
        }
    }

    /// How often the holder hears how far the film is.
    private static let progressMicroseconds: Int64 = 500_000
    /// Frames in a row that are no pictures until the camera is given up.
    private static let mostBadFrames = 60
    /// How much later than the frames' own time the clock ends a film: where frames come, they decide.
    private static let grace = Duration.milliseconds(500)

    package let id: String
    package let camera: Camera
    let session: CameraSession
    let film: FilmWriter
    let stop: Latch
    let pause: PauseSwitch
    package let light: FilmLight
    /// For whom.
    let owner: Principal?
    let clock: any Clock<Duration>

    /// A recording that has not begun.
    ///
    /// - Parameters:
    ///   - id: Names it to whoever wants to stop it.
    ///   - camera: Which camera films.
    ///   - session: The way to its frames.
    ///   - film: Where they go.
    ///   - stop: Opened by whoever wants it to stop.
    ///   - pause: Set by whoever wants it to pause.
    ///   - owner: For whom it is, which others of the camera may be told.
    ///   - clock: Ends a film whose camera is silent.
    package init(
        id: String,
        camera: Camera,
        session: CameraSession,
        film: FilmWriter,
        stop: Latch,
        pause: PauseSwitch = PauseSwitch(),
        owner: Principal? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.id = id
        self.camera = camera
        self.session = session
        self.film = film
        self.stop = stop
        self.pause = pause
        light = FilmLight(film.plan.light, of: camera, session)
        self.owner = owner
        self.clock = clock
    }

    /// Films until an end.
    ///
    /// - Parameters:
    ///   - wanted: The format that is asked for.
    ///   - maximum: Microseconds of filming at most, to the end of the last frame.
    ///   - check: Asked before every frame; throws to end the film.
    ///   - revoked: Waits until the film may not go on, and says why; nil when its task is cancelled.
    ///   - isGone: Whether the holder, when the task is cancelled, is gone rather than cancelling; a film that was stopped before
    ///     is kept in either case.
    ///   - progress: Told twice a second; throws to end the film.
    /// - Returns: What the camera gave, and how it ended; never throws, because a film that was begun is concluded.
    package func run(
        _ wanted: WantedFormat,
        maximum: Int64,
        check: @escaping @Sendable () throws -> Void,
        revoked: @escaping @Sendable () async -> (any Error)? = { nil },
        isGone: @escaping @Sendable () -> Bool,
        progress: @escaping @Sendable (RecordingProgress) async throws -> Void
    ) async -> (width: Int, height: Int, end: End) {
        let hasFrame = Latch()
        // Who stopped the film keeps it, also when it leaves before the film is ready.
        let isFinished = { [stop] in stop.isOpen || isGone() }
        let limit = Duration.microseconds(maximum) + Self.grace
        let size = Mutex((width: 0, height: 0))
        let endings: [@Sendable () async throws -> Void?] = [
            {
                await stop.wait()
                return Task.isCancelled ? nil : ()
            },
            {
                if let error = await revoked() { throw error }
                return nil
            },
            {
                try await clock.sleep(for: limit)
                if hasFrame.isOpen { return nil }
                throw CameraError(.stalled, "the camera gave no picture")
            },
            {
                await hasFrame.wait()
                return try await filmTimePassed(limit)
            },
        ]
        var end: End
        do {
            try await Race.run(until: endings) {
                let feed = try await session.acquire(
                    CameraHold(.film, wanted: wanted, owners: owner.map { [$0] } ?? [])
                )
                size.withLock { $0 = (feed.format.width, feed.format.height) }
                do {
                    try await take(feed, maximum: maximum, hasFrame: hasFrame, check: check, progress: progress)
                } catch {
                    await light.rest(feed)
                    await film.lose(await session.release(feed))
                    throw error
                }
                await light.rest(feed)
                let failure = await session.failure(of: feed)
                await film.lose(await session.release(feed))
                if let failure { throw failure }
            }
            end = Task.isCancelled && !isFinished() ? .cancelled : .complete
        } catch is CancellationError {
            end = isFinished() ? .complete : .cancelled
        } catch {
            end = .broken(error)
        }
        // A wish to go on, and to stop with what was kept, may come before the next frame.
        if case .complete = end, !pause.isPaused { await film.resume() }
        do { try await film.endPreRoll() } catch {
            if case .complete = end { end = .broken(error) }
        }
        let (width, height) = size.withLock { $0 }
        return (width, height, end)
    }

    private func take(
        _ feed: CameraSession.Feed,
        maximum: Int64,
        hasFrame: Latch,
        check: @Sendable () throws -> Void,
        progress: @Sendable (RecordingProgress) async throws -> Void
    ) async throws {
        var hasBegun = false
        var isPaused = false
        var told: Int64 = .min
        try check()
        if !pause.isPaused { await light.film(nil, feed) }
        for await frame in feed.frames {
            try check()
            if stop.isOpen { return }
            if !hasBegun {
                hasBegun = true
                hasFrame.open()
                try await film.begin(frame, maximum: maximum) {
                    // Taken now: a film with pre-roll may have waited for hours.
                    description(of: $0, FrameClock())
                }
            }
            if isPaused != pause.isPaused {
                isPaused.toggle()
                if isPaused {
                    await light.rest(feed)
                    try await film.pause()
                    if await film.isComplete { return }
                    try await progress(await state)
                } else {
                    await film.resume()
                }
                told = .min
            }
            if isPaused {
                try await film.keep(frame)
            } else {
                await light.film(frame, feed)
                try await film.add(frame)
            }
            guard await film.badInARow < Self.mostBadFrames else {
                throw CameraError(.stalled, "\(Self.mostBadFrames) frames in a row were no pictures")
            }
            if isPaused { continue }
            let filmed = await film.filmed
            if told == .min || filmed - told >= Self.progressMicroseconds {
                told = filmed
                try await progress(await state)
            }
            // Also where frames that are no pictures made the film no longer, and time passed all the same.
            if await film.isComplete { return }
        }
    }

    /// Waits until so much would have been filmed if frames came; what passes in a pause does not count.
    ///
    /// - Returns: Nil when the task is cancelled.
    private func filmTimePassed(_ limit: Duration) async throws -> Void? {
        while !Task.isCancelled {
            await pause.wait(until: false)
            let rest = limit - .microseconds(await film.filmed)
            let isOver = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await clock.sleep(for: rest)
                    return true
                }
                group.addTask {
                    await pause.wait(until: true)
                    return false
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
            if isOver { return () }
        }
        return nil
    }

    /// How far the film is.
    package var state: RecordingProgress {
        get async {
            var state = RecordingProgress(
                recording: id,
                frames: await film.frames,
                droppedFrames: await film.dropped,
                duration: Double(await film.duration) / 1_000_000,
                bytes: await film.bytes
            )
            state.paused = pause.isPaused ? true : nil
            state.missedPictures = await film.missed
            return state
        }
    }

    private func description(of frame: CapturedFrame, _ clock: FrameClock) -> MovieDescription {
        let with = CapturedWith(camera)
        var description = MovieDescription(
            width: frame.format.width,
            height: frame.format.height,
            orientation: with.orientation,
            time: LocalTime.at(microsecondsSince1970: clock.microsecondsSince1970(frame.stamp)),
            make: with.make,
            model: with.model,
            software: CapturedWith.software
        )
        description.colours = frame.format.movieColours
        return description
    }
}
