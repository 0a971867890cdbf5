import Glibc
import Sound
import Synchronization

/// A sound device that does what a sound card does, and answers what the test says.
///
/// Like the kernel's it can not be prepared while it runs, and one that has lost sound does not run.
final class ScriptedPort: SoundPort, Sendable {
    private struct State {
        var isRunning = false
        var starts = 0
        /// Frames that wait, and those that were read.
        var frames = 0
        var heard = 0
        var steps: [SoundPortStep] = []
        var script = Script()
    }

    /// What a port answers.
    struct Script {
        /// What it answers to a look for sound, the first first, and what to all others.
        var failures: [Int32] = []
        var lastFailure: Int32?
        /// What it answers to the wish to go on after the machine slept.
        var awakenings: [Int32] = []
        /// At which of its starts it begins to give sound by itself.
        var givesAtStart: Int?
    }

    let setting: SoundPortSetting
    let descriptor: Int32
    private let writing: Int32
    private let state: Mutex<State>

    init(_ script: Script = Script(), rate: Int = 48_000, channels: Int = 1) {
        setting = SoundPortSetting(rate: rate, channels: channels, room: rate / 2)
        var state = State()
        state.script = script
        self.state = Mutex(state)
        var ends: [Int32] = [-1, -1]
        let result = unsafe pipe(&ends)
        precondition(result == 0, "a test has descriptors left")
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// How it was steered.
    var steps: [SoundPortStep] { state.withLock { $0.steps } }

    /// A period comes.
    func give() {
        state.withLock { $0.frames += setting.rate / 50 }
        wake()
    }

    private func wake() {
        var byte: UInt8 = 0
        let written = unsafe write(writing, &byte, 1)
        precondition(written == 1, "a pipe takes a byte")
    }

    func run(_ step: SoundPortStep) -> Int32 {
        let (result, gives) = state.withLock { state -> (Int32, Bool) in
            state.steps.append(step)
            switch step {
            case .drop: state.isRunning = false
            case .prepare: if state.isRunning { return (-EBUSY, false) }
            case .start:
                state.isRunning = true
                state.starts += 1
                return (0, state.starts == state.script.givesAtStart)
            case .resume:
                return (state.script.awakenings.isEmpty ? -ENOSYS : state.script.awakenings.removeFirst(), false)
            }
            return (0, false)
        }
        if gives { give() }
        return result
    }

    func locate() -> (result: Int32, position: SoundPortPosition) {
        state.withLock { state in
            let failure =
                state.script.failures.isEmpty ? state.script.lastFailure : state.script.failures.removeFirst()
            if let failure {
                state.isRunning = false
                return (-failure, SoundPortPosition())
            }
            let end = Int64(state.heard + state.frames) * 1_000_000 / Int64(setting.rate)
            return (0, SoundPortPosition(available: state.frames, microseconds: 1_000_000 + end))
        }
    }

    func read(_ frames: Int) -> (result: Int32, samples: [Int16]) {
        state.withLock { state in
            let count = min(frames, state.frames)
            state.frames -= count
            state.heard += count
            for _ in 0..<count / (setting.rate / 50) {
                var byte: UInt8 = 0
                let read = unsafe Glibc.read(descriptor, &byte, 1)
                precondition(read == 1, "each period has a byte")
            }
            return (Int32(count), [Int16](repeating: 1, count: count * setting.channels))
        }
    }
}
