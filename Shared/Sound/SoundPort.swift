private import CAlsa

/// An open sound device, as far as a microphone needs one: the calls of alsa-lib.
///
/// Each answers 0 or more, or the negative of errno, and none waits. Conformers: `AlsaPort`, and scripted ones of tests,
/// which answer what no sound card does on demand.
package protocol SoundPort: AnyObject {
    /// What it was set to.
    var setting: SoundPortSetting { get }

    /// Ready to read when a period is there; stays open as long as the port.
    var descriptor: Int32 { get }

    /// Steers it.
    func run(_ step: SoundPortStep) -> Int32

    /// Where sound that is read next was taken.
    func locate() -> (result: Int32, position: SoundPortPosition)

    /// Reads up to so many frames.
    ///
    /// - Returns: How many, and the samples of all their channels.
    func read(_ frames: Int) -> (result: Int32, samples: [Int16])
}

/// What a sound device was set to.
package struct SoundPortSetting: Hashable, Sendable {
    package var rate: Int
    package var channels: Int
    /// Frames that there is room for.
    package var room: Int

    /// A setting by its parts.
    package init(rate: Int, channels: Int, room: Int) {
        self.rate = rate
        self.channels = channels
        self.room = room
    }
}

/// How a sound device is steered (the alsa-lib reference, "PCM (digital audio) interface").
package enum SoundPortStep: Hashable, Sendable {
    /// `snd_pcm_drop`: stops it where it runs.
    case drop
    /// `snd_pcm_prepare`: refused with EBUSY while it runs.
    case prepare
    /// `snd_pcm_start`.
    case start
    /// `snd_pcm_resume`: after the machine slept.
    case resume
}

/// What a sound device says of the sound that is read next.
package struct SoundPortPosition: Hashable, Sendable {
    /// Frames that can be read now.
    package var available: Int
    /// Microseconds of CLOCK_MONOTONIC at which so many were available; 0 where the device does not tell.
    package var microseconds: Int64

    /// A position by its parts.
    package init(available: Int = 0, microseconds: Int64 = 0) {
        self.available = available
        self.microseconds = microseconds
    }
}

/// A sound device of the kernel, or what alsa-lib makes of one; it is stopped and closed when the object goes.
@safe final class AlsaPort: SoundPort {
    private let pcm: OpaquePointer
    let setting: SoundPortSetting
    let descriptor: Int32

    /// Opens the device with this name of alsa-lib's, and does not start it.
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
        guard descriptor >= 0 else {
            unsafe calsa_close(pcm)
            throw SoundError(result: descriptor, operation: "snd_pcm_poll_descriptors", wasOpen: false)
        }
        unsafe self.pcm = unsafe pcm
        self.descriptor = descriptor
        self.setting = SoundPortSetting(
            rate: Int(setting.rate),
            channels: Int(setting.channels),
            room: Int(max(setting.buffer, setting.period))
        )
    }

    deinit { unsafe calsa_close(pcm) }

    func run(_ step: SoundPortStep) -> Int32 {
        switch step {
        case .drop: unsafe calsa_drop(pcm)
        case .prepare: unsafe calsa_prepare(pcm)
        case .start: unsafe calsa_start(pcm)
        case .resume: unsafe calsa_resume(pcm)
        }
    }

    func locate() -> (result: Int32, position: SoundPortPosition) {
        var position = calsa_position()
        let result = unsafe calsa_locate(pcm, &position)
        return (
            result, SoundPortPosition(available: Int(position.available), microseconds: position.microseconds)
        )
    }

    func read(_ frames: Int) -> (result: Int32, samples: [Int16]) {
        var samples = [Int16](repeating: 0, count: frames * setting.channels)
        let result = unsafe samples.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe calsa_read(pcm, start, UInt32(clamping: frames))
        }
        samples.removeLast(samples.count - max(0, Int(result)) * setting.channels)
        return (result, samples)
    }
}
