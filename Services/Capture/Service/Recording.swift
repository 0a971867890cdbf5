package import Cameras
private import Media
package import MessageSchema
private import Movies
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
        /// The person took the permission back, or the camera or the disk failed; what there is is kept.
        case broken(any Error)
    }

    /// How often the holder hears how far the film is.
    private static let progressMicroseconds: Int64 = 500_000

    package let id: String
    package let camera: Camera
    let session: CameraSession
    let film: FilmWriter
    let stop: StopWish

    package init(id: String, camera: Camera, session: CameraSession, film: FilmWriter, stop: StopWish) {
        self.id = id
        self.camera = camera
        self.session = session
        self.film = film
        self.stop = stop
    }

    /// Films until an end.
    ///
    /// - Parameters:
    ///   - wanted: The format that is asked for.
    ///   - maximum: Microseconds of film at most.
    ///   - check: Asked before every frame; throws to end the film.
    ///   - isGone: Whether the holder, when the task is cancelled, is gone rather than cancelling.
    ///   - progress: Told twice a second; throws to end the film.
    /// - Returns: What the camera gave, and how it ended; never throws, because a film that was begun is concluded.
    package func run(
        _ wanted: WantedFormat,
        maximum: Int64,
        check: @escaping @Sendable () throws -> Void,
        isGone: @escaping @Sendable () -> Bool,
        progress: @escaping @Sendable (RecordingProgress) async throws -> Void
    ) async -> (width: Int, height: Int, end: End) {
        let feed: CameraSession.Feed
        do {
            feed = try await session.acquire(wanted)
        } catch {
            return (0, 0, .broken(error))
        }
        let size = (feed.format.width, feed.format.height)
        var end: End
        do {
            try await take(feed, maximum: maximum, check: check, progress: progress)
            end = Task.isCancelled && !isGone() ? .cancelled : .complete
        } catch is CancellationError {
            end = isGone() ? .complete : .cancelled
        } catch {
            end = .broken(error)
        }
        if case .complete = end, let failure = await session.failure(of: feed) { end = .broken(failure) }
        await session.release(feed)
        return (size.0, size.1, end)
    }

    private func take(
        _ feed: CameraSession.Feed,
        maximum: Int64,
        check: @Sendable () throws -> Void,
        progress: @Sendable (RecordingProgress) async throws -> Void
    ) async throws {
        let clock = FrameClock()
        var hasBegun = false
        var told: Int64 = .min
        for await frame in feed.frames {
            try check()
            if stop.isWanted { return }
            if !hasBegun {
                try await film.begin(description(of: frame, clock))
                hasBegun = true
            }
            try await film.add(frame)
            let duration = await film.duration
            if told == .min || duration - told >= Self.progressMicroseconds {
                told = duration
                try await progress(await state)
            }
            if duration >= maximum { return }
        }
    }

    /// How far the film is.
    package var state: RecordingProgress {
        get async {
            RecordingProgress(
                recording: id,
                frames: await film.frames,
                droppedFrames: await film.dropped,
                duration: Double(await film.duration) / 1_000_000,
                bytes: await film.bytes
            )
        }
    }

    private func description(of frame: CapturedFrame, _ clock: FrameClock) -> MovieDescription {
        let with = CapturedWith(camera)
        return MovieDescription(
            width: frame.format.width,
            height: frame.format.height,
            orientation: with.orientation,
            time: LocalTime.at(microsecondsSince1970: clock.microsecondsSince1970(frame.stamp)),
            make: with.make,
            model: with.model,
            software: CapturedWith.software
        )
    }
}

/// Whether somebody asked a recording to stop; looked at with every frame.
package final class StopWish: Sendable {
    private let wanted = Atomic<Bool>(false)

    package init() {}

    /// Asks.
    package func want() { wanted.store(true, ordering: .releasing) }

    /// Whether it was asked.
    package var isWanted: Bool { wanted.load(ordering: .acquiring) }
}
