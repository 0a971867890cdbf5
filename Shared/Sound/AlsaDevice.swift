private import CAlsa
private import Glibc

/// An open sound device of the kernel, owned: dropped, it is stopped and closed.
///
/// Nothing here waits. Source: the alsa-lib reference, "PCM (digital audio) interface".
@safe struct AlsaDevice: ~Copyable {
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

    private let pcm: OpaquePointer
    /// What it was set to.
    let format: SoundFormat
    /// Ready when a period is there; stays open as long as the device.
    let descriptor: Int32
    private let room: UInt32

    /// Opens the device with this name of alsa-lib's, and starts it.
    ///
    /// - Throws: `absent`, `denied`, `inUse`, `notSupported`, `fault`.
    init(name: String, _ wanted: WantedSound) throws(SoundError) {
        var setting = calsa_setting(
            rate: UInt32(clamping: wanted.rate),
            channels: UInt32(clamping: wanted.channels),
            period: 0,
            buffer: 0
        )
        var opened: OpaquePointer?
        let result = unsafe calsa_open(name, &setting, &opened)
        guard result >= 0, let pcm = unsafe opened else {
            throw SoundError(result: result, operation: "snd_pcm_open", wasOpen: false)
        }
        let descriptor = unsafe calsa_descriptor(pcm)
        let started = descriptor < 0 ? descriptor : unsafe calsa_start(pcm)
        guard started >= 0, setting.rate > 0, (1...8).contains(setting.channels) else {
            unsafe calsa_close(pcm)
            throw SoundError(result: started < 0 ? started : -EINVAL, operation: "snd_pcm_start", wasOpen: false)
        }
        unsafe self.pcm = unsafe pcm
        self.descriptor = descriptor
        format = SoundFormat(rate: Int(setting.rate), channels: Int(setting.channels))
        room = max(setting.buffer, setting.period)
    }

    deinit { unsafe calsa_close(pcm) }

    /// Reads what is there.
    ///
    /// - Parameter now: Microseconds of CLOCK_MONOTONIC, for devices that tell no time.
    /// - Returns: Sound, or why there is none.
    /// - Throws: `removed`, `fault`.
    mutating func read(now: () -> Int64) throws(SoundError) -> Reading {
        var position = calsa_position()
        let located = unsafe calsa_locate(pcm, &position)
        guard located >= 0 else { return try recover(from: located, operation: "snd_pcm_htimestamp") }
        guard position.available > 0 else { return .empty }
        let end = position.microseconds > 0 ? position.microseconds : now()
        let count = min(position.available, room)
        var samples = [Int16](repeating: 0, count: Int(count) * format.channels)
        let read = unsafe samples.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe calsa_read(pcm, start, count)
        }
        guard read >= 0 else { return try recover(from: read, operation: "snd_pcm_readi") }
        guard read > 0 else { return .empty }
        samples.removeLast(samples.count - Int(read) * format.channels)
        return .samples(samples, microseconds: end - format.microseconds(Int(position.available)))
    }

    /// Starts it anew, as after an overrun.
    ///
    /// - Throws: `removed`, `fault`.
    mutating func restart() throws(SoundError) {
        let result = unsafe calsa_start(pcm)
        guard result >= 0 else { throw SoundError(result: result, operation: "snd_pcm_prepare", wasOpen: true) }
    }

    /// What alsa-lib's reference tells to do by each answer ("Error handling", `snd_pcm_recover`).
    private mutating func recover(from result: Int32, operation: String) throws(SoundError) -> Reading {
        switch -result {
        case EAGAIN, EINTR: return .empty
        case EPIPE:
            try restart()
            return .restarted
        case ESTRPIPE:
            let resumed = unsafe calsa_resume(pcm)
            if resumed == -EAGAIN { return .resuming }
            if resumed < 0 { try restart() }
            return .restarted
        // A device that was unplugged answers EBADFD too: its state is "disconnected".
        case EBADFD: throw SoundError(.removed, operation, errorNumber: EBADFD)
        default: throw SoundError(result: result, operation: operation, wasOpen: true)
        }
    }
}
