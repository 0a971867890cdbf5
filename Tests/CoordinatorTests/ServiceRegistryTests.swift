import Consent
import CoordinatorService
import MessageSchema
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The service registry` {
    private func status(_ name: ServiceName, _ state: ServiceState = .ready) -> ServiceStatus {
        ServiceStatus(
            name: name,
            instance: "i",
            pid: 1,
            version: "1",
            state: state,
            since: "2026-11-30T00:00:00Z",
            endpoints: ["ipc:///run/\(name).sock"]
        )
    }

    private func process(_ role: Role, _ pid: Int32 = 42) -> ServiceInstance {
        ServiceInstance(role: role, processID: pid, startTime: 5)
    }

    @Test func `a service arrives, changes, and is lost after three silent seconds`() {
        var registry = ServiceRegistry()
        #expect(
            registry.register(status(.library, .starting), from: process(.library), at: .zero) == [.arrived(.library)]
        )
        #expect(
            registry.register(status(.library), from: process(.library), at: .seconds(1)) == [
                .changed(.library, .ready)
            ]
        )
        #expect(registry.register(status(.library), from: process(.library), at: .seconds(2)) == [])
        #expect(registry.sweep(at: .seconds(5), since: "now") == [])
        #expect(registry.processes == [process(.library)])
        #expect(registry.sweep(at: .milliseconds(5_001), since: "now") == [.lost(.library)])
        #expect(registry.sweep(at: .seconds(6), since: "later") == [])
        #expect(registry.processes.isEmpty && registry.endpoints(of: .library).isEmpty)
        #expect(registry.services.map(\.state) == [.lost] && registry.services.map(\.since) == ["now"])
    }

    @Test func `another process of a service is a new arrival, with the proven process id`() {
        var registry = ServiceRegistry()
        _ = registry.register(status(.probe), from: process(.probe), at: .zero)
        #expect(registry.register(status(.probe), from: process(.probe, 43), at: .zero) == [.arrived(.probe)])
        #expect(registry.services.map(\.pid) == [43] && registry.processes == [process(.probe, 43)])
    }

    @Test func `the cluster is ready when all five are`() {
        var registry = ServiceRegistry()
        for (name, role) in zip(ServiceName.allCases, Role.allCases) {
            #expect(!registry.isReady)
            _ = registry.register(status(name), from: process(role), at: .zero)
        }
        #expect(registry.isReady)
        _ = registry.register(status(.capture, .degraded), from: process(.capture), at: .zero)
        #expect(!registry.isReady)
    }
}
