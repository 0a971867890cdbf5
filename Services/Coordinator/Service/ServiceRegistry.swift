package import Consent
package import MessageSchema

/// Which services there are and how they are, as they told it each second; a value without a clock.
package struct ServiceRegistry: Sendable {
    /// After so long without a word a service counts as lost.
    package static let patience = Duration.seconds(3)

    private struct Entry {
        var status: ServiceStatus
        var process: ServiceInstance
        var heard: Duration
    }

    /// Something that changed and should be told.
    package enum Event: Hashable, Sendable {
        /// A service, or another instance of it, is there.
        case arrived(ServiceName)
        /// Its state is another one.
        case changed(ServiceName, ServiceState)
        /// It was not heard for too long.
        case lost(ServiceName)
    }

    private var entries: [ServiceName: Entry] = [:]

    /// An empty registry.
    package init() {}

    /// The services, in the order of their names' declaration.
    package var services: [ServiceStatus] {
        ServiceName.allCases.compactMap { entries[$0]?.status }
    }

    /// Whether all five are ready.
    package var isReady: Bool {
        ServiceName.allCases.allSatisfy { entries[$0]?.status.state == .ready }
    }

    /// Where programs reach a service that is not lost.
    package func endpoints(of name: ServiceName) -> [String] {
        guard let status = entries[name]?.status, status.state != .lost else { return [] }
        return status.endpoints
    }

    /// The processes of services that are not lost.
    package var processes: Set<ServiceInstance> {
        Set(entries.values.filter { $0.status.state != .lost }.map(\.process))
    }

    /// Notes what a service says about itself.
    ///
    /// - Parameters:
    ///   - status: Its words; the process id is replaced by the proven one.
    ///   - process: Who it is, as proven.
    ///   - uptime: The time since the machine started.
    /// - Returns: What is new.
    package mutating func register(_ status: ServiceStatus, from process: ServiceInstance, at uptime: Duration)
        -> [Event]
    {
        var status = status
        status.pid = process.processID
        let old = entries[status.name]
        entries[status.name] = Entry(status: status, process: process, heard: uptime)
        guard let old, old.process == process else { return [.arrived(status.name)] }
        return old.status.state == status.state ? [] : [.changed(status.name, status.state)]
    }

    /// Marks as lost what was not heard for too long.
    ///
    /// - Parameters:
    ///   - uptime: The time since the machine started.
    ///   - since: The wall clock's text for now.
    /// - Returns: What is new.
    package mutating func sweep(at uptime: Duration, since: String) -> [Event] {
        var events: [Event] = []
        for name in ServiceName.allCases {
            guard var entry = entries[name], entry.status.state != .lost, uptime - entry.heard > Self.patience else {
                continue
            }
            entry.status.state = .lost
            entry.status.since = since
            entry.status.detail = "not heard for more than \(Self.patience.components.seconds) seconds"
            entries[name] = entry
            events.append(.lost(name))
        }
        return events
    }
}

/// One process of one service, as the kernel and the role's key prove it.
package struct ServiceInstance: Hashable, Sendable, CustomStringConvertible {
    /// What it is.
    package var role: Role
    /// The kernel's number of the process.
    package var processID: Int32
    /// When it started, in clock ticks since the machine did.
    package var startTime: UInt64

    /// Makes the name of a process.
    package init(role: Role, processID: Int32, startTime: UInt64) {
        self.role = role
        self.processID = processID
        self.startTime = startTime
    }

    /// The text under which a `once` grant is redeemed.
    package var description: String { "\(role.rawValue)-\(processID)-\(startTime)" }
}
