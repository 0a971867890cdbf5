private import EventLoop
private import Glibc
package import MessageSchema
private import Timekeeping

/// A microphone of the kernel's.
///
/// Pinned to an event loop of its own, so that reading waits for nobody. The device is closed on that loop.
package actor AlsaMicrophone: SoundDevice {
    package nonisolated let microphone: Microphone
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// Opens a device by a name; the port is not started.
    package typealias Opening = @Sendable (_ name: String, WantedSound) throws(SoundError) -> any SoundPort

    /// Opens a device by alsa-lib.
    package static let alsa: Opening = { name, wanted throws(SoundError) -> any SoundPort in
        try AlsaPort(name: name, wanted)
    }

    /// How often a microphone that gives nothing is started anew, before it is given up.
    private static let silentRestarts = 2
    /// How often one is whose sound is lost before any of it can be read.
    private static let barrenRestarts = 10
    /// How long after the machine slept a device is asked again, and how often until it is started anew.
    private static let awakening = Duration.milliseconds(100)
    private static let awakenings = 20

    /// What a microphone did since it gave sound.
    private struct Silence {
        var timeouts = 0
        var losses = 0
        var awakenings = 0
    }

    private let loop = EventLoop(name: "sound")
    private let names: @Sendable () -> [String]
    private let patience: Duration
    private let opening: Opening
    private var device: AlsaDevice?
    private var generation = 0
    private var silence = Silence()
    private var isAfterLoss = false
    private var waiting: Task<EventLoop.Wake, Never>?

    /// A microphone that is not opened yet.
    ///
    /// - Parameters:
    ///   - microphone: What the scan found.
    ///   - patience: How long a microphone that gives nothing is waited for, before it is started anew.
    ///   - opening: How a device is opened: by alsa-lib, unless told otherwise.
    ///   - names: alsa-lib's names of its device when it is opened, none when it is gone: the first one that takes the format
    ///     is used. Names count cards, whose numbers others may have by then.
    package init(
        _ microphone: Microphone,
        patience: Duration = .seconds(2),
        opening: @escaping Opening = AlsaMicrophone.alsa,
        names: @escaping @Sendable () -> [String]
    ) {
        self.microphone = microphone
        self.patience = patience
        self.opening = opening
        self.names = names
    }

    isolated deinit {}

    package func open(_ wanted: WantedSound) async throws(SoundError) -> SoundFormat {
        guard device == nil else { throw SoundError(.inUse, "open already") }
        var problem = SoundError(.absent)
        for name in names() {
            do throws(SoundError) {
                let opened = try AlsaDevice(try opening(name, wanted))
                device = opened
                generation += 1
                silence = Silence()
                isAfterLoss = false
                return opened.format
            } catch {
                problem = error
                // Another name may convert what the device itself does not give.
                guard error.code == .notSupported else { throw error }
            }
        }
        throw problem
    }

    package func nextBlock() async throws(SoundError) -> SoundBlock {
        while true {
            // Closed since the block before, and nothing is wrong with it.
            guard let format = device?.format, let descriptor = device?.descriptor, !Task.isCancelled else {
                throw SoundError(.cancelled)
            }
            let generation = generation
            let wake: EventLoop.Wake
            var isInVain = true
            switch try device?.read(now: { SoundClock.now() }) ?? .empty {
            case .samples(let samples, let microseconds):
                defer { isAfterLoss = false }
                silence = Silence()
                return SoundBlock(
                    format: format,
                    samples: samples,
                    microseconds: microseconds,
                    isAfterLoss: isAfterLoss
                )
            case .restarted:
                isAfterLoss = true
                silence.losses += 1
                guard silence.losses <= Self.barrenRestarts else {
                    throw SoundError(.stalled, "all that the microphone gives is lost")
                }
                continue
            case .resuming:
                silence.awakenings += 1
                isInVain = silence.awakenings.isMultiple(of: Self.awakenings)
                wake = await wait(for: nil, until: BootInstant.now() + Self.awakening)
            case .empty:
                wake = await wait(for: descriptor, until: BootInstant.now() + patience)
            }
            guard generation == self.generation, wake != .cancelled else { throw SoundError(.cancelled) }
            if wake == .timedOut, isInVain { try waitedInVain() }
        }
    }

    package func close() async {
        generation += 1
        let closing = generation
        if let waiting {
            waiting.cancel()
            _ = await waiting.value
        }
        guard generation == closing else { return }
        device = nil
    }

    /// Starts a device anew that gave nothing for long enough.
    ///
    /// - Throws: `stalled` for one that was started anew often enough; `removed`, `fault`.
    private func waitedInVain() throws(SoundError) {
        isAfterLoss = true
        silence.timeouts += 1
        guard silence.timeouts <= Self.silentRestarts else {
            throw SoundError(.stalled, "the microphone gives nothing")
        }
        try device?.restart()
    }

    /// Waits in a task of its own, so that `close` can end it, and not only the cancelling of whoever called.
    private func wait(for descriptor: Int32?, until deadline: BootInstant) async -> EventLoop.Wake {
        let task = Task { () -> EventLoop.Wake in
            guard let descriptor else {
                do {
                    try await self.loop.sleep(until: deadline)
                    return .timedOut
                } catch {
                    return .cancelled
                }
            }
            return await self.loop.wait(for: .descriptor(descriptor, events: CShort(POLLIN)), until: deadline)
        }
        waiting = task
        defer { waiting = nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
