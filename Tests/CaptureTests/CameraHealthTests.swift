import Cameras
import MessageSchema
import Testing
import Timekeeping
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct CameraHealthTests {
    private static let second: Int64 = 1_000_000
    private static let wish = WantedFormat(width: 128, height: 96)

    @Test func `an open camera gives nothing when its last frame is too old, and slow ones have longer`() {
        var health = CameraHealth()
        #expect(health.trouble(at: 100 * Self.second) == nil)
        health.opened(at: 10 * Self.second)
        #expect(health.trouble(at: 12 * Self.second) == nil)
        #expect(health.trouble(at: 12 * Self.second + 1)?.state == .stalled)
        // It needed a second for the first one, as in the dark.
        health.frame(at: 11 * Self.second)
        #expect(health.trouble(at: 15 * Self.second) == nil)
        #expect(health.trouble(at: 15 * Self.second + 1)?.state == .stalled)
        // Where there is light they come thirty times a second.
        for index in 1...90 { health.frame(at: 11 * Self.second + Int64(index) * 33_333) }
        let last = 11 * Self.second + 90 * 33_333
        #expect(health.trouble(at: last + 2 * Self.second) == nil)
        #expect(health.trouble(at: last + 2 * Self.second + 1)?.state == .stalled)
        health.closed()
        #expect(health.trouble(at: last + 9 * Self.second) == nil)
    }

    @Test(arguments: CameraError.Code.allCases)
    func `a use that ended badly counts for a minute, where nobody but who used it sees why`(code: CameraError.Code) {
        var health = CameraHealth()
        health.opened(at: 0)
        health.failed(CameraError(code), at: Self.second)
        let told: [CameraError.Code: Availability.State] = [.stalled: .stalled, .noBandwidth: .noBandwidth]
        let expected = told[code]
        #expect(health.trouble(at: Self.second)?.state == expected)
        #expect(health.trouble(at: Self.second + CameraHealth.memory - 1)?.state == expected)
        #expect(health.trouble(at: Self.second + CameraHealth.memory) == nil)
        // That it can be opened shows that the bus has room, and only a frame shows that there are frames.
        health.opened(at: 2 * Self.second)
        #expect(health.trouble(at: 2 * Self.second)?.state == (code == .stalled ? .stalled : nil))
        health.frame(at: 2 * Self.second)
        #expect(health.trouble(at: 2 * Self.second) == nil)
    }

    private static func session(
        _ camera: ScriptedCamera,
        _ clock: ManualClock
    ) -> (session: CameraSession, told: AsyncStream<Availability?>) {
        let (told, telling) = AsyncStream<Availability?>.makeStream()
        let session = CameraSession(
            device: camera,
            clock: clock,
            now: { Int64(clock.now.offset / .microseconds(1)) },
            tell: { telling.yield($0) }
        )
        return (session, told)
    }

    @Test func `it is told when an open camera gives nothing, and when it does again`() async throws {
        let camera = ScriptedCamera()
        let clock = ManualClock()
        let (session, told) = Self.session(camera, clock)
        let feed = try await session.acquire(Self.wish)
        for _ in 0..<3 {
            await clock.nextTimerScheduled()
            clock.advance(by: .seconds(1))
        }
        var news = told.makeAsyncIterator()
        let first = await news.next()
        let bad = try #require(first)
        #expect(bad?.state == .stalled)
        await camera.send(Frames.raw(1, at: 1))
        let second = await news.next()
        let good = try #require(second)
        #expect(good == nil)
        await session.release(feed)
        await camera.changed(2)
        // The watch ends with the opening.
        await clock.nextTimerScheduled()
        clock.advance(by: .seconds(1))
    }

    @Test func `it is told when the bus has no room for a camera, until a minute is over`() async throws {
        let camera = ScriptedCamera(opening: CameraError(.noBandwidth))
        let clock = ManualClock()
        let (session, told) = Self.session(camera, clock)
        await #expect(throws: CameraError(.noBandwidth)) { _ = try await session.acquire(Self.wish) }
        var news = told.makeAsyncIterator()
        let first = await news.next()
        let bad = try #require(first)
        #expect(bad?.state == .noBandwidth)
        await clock.nextTimerScheduled()
        clock.advance(by: .seconds(60))
        let second = await news.next()
        let good = try #require(second)
        #expect(good == nil)
    }
}
