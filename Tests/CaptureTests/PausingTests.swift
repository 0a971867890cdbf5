import Cameras
import Consent
import Foundation
import MessageSchema
import TestSupport
import Testing
import Timekeeping
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct PausingTests {
    @Test func `what comes in a pause is not filmed, and the program is told of the pause`() async throws {
        try await withTemporaryDirectory { path in
            let take = RecordingTake(path)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.camera.changed(1)
            for index in 0..<3 as Range<Int64> {
                await take.camera.send(Frames.raw(Int(index), at: 1_000_000 + index * 500_000))
                #expect(await told.next()?.frames == index + 1)
            }
            take.pause.set(true)
            await take.camera.send(Frames.raw(3, at: 2_500_000))
            let paused = try #require(await told.next())
            #expect(paused.paused == true && paused.frames == 3)
            await take.camera.send(Frames.raw(4, at: 60_000_000))
            await take.camera.waits()
            take.pause.set(false)
            await take.camera.send(Frames.raw(5, at: 61_000_000))
            let resumed = try #require(await told.next())
            #expect(resumed.paused == nil && resumed.frames == 4)
            // Half a second after the last one, as frames usually are.
            #expect(resumed.duration == 1.5)
            take.stop.open()
            guard case .complete = await end else {
                Issue.record("The film broke.")
                return
            }
            _ = try await take.film.finish()
            #expect(await take.film.cuts?.map(\.reason) == [.pause])
            #expect(await take.film.dropped == 0)
        }
    }

    @Test func `a pause does not count for the maximum, and can be stopped`() async throws {
        try await withTemporaryDirectory { path in
            let take = RecordingTake(path)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.camera.changed(1)
            // What ends it without any frame.
            await take.clock.nextTimerScheduled()
            await take.camera.send(Frames.raw(0, at: 1_000_000))
            _ = await told.next()
            await take.clock.nextTimerScheduled()
            take.pause.set(true)
            await take.camera.send(Frames.raw(1, at: 2_000_000))
            #expect(await told.next()?.paused == true)
            take.clock.advance(by: .seconds(3_600))
            await take.camera.send(Frames.raw(2, at: 3_600_000_000))
            await take.camera.waits()
            take.pause.set(false)
            // The time that is left begins anew.
            await take.clock.nextTimerScheduled()
            await take.camera.send(Frames.raw(3, at: 3_601_000_000))
            #expect(await told.next()?.frames == 2)
            take.pause.set(true)
            take.stop.open()
            guard case .complete = await end else {
                Issue.record("The film broke.")
                return
            }
            #expect(await take.film.frames == 2)
        }
    }

    @Test func `only the program that films pauses, resumes and stops`() async throws {
        let desk = RecordingDesk()
        let handles = await desk.add("r1", owner: .user(1000))
        for stranger in [Principal.user(1001), .unit("other.service")] {
            await #expect(throws: ErrorReply.self) { try await desk.setPaused(true, "r1", for: stranger) }
            await #expect(throws: ErrorReply.self) { try await desk.stop("r1", for: stranger) }
        }
        await #expect(throws: ErrorReply.self) { try await desk.setPaused(true, "r2", for: .user(1000)) }
        #expect(await desk.names(of: .user(1000)) == ["r1"], "paused or not")
        #expect(await desk.names(of: .user(1001)).isEmpty)
        #expect(!handles.pause.isPaused && !handles.stop.isOpen)
        try await desk.setPaused(true, "r1", for: .user(1000))
        try await desk.setPaused(true, "r1", for: .user(1000))
        #expect(handles.pause.isPaused)
        try await desk.setPaused(false, "r1", for: .user(1000))
        #expect(!handles.pause.isPaused)
        await desk.remove("r1")
        await #expect(throws: ErrorReply.self) { try await desk.setPaused(true, "r1", for: .user(1000)) }
    }

    @Test func `whoever waits for a pause, or its end, waits no longer than that`() async {
        let pause = PauseSwitch()
        await pause.wait(until: false)
        async let first: Void = pause.wait(until: true)
        async let second: Void = pause.wait(until: true)
        pause.set(true)
        _ = await (first, second)
        await pause.wait(until: true)
        let cancelled = Task { await pause.wait(until: false) }
        cancelled.cancel()
        await cancelled.value
    }
}
