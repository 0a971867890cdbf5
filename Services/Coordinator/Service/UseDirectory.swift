package import Consent
package import EventLoop
package import MessageSchema
private import Messaging

/// Knows what programs do right now by their grants, tells those who watch, and ends a use.
///
/// Pinned to the socket loop.
package actor UseDirectory {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// The parts of a report that have come.
    private struct Parts {
        var count = 0
        var uses: [Use] = []
    }

    private let loop: EventLoop
    private let desk: PermissionDesk
    private let uptime: @Sendable () -> Duration
    private let isGone: @Sendable (ServiceInstance) -> Bool
    private var registry = UseRegistry()
    private var parts: [ServiceInstance: Parts] = [:]
    private var feed = Feed<UseEvent>()

    /// Makes a directory that tells the desk which grants are used.
    ///
    /// - Parameters:
    ///   - desk: Decides.
    ///   - loop: The socket loop.
    ///   - uptime: The time since the machine started.
    ///   - isGone: Whether a process has ended.
    package init(
        desk: PermissionDesk,
        loop: EventLoop,
        uptime: @escaping @Sendable () -> Duration,
        isGone: @escaping @Sendable (ServiceInstance) -> Bool
    ) {
        self.desk = desk
        self.loop = loop
        self.uptime = uptime
        self.isGone = isGone
    }

    /// Takes what a process of a service does now, and the grants that it used since it told last.
    ///
    /// - Throws: `ErrorReply` for a part of a report that does not come after the one before it; `StorageFailure` when the use
    ///   of a grant that ends unused could not be stored; it is told again.
    package func note(_ report: ReportUses, of process: ServiceInstance) async throws {
        if let uses = try whole(report, of: process) { await publish(registry.replace(uses, of: process)) }
        try await tellDesk(Set(report.past ?? []))
    }

    /// All uses of a report with its last part; nil before.
    private func whole(_ report: ReportUses, of process: ServiceInstance) throws(ErrorReply) -> [Use]? {
        let before = parts.removeValue(forKey: process) ?? Parts()
        guard let part = report.part, let count = report.parts else { return report.uses }
        guard (1...ReportUses.partLimit).contains(count), part <= count, part == 1 || part == before.count + 1 else {
            throw .invalidParameter("part", "the one behind the part before it, of \(ReportUses.partLimit) at most")
        }
        let all = Parts(count: part, uses: part == 1 ? report.uses : before.uses + report.uses)
        guard part < count else { return all.uses }
        parts[process] = all
        return nil
    }

    /// These processes are heard now; what those do that can not go on any more is over.
    package func keep(_ processes: Set<ServiceInstance>) async throws {
        parts = parts.filter { processes.contains($0.key) }
        let events = registry.keep(processes, at: uptime(), lease: LeaseTimes().lease, isGone: isGone)
        guard !events.isEmpty else { return }
        await publish(events)
        try await tellDesk([])
    }

    /// What goes on behind a place in the order, by a principal or at all, and the place at which it goes on.
    package func page(by principal: Principal?, after place: String?) -> (uses: [Use], next: String?) {
        registry.page(by: principal, after: place)
    }

    /// Ends a use, and returns it when every service has applied that; what was decided stays.
    ///
    /// `unfinished` says what becomes of what it was making.
    ///
    /// - Throws: `PermissionRefusal.unknownUse`.
    package func stop(_ id: UseID, by operator: Principal, unfinished: Unfinished? = nil) async throws -> Use {
        guard let use = registry.all.first(where: { $0.use == id }) else { throw PermissionRefusal.unknownUse }
        try await desk.stop(use, by: `operator`, unfinished: unfinished)
        return use
    }

    /// Follows uses, those that go on first: by a principal, or all of them, as long as the caller may.
    package func follow(
        by principal: Principal?,
        while mayFollow: @escaping @Sendable () -> Bool = { true }
    ) -> Following<UseEvent> {
        let first = registry.all.filter { principal == nil || $0.principal == principal }
        return feed.follow(
            from: first.map { UseEvent(kind: .begun, use: $0) },
            while: mayFollow,
            wants: { principal == nil || $0.use.principal == principal }
        )
    }

    /// Follows uses no more.
    package func leave(_ id: FollowerID) { feed.leave(id) }

    /// Lets those go who may not follow any more.
    package func review() { feed.review() }

    /// The desk is on the same loop: it is asked without a wait, so that events keep their order.
    private func tell(_ events: [UseEvent]) {
        for var event in events {
            if event.kind == .ended { event.reason = desk.assumeIsolated { $0.endReason(of: event.use) } }
            feed.publish(event)
        }
    }

    private func publish(_ events: [UseEvent]) async {
        tell(events)
        guard !events.isEmpty else { return }
        await desk.note { time in events.map { AuditEntryDraft($0, at: time) } }
    }

    /// What goes on holds at once; that a grant was used is stored behind it, and may fail alone.
    private func tellDesk(_ past: Set<DecisionID>) async throws {
        guard await desk.machine.followsUses else { return }
        let running = registry.running
        try await desk.noteRunning(running, past: past)
        try await desk.turn { machine, now in machine.noteUses(running, past: past, at: now) }
    }
}
