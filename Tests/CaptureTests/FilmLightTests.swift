import Cameras
import Foundation
import Media
import MessageSchema
import TestSupport
import Testing
import Timekeeping
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct FilmLightTests {
    /// A film with light.
    private static func take(
        _ folder: String,
        _ mode: FlashMode?,
        flash: Bool = true,
        refusesLight: Bool = false,
        preRoll: Int64? = nil
    ) -> RecordingTake {
        var plan = FilmPlan()
        plan.light = mode
        plan.preRoll = preRoll
        return RecordingTake(folder, plan: plan, of: ScriptedCamera(flash: flash, refusesLight: refusesLight))
    }

    /// What ends a film.
    enum Ending: CaseIterable { case stop, revocation, cancel, fault, maximum, disk }

    @Test(arguments: Ending.allCases)
    func `the light is on while it films, and off however the film ends`(ending: Ending) async throws {
        try await withTemporaryDirectory { folder in
            // A folder that is not there is a disk that takes no film.
            let take = Self.take(folder + (ending == .disk ? "/nowhere" : ""), .on)
            // Somebody looks on, so that the camera stays open after the film.
            let other = try await take.session.acquire(CameraHold(.preview))
            let work = Task { await take.run(ending == .maximum ? 1_000_000 : 60_000_000) }
            await take.camera.lit()
            #expect(await take.camera.litWhen == [true])
            var told = take.progress.makeAsyncIterator()
            if ending == .disk {
                await take.camera.send(Frames.raw(0, at: 1_000_000))
            } else {
                await take.send(0..<2, &told)
            }
            switch ending {
            case .stop: take.stop.open()
            case .revocation: take.gone.open()
            case .cancel: work.cancel()
            case .fault: await take.camera.fail(CameraError(.removed))
            case .maximum, .disk: break
            }
            switch (ending, await work.value) {
            case (.stop, .complete), (.maximum, .complete), (.cancel, .cancelled): break
            case (.revocation, .broken(let error)): #expect(error is RecordingTake.Withdrawn)
            case (.fault, .broken), (.disk, .broken): break
            case (_, let end): Issue.record("The film ended with \(end).")
            }
            // A camera that failed is closed, and its light is off with it.
            if ending != .fault { #expect(await take.camera.litWhen == [true, false]) }
            #expect(await take.recording.light.wasOn)
            await take.session.release(other)
        }
    }

    @Test func `it is off in a pause, and on again afterwards`() async throws {
        try await withTemporaryDirectory { folder in
            let take = Self.take(folder, .on)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.send(0..<2, &told)
            take.pause.set(true)
            await take.send(2..<3, &told)
            #expect(await take.camera.litWhen == [true, false])
            take.pause.set(false)
            await take.send(3..<4, &told)
            #expect(await take.camera.litWhen == [true, false, true])
            take.stop.open()
            _ = await end
            #expect(await take.camera.litWhen == [true, false, true, false])
        }
    }

    @Test func `while the film is armed it is off`() async throws {
        try await withTemporaryDirectory { folder in
            let take = Self.take(folder, .on, preRoll: 5_000_000)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.send(0..<1, &told)
            #expect(await take.camera.litWhen == [])
            take.pause.set(false)
            await take.send(1..<2, &told)
            #expect(await take.camera.litWhen == [true])
            take.stop.open()
            _ = await end
            #expect(await take.camera.litWhen == [true, false])
        }
    }

    static let scenes: [(mode: FlashMode?, brightness: Double, isLit: Bool)] = [
        (nil, 0, false), (.off, 0, false), (.auto, 1, false), (.auto, 0, true), (.on, 1, true),
    ]

    @Test(arguments: scenes)
    func `auto looks once whether it is dark`(mode: FlashMode?, brightness: Double, isLit: Bool) async throws {
        try await withTemporaryDirectory { folder in
            let take = Self.take(folder, mode)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.send(0..<4, brightness: brightness, &told)
            // What the light, or a cloud, makes of the scene later changes nothing.
            await take.send(4..<8, brightness: 1 - brightness, &told)
            take.stop.open()
            _ = await end
            #expect(await take.camera.litWhen == (isLit ? [true, false] : []))
            #expect(await take.recording.light.wasOn == isLit)
        }
    }

    @Test(arguments: [true, false])
    func `a camera without a light, or whose light refuses, films without`(hasFlash: Bool) async throws {
        try await withTemporaryDirectory { folder in
            let take = Self.take(folder, .on, flash: hasFlash, refusesLight: true)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.send(0..<3, &told)
            take.stop.open()
            guard case .complete = await end else {
                Issue.record("The film broke.")
                return
            }
            #expect(await take.film.frames == 3)
            #expect(await !take.recording.light.wasOn)
        }
    }

    @Test func `the light is on as long as any holder wants it`() async throws {
        let camera = ScriptedCamera(flash: true)
        let session = CameraSession(device: camera)
        let film = try await session.acquire(CameraHold(.film))
        let photo = try await session.acquire(CameraHold(.photo))
        try await session.setLight(true, for: film)
        try await session.setLight(true, for: photo)
        try await session.setLight(false, for: photo)
        try await session.setLight(false, for: photo)
        #expect(await camera.litWhen == [true])
        try await session.setLight(false, for: film)
        #expect(await camera.litWhen == [true, false])
        await session.release(photo)
        await session.release(film)
    }

    @Test func `the built-in camera with a light shows it in its film`() async throws {
        try await withTemporaryDirectory { folder in
            let clock = ManualClock()
            let session = CameraSession(device: PatternCamera(BuiltInCameras.back, clock: clock))
            let light = FilmLight(.on, of: BuiltInCameras.back, session)
            let feed = try await session.acquire(CameraHold(.film, wanted: WantedFormat(width: 320, height: 240)))
            await light.film(nil, feed)
            #expect(await light.wasOn)
            var frames = feed.frames.makeAsyncIterator()
            func next() async -> Double? {
                await clock.nextTimerScheduled()
                clock.advance(by: .milliseconds(34))
                return await frames.next(isolation: #isolation).flatMap { LumaMeter.mean(of: $0) }
            }
            for _ in 0..<6 { _ = await next() }
            let lit = try #require(await next())
            await light.rest(feed)
            _ = await next()
            let unlit = try #require(await next())
            #expect(lit > unlit)
            await session.release(feed)
        }
    }
}

extension RecordingTake {
    /// Sends frames half a second apart, each told as progress before the next.
    fileprivate func send(
        _ range: Range<Int>,
        brightness: Double = 1,
        _ told: inout AsyncStream<RecordingProgress>.Iterator
    ) async {
        for index in range {
            await camera.send(Frames.raw(index, at: 1_000_000 + Int64(index) * 500_000, brightness: brightness))
            _ = await told.next(isolation: #isolation)
        }
    }
}
