package import Consent
package import EventLoop
package import MessageSchema

/// Knows what programs do right now by their grants, tells those who watch, and ends a use.
///
/// Pinned to the socket loop.
package actor UseDirectory {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    private let loop: EventLoop
    private let desk: PermissionDesk
    private var registry = UseRegistry()
    private var feed = Feed<UseEvent>()

    /// Makes a directory that tells the desk which grants are used.
    package init(desk: PermissionDesk, loop: EventLoop) {
        self.desk = desk
        self.loop = loop
    }

    /// Takes what a process of a service does now, and the grants that it used since it told last.
    ///
    /// - Throws: `StorageFailure` when the use of a grant that ends unused could not be stored; it is told again.
    package func note(_ uses: [Use], past: Set<DecisionID>, of process: ServiceInstance) async throws {
        publish(registry.replace(uses, of: process))
        try await tellDesk(past)
    }

    /// These processes are the only ones left.
    package func keep(_ processes: Set<ServiceInstance>) async throws {
        let events = registry.keep(processes)
        guard !events.isEmpty else { return }
        publish(events)
        try await tellDesk([])
    }

    /// What goes on, by a principal or at all, in the order in which it began.
    package func uses(by principal: Principal?) -> [Use] {
        registry.all.filter { principal == nil || $0.principal == principal }
    }

    /// Ends a use, and returns it when every service has applied that; what was decided stays.
    ///
    /// - Throws: `PermissionRefusal.unknownUse`.
    package func stop(_ id: UseID, by operator: Principal) async throws -> Use {
        guard let use = registry.all.first(where: { $0.use == id }) else { throw PermissionRefusal.unknownUse }
        try await desk.turn { machine, now in machine.stop(id, by: `operator`, at: now) }
        return use
    }

    /// Follows uses, those that go on first: by a principal, or all of them.
    package func follow(by principal: Principal?) -> Following<UseEvent> {
        feed.follow(from: uses(by: principal).map { UseEvent(kind: .begun, use: $0) }) {
            principal == nil || $0.use.principal == principal
        }
    }

    /// Follows uses no more.
    package func leave(_ id: FollowerID) { feed.leave(id) }

    private func publish(_ events: [UseEvent]) {
        for event in events { feed.publish(event) }
    }

    private func tellDesk(_ past: Set<DecisionID>) async throws {
        guard await desk.machine.followsUses else { return }
        let running = registry.running
        try await desk.turn { machine, now in machine.noteUses(running, past: past, at: now) }
    }
}
