import MessageSchema
import Sound
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct PatternMicrophoneTests {
    @Test func `it gives a tone in blocks whose times follow one another, as the clock goes`() async throws {
        let clock = ManualClock()
        let microphone = PatternMicrophone(clock: clock) { 5_000_000 }
        let format = try await microphone.open(WantedSound(rate: 48_000, channels: 2))
        #expect(format == SoundFormat(rate: 48_000, channels: 2))
        var blocks: [SoundBlock] = []
        for _ in 0..<3 {
            async let next = microphone.nextBlock()
            await clock.nextTimerScheduled()
            clock.advance(by: .milliseconds(20))
            blocks.append(try await next)
        }
        #expect(blocks.map(\.microseconds) == [5_000_000, 5_020_000, 5_040_000])
        #expect(blocks.map(\.frameCount) == [960, 960, 960])
        #expect(blocks.map(\.isAfterLoss) == [false, false, false])
        let heard = blocks.flatMap(\.samples)
        #expect(heard == PatternMicrophone<ManualClock>.tone(format, from: 0, count: 2880))
        #expect(stride(from: 0, to: heard.count, by: 2).allSatisfy { heard[$0] == heard[$0 + 1] })
    }

    @Test func `what nobody took for longer than half a second is lost, and the tone goes on`() async throws {
        let clock = ManualClock()
        let microphone = PatternMicrophone(clock: clock) { 0 }
        let format = try await microphone.open(WantedSound())
        clock.advance(by: .seconds(2))
        let block = try await microphone.nextBlock()
        #expect(block.isAfterLoss)
        #expect(block.microseconds == 1_500_000)
        #expect(block.samples == PatternMicrophone<ManualClock>.tone(format, from: 72_000, count: 960))
    }

    @Test func `closing it ends whoever waits for a block`() async throws {
        let clock = ManualClock()
        let microphone = PatternMicrophone(clock: clock) { 0 }
        _ = try await microphone.open(WantedSound())
        let next = Task { try await microphone.nextBlock() }
        await clock.nextTimerScheduled()
        await microphone.close()
        let error = await #expect(throws: SoundError.self) { _ = try await next.value }
        #expect(error?.code == .cancelled)
        let closed = await #expect(throws: SoundError.self) { try await microphone.nextBlock() }
        #expect(closed?.code == .cancelled)
    }

    @Test func `the tone crosses zero twice for each of its periods`() {
        let format = SoundFormat(rate: 48_000, channels: 1)
        let samples = PatternMicrophone<ManualClock>.tone(format, from: 0, count: 48_000)
        let crossings = zip(samples, samples.dropFirst()).filter { ($0 < 0) != ($1 < 0) }.count
        #expect((879...880).contains(crossings))
    }
}
