package import Consent
package import MessageSchema

/// What goes on by which grants, as services told it last; a value without a clock.
package struct UseRegistry: Sendable {
    private var uses: [ServiceInstance: [Use]] = [:]

    /// An empty registry.
    package init() {}

    /// Everything that goes on, in the order in which it began.
    package var all: [Use] {
        uses.values.joined().sorted { ($0.since, $0.use.description) < ($1.since, $1.use.description) }
    }

    /// What goes on, and by which grants.
    package var running: [UseID: Set<DecisionID>] {
        uses.values.joined().reduce(into: [:]) { running, use in running[use.use] = Set(use.grants) }
    }

    /// Takes what a process of a service does now, all of it, in place of what it did before.
    ///
    /// A use counts for the process that tells of it alone: no service can speak for another one's.
    ///
    /// - Returns: What has begun and what is over.
    package mutating func replace(_ now: [Use], of process: ServiceInstance) -> [UseEvent] {
        let prefix = "\(process.role.rawValue)-\(process.processID)-"
        var told: Set<UseID> = []
        let mine = now.filter { $0.use.description.hasPrefix(prefix) && told.insert($0.use).inserted }
        let before = uses[process] ?? []
        uses[process] = mine.isEmpty ? nil : mine
        let known = Set(before.map(\.use))
        return before.filter { !told.contains($0.use) }.map { UseEvent(kind: .ended, use: $0) }
            + mine.filter { !known.contains($0.use) }.map { UseEvent(kind: .begun, use: $0) }
    }

    /// These processes are the only ones left: what others did is over.
    package mutating func keep(_ processes: Set<ServiceInstance>) -> [UseEvent] {
        uses.keys.filter { !processes.contains($0) }.flatMap { replace([], of: $0) }
    }
}
