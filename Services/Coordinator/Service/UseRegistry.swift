package import Consent
package import MessageSchema

/// What goes on by which grants, as services told it last; a value without a clock.
package struct UseRegistry: Sendable {
    private var uses: [ServiceInstance: [Use]] = [:]
    /// Since when processes are not heard that did something, by the time since the machine started.
    private var silent: [ServiceInstance: Duration] = [:]

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

    /// What goes on behind a place in the order, by a principal or at all, as much as fits into a message, and the place at
    /// which it goes on; nil at the end.
    package func page(by principal: Principal?, after place: String?) -> (uses: [Use], next: String?) {
        let rest = all.filter { use in
            (principal == nil || use.principal == principal) && (place.map { $0 < Self.place(of: use) } ?? true)
        }
        let count = rest.countThatFits
        return (Array(rest.prefix(count)), count < rest.count ? Self.place(of: rest[count - 1]) : nil)
    }

    /// Times and names have no character before the space, so that the texts have the order of the uses.
    private static func place(of use: Use) -> String { "\(use.since) \(use.use)" }

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

    /// These processes are heard now; what others did is over when they have ended, or can allow nothing any more.
    ///
    /// - Parameters:
    ///   - processes: Those that are heard.
    ///   - uptime: The time since the machine started.
    ///   - lease: How long a process that is not heard may go on by what it knows.
    ///   - isGone: Whether a process has ended.
    /// - Returns: What is over.
    package mutating func keep(
        _ processes: Set<ServiceInstance>,
        at uptime: Duration,
        lease: Duration,
        isGone: (ServiceInstance) -> Bool
    ) -> [UseEvent] {
        let missing = uses.keys.filter { !processes.contains($0) }
        silent = missing.reduce(into: [:]) { $0[$1] = silent[$1] ?? uptime }
        let over = silent.filter { isGone($0.key) || uptime - $0.value >= lease }.keys
        return over.flatMap { process -> [UseEvent] in
            silent[process] = nil
            return replace([], of: process)
        }
    }
}
