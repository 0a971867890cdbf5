package import Logging
package import MessageSchema

/// The workers that decode: started when there is work, ended when there is none, one bad file costs one worker.
///
/// A worker sees files of one owner alone: what a hostile file made of it can lie about no others'.
///
/// Nothing here blocks; each worker has a thread of its own.
package actor DecoderPool {
    /// What a worker may use and how long it lives.
    package struct Limits: Hashable, Sendable {
        /// How many workers at a time.
        package var workers = 2
        /// How long one file may take.
        package var deadline = Duration.seconds(20)
        /// How long an idle worker is kept.
        package var idle = Duration.seconds(30)
        /// After so many files a worker is replaced, so that its memory does not grow for ever.
        package var filesPerWorker = 500
        /// How many workers one file may cost.
        package var attempts = 2
        /// Bytes of address space; the worker lowers its other limits itself.
        package var addressSpace: UInt64 = 3 << 30
        /// Open descriptors.
        package var openFiles: UInt64 = 32

        package init() {}
    }

    /// A picture or a redaction from a worker may have at most so many bytes.
    static let mostContentBytes = 32 << 20

    /// How a file came out.
    package enum Outcome: Sendable {
        /// A worker answered.
        case answered(DecoderReply, content: [UInt8]?)
        /// It cost as many workers as a file may; the last one's end.
        case quarantined(reason: String)
    }

    private let executable: String
    private let limits: Limits
    private let log: Logger
    private let clock: any Clock<Duration>

    /// A worker without work, and whose files it has seen.
    private struct Idle {
        let worker: DecoderWorkerProcess
        let owner: String
    }

    private var idle: [Idle] = []
    private var busy = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var retirement: Task<Void, Never>?

    /// A pool without workers.
    ///
    /// `executable` is the path of `obscura-decoder`.
    package init(
        executable: String,
        limits: Limits = Limits(),
        clock: any Clock<Duration> = ContinuousClock(),
        log: Logger
    ) {
        self.executable = executable
        self.limits = limits
        self.clock = clock
        self.log = log
    }

    deinit {
        retirement?.cancel()
    }

    /// How many workers live now.
    package var workerCount: Int { idle.count + busy }

    /// Has a worker do a job on a file; a file that ends workers is tried again at most once.
    ///
    /// `owner` is whose file it is, or is going to be.
    /// - Throws: `LibraryError`: `noDecoder`.
    package func perform(_ job: DecoderJob, on file: SharedFile, for owner: String) async throws -> Outcome {
        var reason = ""
        for attempt in 1...max(1, limits.attempts) {
            let worker = try await takeWorker(for: owner)
            let outcome = await worker.perform(job, on: file, within: limits.deadline)
            switch outcome {
            case .answered(let reply, let content):
                await giveBack(worker, of: owner)
                return .answered(reply, content: content)
            case .unfit(let why):
                giveUp()
                throw LibraryError(.noDecoder(reason: why))
            case .lost(let why):
                giveUp()
                reason = why
                log.warning(
                    "a decoder was lost",
                    [
                        "decoder.job": .string(job.job.rawValue), "decoder.attempt": .count(attempt),
                        "reason": .string(why),
                    ]
                )
            }
        }
        return .quarantined(reason: reason)
    }

    // MARK: - Workers

    private func takeWorker(for owner: String) async throws -> DecoderWorkerProcess {
        while busy >= limits.workers {
            await withCheckedContinuation { waiting.append($0) }
        }
        busy += 1
        if let index = idle.lastIndex(where: { $0.owner == owner }) { return idle.remove(at: index).worker }
        // One more would be too many.
        if !idle.isEmpty, workerCount > limits.workers { idle.removeFirst() }
        do {
            return try await DecoderPool.start(executable, limits)
        } catch {
            giveUp()
            throw LibraryError(.noDecoder(reason: "\(error)"))
        }
    }

    /// Off the pool's own executor, because starting a process takes milliseconds.
    @concurrent
    private static func start(_ executable: String, _ limits: Limits) async throws -> DecoderWorkerProcess {
        try DecoderWorkerProcess(executable: executable, limits: limits)
    }

    private func giveBack(_ worker: DecoderWorkerProcess, of owner: String) async {
        let isWornOut = await worker.jobs >= limits.filesPerWorker
        if !isWornOut { idle.append(Idle(worker: worker, owner: owner)) }
        giveUp()
        scheduleRetirement()
    }

    private func giveUp() {
        busy -= 1
        if !waiting.isEmpty { waiting.removeFirst().resume() }
    }

    /// Ends idle workers after a while without work; each new idle one begins the while again.
    private func scheduleRetirement() {
        retirement?.cancel()
        guard !idle.isEmpty else { return }
        // Belongs to the pool, which cancels it; it holds the pool only weakly.
        retirement = Task { [weak self, clock, limits] in
            do {
                try await clock.sleep(for: limits.idle)
                await self?.retire()
            } catch {
                // Cancelled: there is new work, or the pool is gone.
            }
        }
    }

    private func retire() {
        idle.removeAll()
    }
}
