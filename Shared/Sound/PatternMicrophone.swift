private import Glibc
package import MessageSchema

/// A microphone that needs no hardware: a steady tone, paced by a clock.
///
/// Like a sound card it counts samples from when it was opened, whether somebody takes them or not; the tone goes on
/// through what nobody took.
package actor PatternMicrophone<Time: Clock>: SoundDevice where Time.Duration == Duration {
    /// Hertz of its tone.
    package static var frequency: Double { 440 }
    /// The largest sample of its tone.
    package static var amplitude: Double { 8_000 }
    /// How long a block is: fifty a second.
    private static var block: Duration { .milliseconds(20) }
    /// Blocks that are kept for whoever takes them late.
    private static var depth: Int { 25 }

    package nonisolated let microphone: Microphone
    private let clock: Time
    private let now: @Sendable () -> Int64
    private var stream: Stream?
    private var waiting: Task<Void, any Error>?
    /// Counts openings, so that a wait that ends after a close does not touch the next one.
    private var generation = 0

    private struct Stream {
        let format: SoundFormat
        let start: Time.Instant
        let startMicroseconds: Int64
        /// The number of the block that comes next.
        var next = 0
    }

    /// The built-in microphone.
    ///
    /// - Parameters:
    ///   - microphone: `BuiltInMicrophones.tone`.
    ///   - clock: What paces the blocks.
    ///   - now: Microseconds of CLOCK_MONOTONIC.
    package init(
        _ microphone: Microphone = BuiltInMicrophones.tone,
        clock: Time,
        now: @escaping @Sendable () -> Int64 = { SoundClock.now() }
    ) {
        self.microphone = microphone
        self.clock = clock
        self.now = now
    }

    package func open(_ wanted: WantedSound) async throws(SoundError) -> SoundFormat {
        guard stream == nil else { throw SoundError(.inUse, "open already") }
        let format = SoundFormat(
            rate: min(max(wanted.rate, 8_000), 96_000),
            channels: min(max(wanted.channels, 1), 2)
        )
        generation += 1
        stream = Stream(format: format, start: clock.now, startMicroseconds: now())
        return format
    }

    package func nextBlock() async throws(SoundError) -> SoundBlock {
        guard var stream, !Task.isCancelled else { throw SoundError(.cancelled) }
        let elapsed = Int(stream.start.duration(to: clock.now) / Self.block)
        let oldest = elapsed - Self.depth
        let number = max(stream.next, oldest)
        let isAfterLoss = number > stream.next
        stream.next = number + 1
        let generation = generation
        let deadline = stream.start.advanced(by: Self.block * (number + 1))
        if clock.now < deadline { try await wait(until: deadline) }
        guard self.generation == generation else { throw SoundError(.cancelled) }
        self.stream = stream
        let frames = stream.format.rate / 50
        return SoundBlock(
            format: stream.format,
            samples: Self.tone(stream.format, from: number * frames, count: frames),
            microseconds: stream.startMicroseconds + stream.format.microseconds(number * frames),
            isAfterLoss: isAfterLoss
        )
    }

    package func close() {
        generation += 1
        waiting?.cancel()
        waiting = nil
        stream = nil
    }

    /// Samples of the tone, which is the same in all channels.
    package static func tone(_ format: SoundFormat, from first: Int, count: Int) -> [Int16] {
        var samples: [Int16] = []
        samples.reserveCapacity(count * format.channels)
        for frame in first..<first + count {
            // The phase starts anew each second, in which there are whole periods, so that it stays exact for ever.
            let time = Double(frame % format.rate) / Double(format.rate)
            let sample = Int16(amplitude * sin(2 * .pi * frequency * time))
            for _ in 0..<format.channels { samples.append(sample) }
        }
        return samples
    }

    private func wait(until deadline: Time.Instant) async throws(SoundError) {
        let task = Task { [clock] in try await clock.sleep(until: deadline, tolerance: nil) }
        waiting = task
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        if case .failure = result { throw SoundError(.cancelled) }
    }
}

/// The microphone that is always there.
package enum BuiltInMicrophones {
    /// Gives a tone of 440 Hz.
    package static let tone = Microphone(
        id: "pattern-microphone",
        name: "Pattern microphone",
        driver: "pattern",
        builtIn: true,
        availability: Availability(.available)
    )
}
