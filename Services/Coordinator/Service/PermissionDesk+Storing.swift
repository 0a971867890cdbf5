package import Consent
import Logging
import MessageSchema

/// What is in force and has yet to reach the disk: steps, which somebody waits for, and what the audit log tells of
/// everything else, which nobody does.
extension PermissionDesk {
    /// Stores what could not be stored before; at once when there is nothing.
    ///
    /// - Throws: What the storage throws; it is tried again later.
    package func storeRest() async throws(StorageFailure) {
        // Nobody waits for notes.
        guard (writing.isTaken && !writesNotes) || !unstored.isEmpty else { return }
        await writing.enter()
        defer { writing.leave() }
        guard !unstored.isEmpty else { return }
        try await write(UnstoredSteps(), of: machine)
    }

    /// Has the audit log tell of what nothing else is stored of; it gets there soon, and nobody waits for it.
    package func note(_ make: @Sendable (Moment) -> [AuditEntryDraft]) { note(make(world.now().wall)) }

    /// Has a use ended by an operator, and returns when every service has applied that; the audit log tells of it, stored or not.
    ///
    /// `unfinished` says what becomes of what it was making.
    func stop(_ use: Use, by operator: Principal, unfinished: Unfinished?) async throws {
        var draft = AuditEntryDraft(.useStopped, of: use, at: world.now().wall)
        draft.by = `operator`
        note([draft])
        let id = use.use
        try await turn(by: `operator`) { machine, now in
            machine.stop(id, by: `operator`, unfinished: unfinished, at: now)
        }
    }

    /// Writes what the audit log has yet to tell; what can not be written is tried again later.
    package func storeNotes() async {
        await writing.enter()
        defer { writing.leave() }
        // Steps that are not stored take the notes along, in their order.
        guard unstored.isEmpty, !unstored.notes.isEmpty else { return }
        let notes = unstored.takeNotes()
        writesNotes = true
        defer { writesNotes = false }
        do throws(StorageFailure) {
            try await storage.note(notes)
        } catch {
            var failed = UnstoredSteps()
            failed.add(notes: notes)
            unstored.add(older: failed)
            return retryLater(error)
        }
        endRetrying()
    }

    /// Has the audit log tell that a coordinator started, as soon as there is anything to tell behind that.
    package func noteStart() {
        unstored.add(notes: [AuditEntryDraft(.coordinatorStarted, at: world.now().wall)])
    }

    /// Writes that the coordinator ended, and what the audit log has yet to tell before.
    ///
    /// - Returns: Whether there was anything to tell; a coordinator that did nothing leaves the log as it was.
    package func noteEnd() async -> Bool {
        guard unstored.notes.map(\.kind) != [.coordinatorStarted] else { return false }
        let now = world.now().wall
        unstored.add(notes: limit.closeWindows(at: now, isLast: true) + [AuditEntryDraft(.coordinatorEnded, at: now)])
        await storeNotes()
        return true
    }

    func note(_ drafts: [AuditEntryDraft]) {
        guard !drafts.isEmpty else { return }
        for draft in drafts { unstored.add(notes: limit.admit(draft, behind: unstored.notes.count)) }
        noteSoon()
    }

    /// Writes a step and everything that could not be written before it; the caller has entered `writing`.
    func write(_ step: UnstoredSteps, of machine: PermissionMachine) async throws(StorageFailure) {
        let left = unstored
        unstored = UnstoredSteps()
        var all = step
        all.add(older: left)
        do throws(StorageFailure) {
            try await all.store(machine, in: storage)
        } catch {
            unstored.add(older: left)
            if !left.isEmpty || !left.notes.isEmpty { retryLater(error) }
            throw error
        }
        if !left.isEmpty || !left.notes.isEmpty { endRetrying() }
    }

    /// Writes notes behind whoever writes now; not while the disk takes nothing.
    private func noteSoon() {
        guard noting == nil, retryTimer == nil, !unstored.notes.isEmpty else { return }
        // Unstructured, because nobody waits for it; kept by the desk and cancelled with it.
        noting = Task { [weak self] in await self?.storeNotesNow() }
    }

    private func storeNotesNow() async {
        noting = nil
        await storeNotes()
    }

    private func endRetrying() {
        guard let timer = retryTimer.take() else { return }
        timer.cancel()
        log.info("what is in force is stored again")
        // What came while this was written waits for nobody else.
        noteSoon()
    }

    private func retryLater(_ error: StorageFailure) {
        guard retryTimer == nil else { return }
        if unstored.isEmpty {
            log.error("the audit log lacks what could not be stored", ["error": .string("\(error)")])
        } else {
            log.error("a revocation is in force but could not be stored", ["error": .string("\(error)")])
        }
        // Unstructured, because it outlives the call; kept by the desk and cancelled with it.
        retryTimer = Task { [weak self, sleep = world.sleep] in
            while !Task.isCancelled {
                do {
                    try await sleep(Self.retryInterval)
                } catch {
                    return
                }
                guard let self else { return }
                // A failure was logged when it began; the timer ends when all is stored.
                try? await self.storeRest()
                await self.storeNotes()
            }
        }
    }
}
