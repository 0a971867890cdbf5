import MessageSchema
import Sound

@testable import CaptureService

/// A microphone that does what the test says, when it says it.
actor ScriptedMicrophone: SoundDevice {
    nonisolated let microphone = Microphone(
        id: "scripted",
        name: "Scripted microphone",
        driver: "script",
        builtIn: false,
        availability: Availability(.available)
    )
    private typealias Waiter = CheckedContinuation<Result<SoundBlock, SoundError>, Never>
    private let opening: Result<SoundFormat, SoundError>
    private var pending: [Result<SoundBlock, SoundError>] = []
    private var waiter: Waiter?
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private(set) var isOpen = false
    private(set) var openings = 0
    /// Blocks that somebody took.
    private(set) var taken = 0

    init(_ format: SoundFormat = Tone.format, opening: SoundError? = nil) {
        self.opening = opening.map { .failure($0) } ?? .success(format)
    }

    func open(_ wanted: WantedSound) async throws(SoundError) -> SoundFormat {
        guard !isOpen else { throw SoundError(.inUse) }
        openings += 1
        let format = try opening.get()
        isOpen = true
        return format
    }

    func nextBlock() async throws(SoundError) -> SoundBlock {
        guard isOpen, !Task.isCancelled else { throw SoundError(.cancelled) }
        if !pending.isEmpty {
            taken += 1
            return try pending.removeFirst().get()
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                precondition(waiter == nil, "A pump waits for one block at a time.")
                if Task.isCancelled { return continuation.resume(returning: .failure(SoundError(.cancelled))) }
                waiter = continuation
                tellWatchers()
            }
        } onCancel: {
            Task { await self.cancel() }
        }
        taken += 1
        return try result.get()
    }

    func close() async {
        isOpen = false
        cancel()
        tellWatchers()
    }

    // MARK: The test's side

    func send(_ block: SoundBlock) { give(.success(block)) }

    func fail(_ error: SoundError) { give(.failure(error)) }

    /// Waits until somebody waits for a block, with whom what was sent before is then, or until it is closed.
    func waits() async {
        guard waiter == nil, isOpen else { return }
        await withCheckedContinuation { watchers.append($0) }
    }

    private func give(_ result: Result<SoundBlock, SoundError>) {
        if let waiter = waiter.take() { waiter.resume(returning: result) } else { pending.append(result) }
    }

    private func tellWatchers() {
        for watcher in watchers { watcher.resume() }
        watchers = []
    }

    private func cancel() { waiter.take()?.resume(returning: .failure(SoundError(.cancelled))) }
}

/// Sound whose samples say when they were taken: each is the number of its tenth of a second since second 1.
enum Tone {
    static let format = SoundFormat(rate: 8_000, channels: 1)

    /// A block of so many milliseconds that was taken at a time in microseconds.
    static func block(at time: Int64, milliseconds: Int = 100, offset: Int64 = 0) -> SoundBlock {
        let frames = format.rate * milliseconds / 1000
        let samples = (0..<frames).map { index in
            Int16(clamping: (time - 1_000_000 + format.microseconds(index)) / 100_000 + 1)
        }
        return SoundBlock(format: format, samples: samples, microseconds: time + offset)
    }

    /// Runs of equal samples: the sample, and how many.
    static func runs(_ samples: [Int16]) -> [[Int]] {
        var runs: [[Int]] = []
        for sample in samples {
            if runs.last?[0] == Int(sample) { runs[runs.count - 1][1] += 1 } else { runs.append([Int(sample), 1]) }
        }
        return runs
    }
}
