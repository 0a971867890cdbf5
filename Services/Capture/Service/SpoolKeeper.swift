package import Consent
private import EventLoop
package import Logging
package import MessageSchema
private import Movies

/// Brings films from the spool to the library: at once, again and again while the library can not take them, and those
/// that an earlier run left behind.
///
/// Has a thread of its own, which may wait for the disk.
package actor SpoolKeeper {
    /// Saves the film of a note in the library; throws the library's `ErrorReply`.
    package typealias Save = @Sendable (_ note: Spool.Note, _ path: String) async throws -> Asset

    /// The waits between attempts: each is twice the one before, up to the last.
    private static let firstWait = Duration.seconds(1)
    private static let lastWait = Duration.seconds(300)

    /// What keeps a film from the library.
    private struct Hindrance {
        /// Whether it may pass, so that it is tried again.
        let mayPass: Bool
        let reason: String
        /// Counts up, so that the newest is known.
        let number: Int
    }

    private let loop = EventLoop(name: "spool")
    private let spool: Spool
    private let save: Save
    private let clock: any Clock<Duration>
    private let log: Logger
    private let told: @Sendable (String?) -> Void
    /// What keeps films here, by their recordings.
    private var kept: [String: Hindrance] = [:]
    private var unfinished: [Spool.Note]
    private var waiting: [Spool.Note] = []
    private var running: [String: Task<Asset, any Error>] = [:]
    private let arrivals: AsyncStream<Void>
    private let arriving: AsyncStream<Void>.Continuation

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// A keeper of a spool.
    ///
    /// - Parameters:
    ///   - spool: Where the films are.
    ///   - left: What an earlier run left behind.
    ///   - log: Is told what becomes of films that were left.
    ///   - clock: Paces the attempts.
    ///   - told: Is told how many films are kept here, and why; nil when none is.
    ///   - save: The way to the library.
    package init(
        _ spool: Spool,
        left: [Spool.Note],
        log: Logger,
        clock: any Clock<Duration> = ContinuousClock(),
        told: @escaping @Sendable (String?) -> Void = { _ in },
        save: @escaping Save
    ) {
        self.spool = spool
        self.save = save
        self.clock = clock
        self.log = log
        self.told = told
        unfinished = left
        (arrivals, arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    isolated deinit {}

    /// Gives a finished film to the library, once; one that it can not take now is tried again later.
    ///
    /// A film that the library refuses for good, because the person does, is discarded.
    ///
    /// - Throws: What kept it from the library.
    package func deliver(_ note: Spool.Note) async throws -> Asset {
        if let task = running[note.recording] { return try await task.value }
        // Whoever comes for the same film meanwhile waits for the same attempt, and a cancelled one harms no other.
        let task = Task { try await attempt(note) }
        running[note.recording] = task
        return try await task.value
    }

    /// Takes a film that could not be finished for want of room, to try that again later.
    package func leave(_ note: Spool.Note) {
        unfinished.append(note)
        arriving.yield()
    }

    /// The asset of a film that waits in the spool for this request of this program, delivered now; nil where there is none.
    ///
    /// - Throws: `idempotencyConflict` when the film is of another request, and what kept it from the library.
    package func asset(for request: RequestKey, of principal: Principal) async throws -> Asset? {
        let films = unfinished + waiting
        guard let note = films.first(where: { $0.request.key == request.key && $0.delegation.principal == principal })
        else { return nil }
        guard note.request == request else {
            throw ErrorReply(.idempotencyConflict, "The key was used for another request")
        }
        if unfinished.contains(note), try !finish(note) { return nil }
        return try await deliver(note)
    }

    /// Finishes what was left unfinished, and tries to deliver what waits until the task is cancelled.
    package func run() async {
        var pause = Self.firstWait
        var arrivals = arrivals.makeAsyncIterator()
        while !Task.isCancelled {
            if left == 0 {
                pause = Self.firstWait
                guard await arrivals.next() != nil else { return }
            }
            let before = left
            for note in unfinished {
                do { _ = try finish(note) } catch {
                    log.warning("a film can not be finished", Self.words(note, error))
                    keep(note, mayPass: unfinished.contains(note), error)
                }
            }
            // What keeps a film from the library is logged where it is known.
            for note in waiting { _ = try? await deliver(note) }
            guard left > 0 else { continue }
            if left < before { pause = Self.firstWait }
            if pause == Self.lastWait {
                log.warning("films wait for the library; they are tried every five minutes")
            }
            do { try await clock.sleep(for: pause) } catch { return }
            pause = min(pause * 2, Self.lastWait)
        }
    }

    // MARK: Inside

    private var left: Int { unfinished.count + waiting.count }

    private func attempt(_ note: Spool.Note) async throws -> Asset {
        defer { running[note.recording] = nil }
        do {
            let asset = try await saved(note)
            try forget(note)
            return asset
        } catch let error as ErrorReply where error.isRefusalOfPerson {
            try forget(note)
            log.warning(
                "a film was discarded: its program may not add to the library any more",
                ["recording": .string(note.recording)]
            )
            throw error
        } catch let error as ErrorReply where error.mayPass {
            keep(note, mayPass: true, error)
            if !waiting.contains(note) {
                waiting.append(note)
                arriving.yield()
                log.warning("a film waits in the spool for the library", Self.words(note, error))
            }
            throw error
        } catch {
            waiting.removeAll { $0.recording == note.recording }
            keep(note, mayPass: false, error)
            log.error("a film stays in the spool until the next start", Self.words(note, error))
            throw error
        }
    }

    /// A key that the library knows for something else must not keep a film from it.
    private func saved(_ note: Spool.Note) async throws -> Asset {
        do {
            return try await save(note, spool.filmPath(note.recording))
        } catch let error as ErrorReply where error.code == .idempotencyConflict {
            var fresh = note
            fresh.request = Spool.Note.ownRequest(of: note.recording)
            guard fresh != note else { throw error }
            try spool.write(fresh)
            return try await save(fresh, spool.filmPath(note.recording))
        }
    }

    private func forget(_ note: Spool.Note) throws {
        waiting.removeAll { $0.recording == note.recording }
        keep(note, nil)
        try spool.remove(note.recording)
    }

    private func keep(_ note: Spool.Note, mayPass: Bool, _ error: any Error) {
        let reason = (error as? ErrorReply).map { ErrorWords.joined([$0.description, $0.reason], by: ": ") }
        let number = (kept.values.map(\.number).max() ?? 0) + 1
        keep(note, Hindrance(mayPass: mayPass, reason: reason ?? "\(error)", number: number))
    }

    private func keep(_ note: Spool.Note, _ hindrance: Hindrance?) {
        guard hindrance != nil || kept[note.recording] != nil else { return }
        kept[note.recording] = hindrance
        let parts = [true, false].compactMap { mayPass -> String? in
            let all = kept.values.filter { $0.mayPass == mayPass }
            guard let newest = all.max(by: { $0.number < $1.number }) else { return nil }
            let films = all.count == 1 ? "1 film waits" : "\(all.count) films wait"
            let what = mayPass ? "in the spool for the library" : "in the spool until the next start, or for a person"
            return "\(films) \(what): \(newest.reason)"
        }
        told(parts.isEmpty ? nil : ErrorWords.joined(parts, by: "; "))
    }

    /// Makes an ordinary film of what a crash left, and lets it wait for the library.
    ///
    /// - Returns: Whether there is a film.
    private func finish(_ note: Spool.Note) throws -> Bool {
        unfinished.removeAll { $0 == note }
        do {
            let outcome = try spool.recover(note.recording)
            if case .recovered(let found) = outcome {
                log.warning(
                    "a film was recovered",
                    [
                        "recording": .string(note.recording), "frames": .count(found.frames),
                        "lost.frames": .count(found.lostFrames), "lost.bytes": .count(Int(found.lostByteCount)),
                    ]
                )
            }
            keep(note, nil)
            waiting.append(note)
            arriving.yield()
            return true
        } catch {
            if error.code == .noSpace { unfinished.append(note) }
            guard error.code == .nothingToRecover else { throw error }
            // Not one frame had reached the disk.
            keep(note, nil)
            try spool.remove(note.recording)
            log.warning("a recording ended before its first frame", ["recording": .string(note.recording)])
            return false
        }
    }

    private static func words(_ note: Spool.Note, _ error: any Error) -> KeyValuePairs<String, LogValue> {
        ["recording": .string(note.recording), "reason": .string("\(error)")]
    }
}

extension ErrorReply {
    /// The person does not let the program add to the library any more.
    fileprivate var isRefusalOfPerson: Bool {
        switch code {
        case .accessDenied, .accessRestricted, .revoked: true
        case .dataUnavailable: cause == ErrorCode.accessDenied.rawValue
        default: false
        }
    }

    /// The same film may be taken later: the library is away, or its disk is.
    fileprivate var mayPass: Bool {
        switch code {
        case .serviceUnavailable, .serverSilent, .noLease, .shuttingDown, .tooManyRequests, .deadlineExceeded,
            .cancelled, .diskFull, .inputOutput, .writeFailed, .writeBusy:
            true
        default: retryAfter != nil
        }
    }
}
