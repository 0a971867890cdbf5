private import Cameras
package import Consent
private import Imaging
private import Media
package import MessageSchema
private import Video4Linux

/// Takes one photo: the first good frame later than the request whose exposure has settled.
package struct PhotoTaker: Sendable {
    /// A picture with its metadata, and what was granted of what was asked.
    package struct Photo: Sendable {
        package let bytes: [UInt8]
        package let filename: String
        package let granted: CaptureSettings
    }

    /// Below this mean brightness `auto` uses the flash.
    private static let darkness = 40.0
    private static let quality = 92
    /// Frames in a row that are no sound pictures until the camera is given up.
    private static let mostBadFrames = 60

    let session: CameraSession
    let camera: Camera
    /// For whom.
    let owner: Principal?
    /// Asked before every frame; throws to end the work.
    let check: @Sendable () throws -> Void
    /// Waits until the work may not go on, and says why; nil when its task is cancelled.
    let revoked: @Sendable () async -> (any Error)?

    package init(
        session: CameraSession,
        camera: Camera,
        owner: Principal? = nil,
        revoked: @escaping @Sendable () async -> (any Error)? = { nil },
        check: @escaping @Sendable () throws -> Void
    ) {
        self.session = session
        self.camera = camera
        self.owner = owner
        self.revoked = revoked
        self.check = check
    }

    /// Takes the photo.
    ///
    /// - Parameters:
    ///   - settings: What was asked.
    ///   - requested: Microseconds of CLOCK_MONOTONIC at which it was asked: an older frame is never the answer.
    /// - Returns: The first good frame after the request, as a JPEG.
    /// - Throws: `CameraError`, what `check` throws or `revoked` says, or `CancellationError`; the light is off then.
    package func take(_ settings: CaptureSettings, requested: Int64) async throws -> Photo {
        let revocation: @Sendable () async throws -> Photo? = {
            if let error = await revoked() { throw error }
            return nil
        }
        return try await Race.run(until: [revocation]) {
            try await takeNow(settings, requested: requested)
        }
    }

    private func takeNow(_ settings: CaptureSettings, requested: Int64) async throws -> Photo {
        let hold = CameraHold(
            .photo,
            wanted: WantedFormat(width: settings.width, height: settings.height),
            owners: owner.map { [$0] } ?? [],
            // Who names a size does not want a film's smaller one.
            insists: settings.width != nil || settings.height != nil
        )
        let feed = try await session.acquire(hold)
        do {
            let photo = try await take(settings, from: feed, requested: requested)
            await session.release(feed)
            return photo
        } catch {
            await session.release(feed)
            throw error
        }
    }

    private func take(
        _ settings: CaptureSettings,
        from feed: CameraSession.Feed,
        requested: Int64
    ) async throws -> Photo {
        let clock = FrameClock()
        var settling = ExposureSettling()
        var isLit = false
        var badFrames = 0
        do {
            if camera.flash, settings.flash == .on { isLit = try await light(true) }
            for await frame in feed.frames {
                try check()
                try Task.checkCancellation()
                guard frame.stamp.microseconds > requested else { continue }
                let luma = LumaMeter.mean(of: frame)
                let verdict = settling.look(at: luma, taken: frame.stamp.microseconds)
                guard verdict != .wait else { continue }
                if camera.flash, !isLit, settings.flash ?? .auto == .auto, (luma ?? 255) < Self.darkness {
                    isLit = try await light(true)
                    if isLit {
                        settling.restart()
                        continue
                    }
                }
                // A frame that can not be made a picture is skipped; the next one may be good.
                guard let jpeg = try? encode(frame) else {
                    badFrames += 1
                    guard badFrames < Self.mostBadFrames else {
                        throw CameraError(.stalled, "\(badFrames) frames were no sound pictures")
                    }
                    continue
                }
                let readings = await session.readings()
                let fired = isLit
                if isLit { isLit = try await light(false) }
                var granted = granted(settings, frame)
                granted.converged = verdict == .settled
                if camera.flash { granted.flashFired = fired }
                // A light that can not be lit is a flash that is off.
                if granted.flash == .on, !fired { granted.flash = .off }
                return try finish(jpeg, frame, readings, granted, clock)
            }
            try Task.checkCancellation()
            throw await session.failure(of: feed) ?? CameraError(.stalled, "the camera gave no picture")
        } catch {
            if isLit { _ = try? await light(false) }  // the first error is the one to tell
            throw error
        }
    }

    /// - Returns: Whether the light is on now; a camera that refuses takes the photo without it.
    private func light(_ isOn: Bool) async throws -> Bool {
        do throws(CameraError) {
            try await session.setLight(isOn)
            return isOn
        } catch {
            guard error.code == .notSupported else { throw error }
            return false
        }
    }

    private func encode(_ frame: CapturedFrame) throws(JPEGError) -> [UInt8] {
        try FrameEncoder(quality: Self.quality).checkedPicture(of: frame)
    }

    private func granted(_ asked: CaptureSettings, _ frame: CapturedFrame) -> CaptureSettings {
        var granted = asked
        granted.camera = camera.id
        granted.width = frame.format.width
        granted.height = frame.format.height
        granted.flash = camera.flash ? asked.flash ?? .auto : .off
        return granted
    }

    private func finish(
        _ jpeg: [UInt8],
        _ frame: CapturedFrame,
        _ readings: ExposureReadings,
        _ granted: CaptureSettings,
        _ clock: FrameClock
    ) throws -> Photo {
        let with = CapturedWith(camera)
        let time = LocalTime.at(microsecondsSince1970: clock.microsecondsSince1970(frame.stamp))
        var fields = EXIFFields(
            time: time,
            make: with.make,
            model: with.model,
            software: CapturedWith.software,
            orientation: with.orientation,
            width: frame.format.width,
            height: frame.format.height
        )
        fields.exposureMicroseconds = readings.exposureMicroseconds
        fields.isoSpeed = readings.isoSpeed
        fields.flashFired = granted.flashFired
        return Photo(
            bytes: try EXIFWriter.written(fields, into: jpeg),
            filename: LocalTime.fileName("IMG", time, "JPG"),
            granted: granted
        )
    }
}
