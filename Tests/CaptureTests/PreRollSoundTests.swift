import Cameras
import Foundation
import Media
import MessageSchema
import Sound
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import CaptureService

/// The sound of the seconds before a film goes on.
@Suite(.timeLimit(.minutes(2)))
struct PreRollSoundTests {
    private struct Withdrawn: Error {}

    @Test(arguments: FilmContainer.allCases)
    func `a film has the sound of its first picture on, and so it does after each pause`(
        container: FilmContainer
    ) async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(container, preRoll: 1_000_000))
            let pump = take.pump()
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            for index in 0..<30 {
                try await take.keep(index..<index + 1)
                // Eleven pictures, and the sound of their time.
                #expect(await take.film.keptSound <= 1_100_000)
            }
            #expect(!FileManager.default.fileExists(atPath: take.path))
            await take.resume()
            try await take.go(30..<40)
            try await take.film.pause()
            try await take.keep(40..<70)
            await take.resume()
            try await take.go(70..<80)
            try await take.film.endPreRoll()
            await take.end()
            await pumping
            _ = try await take.film.finish()
            #expect(await take.film.keptSound == 0)

            let expected = Array(20...40) + Array(60...80)
            #expect(await take.film.frames == Int64(expected.count))
            let durations = try AudibleFilm.durations(take.path)
            #expect(durations.count == 2 && abs(durations[0] - 4.2) < 0.001)
            #expect(abs(durations[1] - 4.2) < (container == .mov ? 0.001 : 0.13))
            let heard = try AudibleFilm.heard(take.path)
            if container == .mov { #expect(Tone.runs(heard) == expected.map { [$0, 800] }) }
            #expect(abs(heard.count - 33_600) <= 1024)
            let report = try #require(await take.film.soundReport("scripted"))
            #expect(report.gaps == 0 && report.silence == 0 && report.ended == nil)
        }
    }

    @Test(arguments: [true, false])
    func `sound that was kept is let go of when the microphone is taken back, and not heard`(isTold: Bool) async throws
    {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov, preRoll: 1_000_000))
            let revocation = Latch()
            let isWithdrawn = Mutex(false)
            let pump = take.pump(check: { if isWithdrawn.withLock({ $0 }) { throw Withdrawn() } }) {
                await revocation.wait()
                return Task.isCancelled ? nil : Withdrawn()
            }
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            try await take.keep(0..<15)
            #expect(await take.film.keptSound > 0)
            isWithdrawn.withLock { $0 = true }
            if isTold {
                revocation.open()
                await pumping
                #expect(await take.film.keptSound == 0)
            }
            // Whoever resumes before the revocation has arrived here does not get it either.
            await take.resume()
            #expect(await take.film.keptSound == 0)
            if !isTold {
                revocation.open()
                await pumping
            }
            #expect(await !take.microphone.isOpen)
            try await take.go(15..<20, isHeard: false)
            try await take.film.endPreRoll()
            _ = try await take.film.finish()
            #expect(await take.film.frames == 16)
            #expect(Tone.runs(try AudibleFilm.heard(take.path)) == [[0, 16 * 800]])
            let report = try #require(await take.film.soundReport("scripted"))
            #expect(report.ended == RecordedSound.End(at: 0, reason: .revoked) && report.gaps == 1)
        }
    }

    @Test func `a microphone that is taken back while a film waits again leaves what was filmed before`() async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov, preRoll: 1_000_000))
            let revocation = Latch()
            let pump = take.pump(check: {}) {
                await revocation.wait()
                return Task.isCancelled ? nil : Withdrawn()
            }
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            try await take.keep(0..<5)
            await take.resume()
            try await take.go(5..<10)
            try await take.film.pause()
            try await take.keep(10..<30)
            revocation.open()
            await pumping
            #expect(await take.film.keptSound == 0)
            try await take.keep(30..<32, isHeard: false)
            await take.film.resume()
            try await take.go(32..<35, isHeard: false)
            try await take.film.endPreRoll()
            _ = try await take.film.finish()
            // Ten before the pause; eleven that were kept, and three.
            #expect(await take.film.frames == 24)
            let expected = (1...10).map { [$0, 800] } + [[0, 14 * 800]]
            #expect(Tone.runs(try AudibleFilm.heard(take.path)) == expected)
            #expect(await take.film.soundReport("scripted")?.ended == RecordedSound.End(at: 1, reason: .revoked))
        }
    }

    @Test func `of a microphone that fails while a film waits, what was heard before is in it`() async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov, preRoll: 1_000_000))
            let pump = take.pump()
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            try await take.keep(0..<10)
            await take.microphone.fail(SoundError(.removed))
            await pumping
            try await take.keep(10..<13, isHeard: false)
            // The time of pictures that are not kept any more is not kept either.
            #expect(await take.film.keptSound == 800_000)
            await take.resume()
            try await take.go(13..<16, isHeard: false)
            try await take.film.endPreRoll()
            _ = try await take.film.finish()
            #expect(await take.film.frames == 14)
            let expected = (3...10).map { [$0, 800] } + [[0, 6 * 800]]
            #expect(Tone.runs(try AudibleFilm.heard(take.path)) == expected)
            #expect(await take.film.soundReport("scripted")?.ended == RecordedSound.End(at: 0.8, reason: .removed))
        }
    }

    @Test func `a film is no longer than its maximum, its pre-roll and its sound included`() async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov, preRoll: 1_000_000))
            let pump = take.pump()
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin(maximum: 700_000)
            try await take.keep(0..<20)
            await take.resume()
            try await take.film.endPreRoll()
            #expect(await take.film.isComplete)
            await take.end()
            await pumping
            _ = try await take.film.finish()
            #expect(try AudibleFilm.durations(take.path) == [0.7, 0.7])
            #expect(Tone.runs(try AudibleFilm.heard(take.path)) == (10...16).map { [$0, 800] })
        }
    }

    // MARK: Recordings

    /// How a film that waits ends.
    enum Ending: CaseIterable {
        case revoked, stopped, resumedAndStopped
    }

    @Test(arguments: Ending.allCases)
    func `a recording that waits hears, and the microphone is closed with its end`(ending: Ending) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/film.mov"
            let film = FilmWriter(path: path, plan: AudibleFilm.plan(.mov, preRoll: 5_000_000))
            let camera = ScriptedCamera()
            let microphone = ScriptedMicrophone()
            let (stop, gone) = (Latch(), Latch())
            let pause = PauseSwitch(isPaused: true)
            let recording = Recording(
                id: "r",
                camera: camera.camera,
                session: CameraSession(device: camera),
                film: film,
                stop: stop,
                pause: pause
            )
            let (told, telling) = AsyncStream<Bool?>.makeStream()
            let (heard, hearing) = AsyncStream<Void>.makeStream()
            let looks = Notes<Void>()
            let pump = SoundPump(device: microphone, film: film, check: { hearing.yield() })
            let listening = FilmListening(recording, pump)
            async let outcome = listening.during {
                await recording.run(
                    WantedFormat(),
                    maximum: 60_000_000,
                    check: { looks.add(()) },
                    revoked: {
                        await gone.wait()
                        return gone.isOpen ? Withdrawn() : nil
                    },
                    isGone: { false },
                    progress: { telling.yield($0.paused) }
                )
            }
            await camera.changed(1)
            var progress = told.makeAsyncIterator()
            var checks = heard.makeAsyncIterator()
            _ = await checks.next()
            for index in 0..<5 {
                await camera.send(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000))
                if index == 0 { #expect(await progress.next() == true) }
                // One look before the first frame.
                while looks.all.count < index + 2 { try await turn() }
                await microphone.send(Tone.block(at: 1_000_000 + Int64(index) * 100_000))
                _ = await checks.next()
            }
            await camera.waits()
            #expect(await film.keptSound > 0)
            switch ending {
            case .revoked: gone.open()
            case .stopped: stop.open()
            case .resumedAndStopped:
                pause.set(false)
                stop.open()
            }
            let end = await outcome.end
            #expect(await !microphone.isOpen)
            #expect(await film.keptSound == 0)
            #expect(await film.keptCount == 0)
            if ending == .resumedAndStopped {
                _ = try await film.finish()
                let frames = await film.frames
                #expect((1...5).contains(frames))
                #expect(Tone.runs(try AudibleFilm.heard(path)) == (1...Int(frames)).map { [$0, 800] })
                #expect(try AudibleFilm.durations(path).allSatisfy { abs($0 - Double(frames) / 10) < 0.001 })
            } else {
                #expect(await film.frames == 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            }
            switch end {
            case .broken(let error): #expect(error is Withdrawn && ending == .revoked)
            case .complete: #expect(ending != .revoked)
            case .cancelled: Issue.record("Nobody cancelled it.")
            }
        }
    }
}
