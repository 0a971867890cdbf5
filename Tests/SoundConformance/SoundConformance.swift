package import Sound
private import Testing

/// What every microphone promises to whoever hears it (`SoundDevice`), to be shown for each kind of microphone alike.
package enum SoundRule: String, CaseIterable, Sendable {
    case `gives nothing before it is opened, and is no failure`
    case `gives whole blocks of the format it told, later and later`
    case `is opened once at a time`
    case `loses no sound by a wait that is cancelled`
    case `gives nothing to a task that is cancelled already`
    case `ends a wait when it is closed, and can be opened again`
    case `is no failure after it was closed between two blocks`
}

/// A microphone under test, and how its sound is made to come.
package struct SoundSubject: Sendable {
    package let device: any SoundDevice
    /// Whether the next block comes only when the test says so; else it may come at any time.
    package let isPaced: Bool
    /// Waits until the microphone waits for sound; returns at once where that can not be known.
    let waits: @Sendable () async -> Void
    /// Makes the sound come that is waited for.
    let give: @Sendable () async -> Void

    /// A microphone whose sound comes by itself.
    package init(_ device: any SoundDevice) {
        self.device = device
        isPaced = false
        waits = {}
        give = {}
    }

    /// A microphone whose sound comes when the test says so.
    package init(
        _ device: any SoundDevice,
        waits: @escaping @Sendable () async -> Void,
        give: @escaping @Sendable () async -> Void
    ) {
        self.device = device
        self.waits = waits
        self.give = give
        isPaced = true
    }

    /// Checks a rule on a microphone that is closed; it is closed afterwards.
    package func check(_ rule: SoundRule) async throws {
        switch rule {
        case .`gives nothing before it is opened, and is no failure`:
            await isNotOpen()
            await device.close()
        case .`gives whole blocks of the format it told, later and later`: try await checkBlocks()
        case .`is opened once at a time`: try await checkOpenTwice()
        case .`loses no sound by a wait that is cancelled`: try await checkCancelling()
        case .`gives nothing to a task that is cancelled already`: try await checkCancelledBefore()
        case .`ends a wait when it is closed, and can be opened again`: try await checkClosing()
        case .`is no failure after it was closed between two blocks`:
            _ = try await device.open(WantedSound())
            _ = try await next()
            await device.close()
            await isNotOpen()
        }
        await device.close()
    }

    private func next() async throws -> SoundBlock {
        async let block = device.nextBlock()
        await waits()
        await give()
        return try await block
    }

    /// Whoever closes a microphone may do so while nobody waits: that must not look like a broken one.
    private func isNotOpen() async {
        do throws(SoundError) {
            _ = try await device.nextBlock()
            Issue.record("A microphone that is not open gave sound.")
        } catch {
            #expect(error.code == .cancelled)
        }
    }

    private func checkBlocks() async throws {
        let format = try await device.open(WantedSound())
        #expect(SoundFormat.rates.contains(format.rate) && SoundFormat.channelCounts.contains(format.channels))
        var last = Int64.min
        for _ in 0..<3 {
            let block = try await next()
            #expect(block.format == format)
            #expect(block.frameCount > 0 && block.samples.count == block.frameCount * format.channels)
            #expect(block.microseconds >= last)
            #expect(!block.isAfterLoss)
            last = block.microseconds
        }
    }

    private func checkOpenTwice() async throws {
        _ = try await device.open(WantedSound())
        do throws(SoundError) {
            _ = try await device.open(WantedSound())
            Issue.record("A microphone was opened twice.")
        } catch {
            #expect(error.code == .inUse)
        }
        _ = try await next()
    }

    private func checkCancelling() async throws {
        _ = try await device.open(WantedSound())
        let before = try await next()
        let waiting = Task { try await device.nextBlock() }
        await waits()
        waiting.cancel()
        switch await waiting.result {
        case .success: #expect(!isPaced)
        case .failure(let error): #expect((error as? SoundError)?.code == .cancelled)
        }
        let after = try await next()
        #expect(after.microseconds >= before.microseconds)
        if isPaced { #expect(!after.isAfterLoss) }
    }

    private func checkCancelledBefore() async throws {
        _ = try await device.open(WantedSound())
        let gate = AsyncStream<Void>.makeStream()
        let waiting = Task {
            for await _ in gate.stream {}
            return try await device.nextBlock()
        }
        waiting.cancel()
        gate.continuation.finish()
        switch await waiting.result {
        case .success: Issue.record("A task that was cancelled was given sound.")
        case .failure(let error): #expect((error as? SoundError)?.code == .cancelled)
        }
        _ = try await next()
    }

    private func checkClosing() async throws {
        _ = try await device.open(WantedSound())
        let waiting = Task { try await device.nextBlock() }
        await waits()
        await device.close()
        switch await waiting.result {
        case .success: #expect(!isPaced)
        case .failure(let error): #expect((error as? SoundError)?.code == .cancelled)
        }
        await device.close()
        await isNotOpen()
        _ = try await device.open(WantedSound())
        _ = try await next()
    }
}
