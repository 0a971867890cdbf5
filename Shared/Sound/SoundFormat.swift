/// What sound is like: 16-bit little-endian samples, those of all channels one after the other.
package struct SoundFormat: Hashable, Sendable {
    /// The rates that a film can have; a device that has others alone is read with a conversion.
    package static let rates = 1_000...65_535
    /// So many channels can a film have; a device that has more is read with a conversion.
    package static let channelCounts = 1...2

    /// Samples a second of each channel.
    package let rate: Int
    package let channels: Int

    /// The format with this rate and so many channels.
    package init(rate: Int, channels: Int) {
        precondition(rate > 0 && channels > 0, "Sound has a rate and channels.")
        self.rate = rate
        self.channels = channels
    }

    /// Bytes of one frame: a sample of each channel.
    package var frameByteCount: Int { channels * 2 }

    /// Microseconds that so many frames last.
    package func microseconds(_ frames: Int) -> Int64 { Int64(frames) * 1_000_000 / Int64(rate) }

    /// The frame at which so many microseconds are over, to the nearest one.
    package func frames(_ microseconds: Int64) -> Int64 {
        let (scaled, overflow) = microseconds.multipliedReportingOverflow(by: Int64(rate))
        guard !overflow else { return microseconds / 1_000_000 * Int64(rate) }
        return (scaled + (scaled < 0 ? -500_000 : 500_000)) / 1_000_000
    }
}

/// What a microphone shall give; it takes the nearest that it has.
package struct WantedSound: Hashable, Sendable {
    package var rate: Int
    package var channels: Int

    /// 48,000 samples a second of one channel, unless told otherwise.
    package init(rate: Int = 48_000, channels: Int = 1) {
        self.rate = rate
        self.channels = channels
    }
}

/// Some sound in a row.
package struct SoundBlock: Hashable, Sendable {
    package let format: SoundFormat
    /// The samples of all channels, frame after frame.
    package let samples: [Int16]
    /// Microseconds of CLOCK_MONOTONIC at which its first frame was taken.
    package let microseconds: Int64
    /// Whether sound was lost before it: the microphone was not read in time, or the machine slept.
    package let isAfterLoss: Bool

    /// A block with all its parts; samples that make no whole frame at the end are left out.
    package init(format: SoundFormat, samples: [Int16], microseconds: Int64, isAfterLoss: Bool = false) {
        self.format = format
        let rest = samples.count % format.channels
        self.samples = rest == 0 ? samples : Array(samples.dropLast(rest))
        self.microseconds = microseconds
        self.isAfterLoss = isAfterLoss
    }

    /// How many frames it has.
    package var frameCount: Int { samples.count / format.channels }
}
