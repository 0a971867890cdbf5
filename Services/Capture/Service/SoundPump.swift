package import MessageSchema
package import Sound

/// Brings the sound of a microphone to a film, as long as the person lets it.
package struct SoundPump: Sendable {
    private enum Ending {
        /// The sound is over; why, where that was before the film's end.
        case over(RecordedSound.End.Reason?)
        /// The microphone gives no more; what it gave may be on its way.
        case read(RecordedSound.End.Reason?)
        case nothing
    }

    /// Blocks on their way to the film: ten seconds of a fiftieth each.
    private static let depth = 500

    /// Which microphone.
    package let microphone: Microphone
    private let device: any SoundDevice
    private let film: FilmWriter
    private let check: @Sendable () throws -> Void
    private let revoked: @Sendable () async -> (any Error)?

    /// A pump that has not begun.
    ///
    /// - Parameters:
    ///   - device: The microphone.
    ///   - film: Where the sound goes.
    ///   - check: Asked before every block, and before what was kept in a pause is used; throws to end the sound.
    ///   - revoked: Waits until there may be no more sound; nil when its task is cancelled.
    package init(
        device: any SoundDevice,
        film: FilmWriter,
        check: @escaping @Sendable () throws -> Void,
        revoked: @escaping @Sendable () async -> (any Error)? = { nil }
    ) {
        microphone = device.microphone
        self.device = device
        self.film = film
        self.check = check
        self.revoked = revoked
    }

    /// Opens the microphone for the film.
    ///
    /// - Throws: `SoundError`, `EncodingError`, what `check` throws; the microphone is closed then.
    package func begin() async throws {
        try check()
        let format = try await device.open(WantedSound())
        do {
            try await film.prepareSound(format, admitting: check)
        } catch {
            await device.close()
            throw error
        }
    }

    /// Brings sound until the film has enough, the microphone or the permission ends, or the task is cancelled.
    ///
    /// The film goes on without sound then. The microphone is closed when this returns.
    package func run() async {
        let reason: RecordedSound.End.Reason? = await withTaskGroup(of: Ending.self) { group in
            group.addTask { .over(await pump()) }
            group.addTask {
                guard await revoked() != nil else { return .nothing }
                await film.endSound(.revoked)
                // Ends the wait for a block too.
                await device.close()
                return .over(.revoked)
            }
            defer { group.cancelAll() }
            while let ending = await group.next() {
                if case .over(let reason) = ending { return reason }
            }
            return nil
        }
        await device.close()
        if let reason { await film.endSound(reason) }
    }

    /// Closes the microphone: what it gave until then still goes to the film.
    package func close() async { await device.close() }

    /// Reads and brings on their own: a disk or a codec that takes its time must not cost sound.
    ///
    /// - Returns: Why the sound ended before the film; nil where it did not.
    private func pump() async -> RecordedSound.End.Reason? {
        let (blocks, giving) = AsyncStream<SoundBlock>.makeStream(bufferingPolicy: .bufferingNewest(Self.depth))
        return await withTaskGroup(of: Ending.self) { group in
            group.addTask {
                let reason = await read(into: giving)
                giving.finish()
                return .read(reason)
            }
            group.addTask { await bring(blocks) }
            defer { group.cancelAll() }
            var cause: RecordedSound.End.Reason?
            while let ending = await group.next() {
                switch ending {
                case .read(let reason): cause = reason
                case .over(let reason): return reason
                case .nothing: break
                }
            }
            return cause
        }
    }

    /// - Returns: Why the microphone gives no more; nil when the task is cancelled.
    private func read(into blocks: AsyncStream<SoundBlock>.Continuation) async -> RecordedSound.End.Reason? {
        while true {
            do throws(SoundError) {
                blocks.yield(try await device.nextBlock())
            } catch {
                switch error.code {
                case .cancelled: return nil
                case .removed, .absent: return .removed
                case .stalled: return .stalled
                default: return .fault
                }
            }
        }
    }

    /// - Returns: That the film has enough, that the permission ended, or nothing where there are no more blocks.
    private func bring(_ blocks: AsyncStream<SoundBlock>) async -> Ending {
        for await block in blocks {
            do {
                guard try await film.add(block, admitting: check) else { return .over(nil) }
            } catch {
                return .over(.revoked)
            }
        }
        return .nothing
    }
}
