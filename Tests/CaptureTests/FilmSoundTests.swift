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

@Suite(.timeLimit(.minutes(2)))
struct FilmSoundTests {
    private struct Withdrawn: Error {}

    @Test(arguments: FilmContainer.allCases)
    func `both tracks are as long as each other, and what is heard is what the microphone gave`(
        container: FilmContainer
    ) async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(container))
            let pump = take.pump()
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            try await take.go(0..<25)
            await take.end()
            await pumping
            _ = try await take.film.finish()
            let durations = try AudibleFilm.durations(take.path)
            #expect(durations.count == 2 && durations[0] == 2.5 && abs(durations[1] - durations[0]) < 0.1)
            let heard = try AudibleFilm.heard(take.path)
            if container == .mov { #expect(Tone.runs(heard) == (1...25).map { [$0, 800] }) }
            #expect(abs(heard.count - 20_000) <= 1024)
            let report = try #require(await take.film.soundReport("scripted"))
            #expect(report.rate == 8_000 && report.channels == 1 && report.gaps == 0 && report.ended == nil)
            #expect(await !take.microphone.isOpen)
        }
    }

    @Test func `nothing is heard from the moment on at which the microphone is taken back, and the film goes on`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov))
            let checks = Mutex(0)
            // The eleventh block is heard before the revocation is applied, and the twelfth is not.
            let pump = take.pump(check: {
                let count = checks.withLock { count in
                    count += 1
                    return count
                }
                // The first check is that of the opening.
                if count > 12 { throw Withdrawn() }
            })
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            try await take.go(0..<12)
            await pumping
            #expect(await !take.microphone.isOpen)
            try await take.go(12..<30, isHeard: false)
            #expect(checks.withLock { $0 } == 13)
            try await take.film.add(Frames.raw(30, at: 4_000_000))
            _ = try await take.film.finish()
            #expect(await take.film.frames == 31)
            #expect(Tone.runs(try AudibleFilm.heard(take.path)) == (1...11).map { [$0, 800] } + [[0, 20 * 800]])
            let report = try #require(await take.film.soundReport("scripted"))
            #expect(report.ended?.reason == .revoked)
        }
    }

    @Test func `a revocation ends the wait for sound, and sound that waits for its frames is the last`() async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov))
            let revocation = Latch()
            let pump = take.pump(check: {}) {
                await revocation.wait()
                return Task.isCancelled ? nil : Withdrawn()
            }
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            try await take.go(0..<5)
            revocation.open()
            await pumping
            #expect(await !take.microphone.isOpen)
            try await take.go(5..<10, isHeard: false)
            _ = try await take.film.finish()
            #expect(Tone.runs(try AudibleFilm.heard(take.path)) == (1...5).map { [$0, 800] } + [[0, 5 * 800]])
            #expect(await take.film.soundReport("scripted")?.ended?.reason == .revoked)
        }
    }

    @Test func `without permission the microphone is not opened`() async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov))
            let pump = take.pump(check: { throw Withdrawn() })
            await #expect(throws: Withdrawn.self) { try await pump.begin() }
            #expect(await take.microphone.openings == 0)
        }
    }

    static let failures: [(SoundError.Code, RecordedSound.End.Reason)] = [
        (.removed, .removed), (.stalled, .stalled), (.fault, .fault),
    ]

    @Test(arguments: failures)
    func `a microphone that ends leaves a film that is silent from then on, and says why`(
        failure: (SoundError.Code, RecordedSound.End.Reason)
    ) async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov))
            let pump = take.pump()
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            try await take.go(0..<5)
            await take.microphone.fail(SoundError(failure.0))
            await pumping
            try await take.go(5..<10, isHeard: false)
            _ = try await take.film.finish()
            #expect(Tone.runs(try AudibleFilm.heard(take.path)) == (1...5).map { [$0, 800] } + [[0, 5 * 800]])
            #expect(await take.film.soundReport("scripted")?.ended?.reason == failure.1)
            #expect(await !take.microphone.isOpen)
        }
    }

    @Test func `a microphone that can not be opened, or whose format no film has, is told and closed`() async throws {
        try await withTemporaryDirectory { folder in
            let film = FilmWriter(path: folder + "/film", plan: AudibleFilm.plan(.mov))
            let busy = SoundPump(device: ScriptedMicrophone(opening: SoundError(.inUse)), film: film, check: {})
            await #expect(throws: SoundError(.inUse)) { try await busy.begin() }
            let many = ScriptedMicrophone(SoundFormat(rate: 48_000, channels: 8))
            let pump = SoundPump(device: many, film: film, check: {})
            let error = await #expect(throws: SoundError.self) { try await pump.begin() }
            #expect(error?.code == .notSupported)
            #expect(await !many.isOpen)
        }
    }

    @Test func `a pause cuts both tracks alike`() async throws {
        try await withTemporaryDirectory { folder in
            let take = AudibleTake(folder, AudibleFilm.plan(.mov))
            let pump = take.pump()
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            try await take.go(0..<5)
            try await take.film.pause()
            for index in 5..<20 { await take.microphone.send(Tone.block(at: 1_000_000 + Int64(index) * 100_000)) }
            await take.microphone.waits()
            try await take.go(20..<25)
            await take.end()
            await pumping
            _ = try await take.film.finish()
            #expect(try AudibleFilm.durations(take.path) == [1.0, 1.0])
            let expected = Array(1...5) + Array(21...25)
            #expect(Tone.runs(try AudibleFilm.heard(take.path)) == expected.map { [$0, 800] })
        }
    }

    @Test(arguments: FilmContainer.allCases, [nil, 1_000_000] as [Int64?])
    func `a film with sound is not larger than its maximum, and nearly as large`(
        container: FilmContainer,
        preRoll: Int64?
    ) async throws {
        try await withTemporaryDirectory { folder in
            let most: Int64 = 200_000
            let take = AudibleTake(folder, AudibleFilm.plan(container, bytes: most, preRoll: preRoll))
            let pump = take.pump()
            try await pump.begin()
            async let pumping: Void = pump.run()
            try await take.begin()
            var index = 0
            if preRoll != nil {
                try await take.keep(0..<15)
                await take.resume()
                index = 15
            }
            while await !take.film.isComplete, index < 2_000 {
                try await take.go(index..<index + 1)
                index += 1
            }
            try await take.film.endPreRoll()
            await take.end()
            await pumping
            let size = try await take.film.finish()
            #expect(size <= most)
            #expect(size > most - 30_000)
            let durations = try AudibleFilm.durations(take.path)
            #expect(durations.count == 2 && abs(durations[1] - durations[0]) < 0.13)
        }
    }

    @Test func `a whole recording has the sound of its frames, and its microphone is closed with it`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/film.mov"
            let film = FilmWriter(path: path, plan: AudibleFilm.plan(.mov))
            let camera = ScriptedCamera()
            let microphone = ScriptedMicrophone()
            let stop = Latch()
            let recording = Recording(
                id: "r",
                camera: camera.camera,
                session: CameraSession(device: camera),
                film: film,
                stop: stop
            )
            let (told, telling) = AsyncStream<Int64>.makeStream()
            let listening = FilmListening(recording, SoundPump(device: microphone, film: film, check: {}))
            async let outcome = listening.during {
                await recording.run(
                    WantedFormat(),
                    maximum: 60_000_000,
                    check: {},
                    isGone: { false },
                    progress: { telling.yield($0.frames) }
                )
            }
            await camera.changed(1)
            var progress = told.makeAsyncIterator()
            for index in 0..<4 {
                await camera.send(Frames.raw(index, at: 1_000_000 + Int64(index) * 500_000))
                _ = await progress.next()
                await microphone.send(Tone.block(at: 1_000_000 + Int64(index) * 500_000, milliseconds: 500))
            }
            stop.open()
            guard case .complete = await outcome.end else {
                Issue.record("The film broke.")
                return
            }
            _ = try await film.finish()
            #expect(await !microphone.isOpen)
            #expect(try AudibleFilm.durations(path) == [2.0, 2.0])
            #expect(Tone.runs(try AudibleFilm.heard(path)) == (1...20).map { [$0, 800] })
            #expect(await listening.report?.ended == nil)
        }
    }
}
