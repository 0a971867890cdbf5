import Cameras
package import Consent
private import Imaging
import Media
package import MessageSchema
import Video4Linux

/// Takes the photos of one request: the first good frame later than its moment whose exposure has settled, and those
/// after it.
package struct PhotoTaker: Sendable {
    /// A picture with its metadata, and what was granted of what was asked.
    package struct Photo: Sendable {
        package let bytes: [UInt8]
        package let filename: String
        package let granted: CaptureSettings
        package let facts: PictureFacts
        /// Which of the request's pictures it is, from 0.
        package let index: Int
    }

    /// Frames in a row that are no sound pictures until the camera is given up.
    private static let mostBadFrames = 60
    /// Microseconds before the moment of a self-timer at which the camera is opened, so that exposure has settled.
    private static let warmUp: Int64 = 3_000_000

    let session: CameraSession
    let camera: Camera
    /// For whom.
    let owner: Principal?
    let queue: PhotoQueue
    let clock: any Clock<Duration>
    /// Asked before every frame; throws to end the work.
    let check: @Sendable () throws -> Void
    /// Waits until the work may not go on, and says why; nil when its task is cancelled.
    let revoked: @Sendable () async -> (any Error)?

    /// A taker for one request.
    ///
    /// - Parameters:
    ///   - session: The way to the camera's frames.
    ///   - camera: Which camera it is.
    ///   - owner: For whom.
    ///   - queue: Where photos with the same camera wait for each other.
    ///   - clock: Waits for the self-timer.
    ///   - revoked: Waits until the work may not go on, and says why; nil when its task is cancelled.
    ///   - check: Asked before every frame; throws to end the work.
    package init(
        session: CameraSession,
        camera: Camera,
        owner: Principal? = nil,
        queue: PhotoQueue = PhotoQueue(),
        clock: any Clock<Duration> = ContinuousClock(),
        revoked: @escaping @Sendable () async -> (any Error)? = { nil },
        check: @escaping @Sendable () throws -> Void
    ) {
        self.session = session
        self.camera = camera
        self.owner = owner
        self.queue = queue
        self.clock = clock
        self.revoked = revoked
        self.check = check
    }

    /// Takes the photos, and has each one saved while the next ones are taken.
    ///
    /// When taking ends early, those that were taken before are saved first; when saving fails, or the task is cancelled,
    /// the others are dropped. The light is off and the camera let go when this returns.
    ///
    /// - Parameters:
    ///   - settings: What was asked.
    ///   - requested: Microseconds of CLOCK_MONOTONIC at which it was asked: an older frame is never the answer.
    ///   - save: Gets the photos in their order, one after the other.
    /// - Throws: `CameraError`; `ErrorReply` with `cameraBusy`, or `invalidArgument` for a format that the camera does not
    ///   have; what `check` or `save` throws or `revoked` says; `CancellationError`.
    package func take(
        _ settings: CaptureSettings,
        requested: Int64,
        save: (Photo) async throws -> Void
    ) async throws {
        let (shots, shooting) = AsyncStream<Shot>.makeStream(bufferingPolicy: .bufferingOldest(settings.count ?? 1))
        let backlog = ShotBacklog()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { shooting.finish() }
                try await shoot(settings, requested, into: shooting, backlog)
            }
            for await shot in shots {
                let photo = try await photo(of: shot, settings)
                backlog.remove(shot.frame)
                try await save(photo)
            }
            try Task.checkCancellation()
            try await group.next()
        }
    }

    // MARK: Shooting

    private func shoot(
        _ settings: CaptureSettings,
        _ requested: Int64,
        into shooting: AsyncStream<Shot>.Continuation,
        _ backlog: ShotBacklog
    ) async throws {
        let revocation: @Sendable () async throws -> Void? = {
            if let error = await revoked() { throw error }
            return nil
        }
        try await Race.run(until: [revocation]) {
            let delay = Int64((settings.delay ?? 0) * 1_000_000)
            if delay > Self.warmUp { try await clock.sleep(for: .microseconds(delay - Self.warmUp)) }
            try await queue.enter(camera.id, settings.whenBusy ?? .queue)
            do {
                let shutter = Shutter(
                    flash: camera.flash ? settings.flash ?? .auto : .off,
                    earliest: requested,
                    moment: requested + delay
                )
                try await hold(settings, shutter, into: shooting, backlog)
                await queue.leave(camera.id)
            } catch {
                await queue.leave(camera.id)
                throw error
            }
        }
    }

    private func hold(
        _ settings: CaptureSettings,
        _ shutter: Shutter,
        into shooting: AsyncStream<Shot>.Continuation,
        _ backlog: ShotBacklog
    ) async throws {
        let format = settings.format ?? .jpeg
        let hold = CameraHold(
            .photo,
            wanted: WantedFormat(
                width: settings.width,
                height: settings.height,
                prefersUncompressed: format.prefersUncompressed
            ),
            owners: owner.map { [$0] } ?? [],
            // Who names a size does not want a film's smaller one.
            insists: settings.width != nil || settings.height != nil
        )
        let feed: CameraSession.Feed
        do {
            feed = try await session.acquire(hold)
        } catch let refusal as CameraInUse {
            return try await takeStills(settings, besides: refusal, into: shooting, backlog)
        }
        let light = PhotoLight(session, for: feed)
        do {
            try checkFormat(feed.format, for: format)
            try await take(settings.count ?? 1, as: format, from: feed, shutter, light, into: shooting, backlog)
            await session.release(feed)
        } catch {
            await light.end()
            await session.release(feed)
            throw error
        }
    }

    /// - Throws: `inUse` where somebody else's format keeps the camera from giving another one.
    func checkFormat(_ given: VideoFormat, for wanted: PhotoFormat) throws {
        guard given.pictureShape == nil else { return }
        guard wanted == .raw || !given.isJPEG else { return }
        let hasPixels = camera.formats.contains { !$0.isCompressed }
        guard given.isJPEG, !hasPixels else {
            throw CameraError(.inUse, "it is open in \(given.pixelFormat) for somebody else")
        }
        throw ErrorReply.invalidParameter("settings.format", "jpeg or png: the camera compresses its pictures itself")
    }

    private func take(
        _ count: Int,
        as format: PhotoFormat,
        from feed: CameraSession.Feed,
        _ judging: Shutter,
        _ light: PhotoLight,
        into shooting: AsyncStream<Shot>.Continuation,
        _ backlog: ShotBacklog
    ) async throws {
        var shutter = judging
        let clock = FrameClock()
        var (badFrames, lost, tooSlow) = (0, 0, 0)
        if shutter.lightsAtOnce { shutter.asked(isLit: try await light.turnOn()) }
        for await frame in feed.frames {
            try check()
            try Task.checkCancellation()
            lost += frame.stamp.lostBefore
            guard shutter.looks(at: frame.stamp.microseconds) else { continue }
            switch shutter.judge(luma: LumaMeter.mean(of: frame), taken: frame.stamp.microseconds) {
            case .wait:
                continue
            case .light:
                shutter.asked(isLit: try await light.turnOn())
            case .take(let converged):
                try checkFormat(frame.format, for: format)
                // A frame that can not be made a picture is skipped; the next one may be good.
                guard let sound = try? PhotoEncoder.sound(frame) else {
                    (badFrames, lost) = (badFrames + 1, lost + 1)
                    guard badFrames < Self.mostBadFrames else {
                        throw CameraError(.stalled, "\(badFrames) frames in a row were no sound pictures")
                    }
                    continue
                }
                badFrames = 0
                guard backlog.add(sound) else {
                    lost += 1
                    continue
                }
                let unread = await session.lost(by: feed)
                let facts = PictureFacts(
                    flash: light.isOn ? .on : .off,
                    converged: converged,
                    lostBefore: shutter.taken == 0 ? 0 : lost + unread - tooSlow
                )
                let shot = Shot(
                    frame: sound,
                    time: LocalTime.at(microsecondsSince1970: clock.microsecondsSince1970(frame.stamp)),
                    readings: await session.readings(),
                    facts: facts,
                    index: shutter.taken
                )
                (lost, tooSlow) = (0, unread)
                shutter.took()
                if shutter.taken == count { try await light.turnOff() }
                shooting.yield(shot)
                if shutter.taken == count { return }
            }
        }
        try Task.checkCancellation()
        throw await session.failure(of: feed) ?? CameraError(.stalled, "the camera gave no picture")
    }

    // MARK: Files

    /// Runs on threads that may wait for a codec.
    @concurrent
    private func photo(of shot: Shot, _ asked: CaptureSettings) async throws -> Photo {
        let with = CapturedWith(camera)
        let format = asked.format ?? .jpeg
        let (width, height) = PhotoEncoder.size(of: shot.frame)
        let fired = camera.flash ? shot.facts.flash == .on : nil
        var fields = EXIFFields(
            time: shot.time,
            make: with.make,
            model: with.model,
            software: CapturedWith.software,
            orientation: with.orientation,
            width: width,
            height: height
        )
        fields.exposureMicroseconds = shot.readings.exposureMicroseconds
        fields.isoSpeed = shot.readings.isoSpeed
        fields.flashFired = fired
        var granted = asked
        granted.camera = camera.id
        granted.microphone = nil
        (granted.width, granted.height) = (width, height)
        granted.format = format
        granted.converged = shot.facts.converged
        granted.flash = camera.flash ? asked.flash ?? .auto : .off
        granted.flashFired = fired
        // A light that can not be lit is a flash that is off.
        if granted.flash == .on, fired == false { granted.flash = .off }
        let number = (asked.count ?? 1) > 1 ? shot.index + 1 : nil
        return Photo(
            bytes: try PhotoEncoder.file(of: shot.frame, as: format, fields),
            filename: LocalTime.fileName("IMG", shot.time, format.fileExtension, number: number),
            granted: granted,
            facts: shot.facts,
            index: shot.index
        )
    }
}
