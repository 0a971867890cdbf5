private import Glibc

/// An open sound device, read as alsa-lib's reference tells: dropped, it is stopped and closed.
///
/// Nothing here waits. Source: the alsa-lib reference, "PCM (digital audio) interface".
struct AlsaDevice {
    /// What can come of an attempt to read.
    enum Reading {
        /// Sound, and the microseconds of CLOCK_MONOTONIC at which its first frame was taken.
        case samples([Int16], microseconds: Int64)
        /// None yet: wait for the descriptor.
        case empty
        /// Some was lost, or the machine slept; the device goes on.
        case restarted
        /// The machine woke up, and the device has not yet: try again soon.
        case resuming
    }

    private let port: any SoundPort
    /// What it was set to.
    let format: SoundFormat
    /// Ready when a period is there; stays open as long as the device.
    var descriptor: Int32 { port.descriptor }

    /// Takes an open device, and starts it.
    ///
    /// - Throws: `notSupported` for what no film can have, which a conversion may mend; `absent`, `fault`.
    init(_ port: any SoundPort) throws(SoundError) {
        let setting = port.setting
        guard SoundFormat.rates.contains(setting.rate), SoundFormat.channelCounts.contains(setting.channels) else {
            throw SoundError(.notSupported, "\(setting.channels) channels of \(setting.rate) samples a second")
        }
        self.port = port
        format = SoundFormat(rate: setting.rate, channels: setting.channels)
        for step in [SoundPortStep.prepare, .start] {
            let result = port.run(step)
            guard result >= 0 else { throw SoundError(result: result, operation: "snd_pcm_\(step)", wasOpen: false) }
        }
    }

    /// Reads what is there.
    ///
    /// - Parameter now: Microseconds of CLOCK_MONOTONIC, for devices that tell no time.
    /// - Returns: Sound, or why there is none.
    /// - Throws: `removed`, `fault`.
    func read(now: () -> Int64) throws(SoundError) -> Reading {
        let (located, position) = port.locate()
        guard located >= 0 else { return try recover(from: located, operation: "snd_pcm_htimestamp") }
        guard position.available > 0 else { return .empty }
        let end = position.microseconds > 0 ? position.microseconds : now()
        let (read, samples) = port.read(min(position.available, port.setting.room))
        guard read >= 0 else { return try recover(from: read, operation: "snd_pcm_readi") }
        guard read > 0 else { return .empty }
        return .samples(samples, microseconds: end - format.microseconds(position.available))
    }

    /// Starts it anew, as after an overrun, and where it runs and gives nothing.
    ///
    /// - Throws: `removed`, `fault`.
    func restart() throws(SoundError) {
        // A device that runs can not be prepared (EBUSY). One that can not be stopped says why when it is.
        _ = port.run(.drop)
        for step in [SoundPortStep.prepare, .start] {
            let result = port.run(step)
            guard result >= 0 else { throw Self.error(result, operation: "snd_pcm_\(step)") }
        }
    }

    /// What alsa-lib's reference tells to do by each answer ("Error handling", `snd_pcm_recover`).
    private func recover(from result: Int32, operation: String) throws(SoundError) -> Reading {
        switch -result {
        case EAGAIN, EINTR: return .empty
        case EPIPE:
            try restart()
            return .restarted
        case ESTRPIPE:
            let resumed = port.run(.resume)
            if resumed == -EAGAIN { return .resuming }
            if resumed < 0 { try restart() }
            return .restarted
        default: throw Self.error(result, operation: operation)
        }
    }

    private static func error(_ result: Int32, operation: String) -> SoundError {
        // A device that was unplugged answers EBADFD too: its state is "disconnected".
        guard result != -EBADFD else { return SoundError(.removed, operation, errorNumber: EBADFD) }
        return SoundError(result: result, operation: operation, wasOpen: true)
    }
}
