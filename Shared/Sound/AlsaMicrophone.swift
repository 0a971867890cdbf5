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

    /// How long a microphone that gives nothing is waited for, before it is started anew, and then given up.
    private static let silence = Duration.seconds(2)
    private static let restarts = 2

    private let loop = EventLoop(name: "sound")
    private let names: [String]
    private var device: AlsaDevice?
    private var generation = 0
    private var silentRestarts = 0
    private var isAfterLoss = false
    private var waiting: Task<EventLoop.Wake, Never>?

    /// A microphone that is not opened yet.
    ///
    /// - Parameters:
    ///   - microphone: What the scan found.
    ///   - names: alsa-lib's names of its device: the first one that takes the format is used.
    package init(_ microphone: Microphone, names: [String]) {
        self.microphone = microphone
        self.names = names
    }

    isolated deinit {}

    package func open(_ wanted: WantedSound) async throws(SoundError) -> SoundFormat {
        guard device == nil else { throw SoundError(.inUse, "open already") }
        var problem = SoundError(.absent)
        for name in names {
            do throws(SoundError) {
                let opened = try AlsaDevice(name: name, wanted)
                let format = opened.format
                device = consume opened
                generation += 1
                silentRestarts = 0
                isAfterLoss = false
                return format
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
            guard let format = device?.format, let descriptor = device?.descriptor else {
                throw SoundError(.fault, "not open")
            }
            guard !Task.isCancelled else { throw SoundError(.cancelled) }
            let generation = generation
            let wake: EventLoop.Wake
            switch try device?.read(now: { SoundClock.now() }) ?? .empty {
            case .samples(let samples, let microseconds):
                defer { isAfterLoss = false }
                silentRestarts = 0
                return SoundBlock(
                    format: format,
                    samples: samples,
                    microseconds: microseconds,
                    isAfterLoss: isAfterLoss
                )
            case .restarted:
                isAfterLoss = true
                continue
            case .resuming:
                wake = await wait(for: nil, until: BootInstant.now() + .milliseconds(100))
                guard generation == self.generation, wake != .cancelled else { throw SoundError(.cancelled) }
                continue
            case .empty:
                wake = await wait(for: descriptor, until: BootInstant.now() + Self.silence)
            }
            guard generation == self.generation, wake != .cancelled else { throw SoundError(.cancelled) }
            if wake == .timedOut {
                silentRestarts += 1
                guard silentRestarts <= Self.restarts else {
                    throw SoundError(.stalled, "the microphone gives nothing")
                }
                isAfterLoss = true
                try device?.restart()
            }
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
