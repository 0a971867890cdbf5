private import Consent
package import EventLoop
package import Logging
package import MessageSchema
private import Timekeeping

/// Keeps the registry of services: takes their word each second, and notices when it does not come.
///
/// Pinned to the socket loop.
package actor ServiceDirectory {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    private let loop: EventLoop
    private let log: Logger
    private let own: @Sendable () -> ServiceStatus
    private let process: ServiceInstance
    private let deployment: String
    private var registry = ServiceRegistry()

    /// Makes a directory.
    ///
    /// - Parameters:
    ///   - own: How the coordinator itself is now.
    ///   - process: The coordinator's own process.
    ///   - deployment: `personal` or `system`.
    ///   - loop: The socket loop.
    ///   - log: Arrivals and losses go here.
    package init(
        own: @escaping @Sendable () -> ServiceStatus,
        process: ServiceInstance,
        deployment: String,
        loop: EventLoop,
        log: Logger
    ) {
        self.own = own
        self.process = process
        self.deployment = deployment
        self.loop = loop
        self.log = log
    }

    /// Notes what a service says about itself.
    ///
    /// - Throws: `ErrorReply` `roleRequired` when it speaks for another service than it is.
    package func register(_ status: ServiceStatus, from process: ServiceInstance) throws(ErrorReply) {
        guard status.name.rawValue == process.role.rawValue else {
            log.warning(
                "a service spoke for another one",
                ["role": .string(process.role.rawValue), "claimed": .string(status.name.rawValue)]
            )
            throw ErrorReply(
                .roleRequired,
                "A service registers itself alone.",
                reason: "\(process.role.rawValue) may not register \(status.name.rawValue).",
                recoverySuggestion: "Send services.register with your own name."
            )
        }
        tell(registry.register(status, from: process, at: Self.uptime))
    }

    /// All services as they are now.
    package func list() -> ListServices.Reply {
        refresh()
        return ListServices.Reply(deployment: deployment, ready: registry.isReady, services: registry.services)
    }

    /// Where programs reach a service; empty while it is lost or not there.
    package func endpoints(of name: ServiceName) -> [String] {
        refresh()
        return registry.endpoints(of: name)
    }

    /// The processes of services that are there.
    package func processes() -> Set<ServiceInstance> {
        refresh()
        return registry.processes
    }

    /// Calls `gone` each second with those that are there, until the task is cancelled.
    ///
    /// The first time is after the time that services have to register with a coordinator that has just started.
    package func watch(after grace: Duration, _ present: @Sendable (Set<ServiceInstance>) async -> Void) async {
        do {
            try await loop.sleep(until: .now() + grace)
            while true {
                refresh()
                await present(registry.processes)
                try await loop.sleep(until: .now() + .seconds(1))
            }
        } catch {
            return
        }
    }

    private func refresh() {
        tell(registry.register(own(), from: process, at: Self.uptime))
        tell(registry.sweep(at: Self.uptime, since: Timestamp.now().description))
    }

    private func tell(_ events: [ServiceRegistry.Event]) {
        for event in events {
            switch event {
            case .arrived(let name): log.info("service arrived", ["service.name": .string(name.rawValue)])
            case .changed(let name, let state):
                log.info(
                    "service changed",
                    ["service.name": .string(name.rawValue), "state": .string(state.rawValue)]
                )
            case .lost(let name): log.warning("service lost", ["service.name": .string(name.rawValue)])
            }
        }
    }

    private static var uptime: Duration { .nanoseconds(BootInstant.now().nanoseconds) }
}
