package import MessageSchema
package import Timekeeping

/// Decides what the supervisor does: an event in, actions out.
///
/// A service that ends by itself is started again: the first time at once, then after 0.2 s, 0.4 s … to 10 s. Half a
/// minute of good life makes the next end a first one again.
package struct SupervisorMachine: Sendable {
    /// What happened.
    package enum Event: Sendable, Hashable {
        /// Start everything.
        case start
        case spawned(ServiceName, pid: Int32)
        case spawnFailed(ServiceName, reason: String)
        /// The service says that it serves.
        case ready(ServiceName)
        /// The service says what it does.
        case status(ServiceName, String)
        /// The process is gone.
        case ended(ServiceName, String, retries: Bool)
        /// The time to start a service again has come.
        case retry(ServiceName)
        /// The person wants everything to end.
        case stop
        /// The time for ending in good order is over.
        case graceOver
    }

    /// What is to be done.
    package enum Action: Sendable, Hashable {
        case spawn(ServiceName)
        case scheduleRetry(ServiceName, after: Duration)
        /// SIGTERM.
        case terminate(ServiceName, pid: Int32)
        /// SIGKILL.
        case kill(ServiceName, pid: Int32)
        case scheduleGrace(Duration)
        /// Show this service's line.
        case show(ServiceName)
        /// All services are ready, for the first time or again.
        case allReady
        /// Everything has ended; `failed` if a service could not be kept running.
        case finished(failed: Bool)
    }

    /// What the person is told of a service.
    package struct Line: Sendable, Hashable {
        package var state: State
        package var pid: Int32?
        package var detail: String?
        package var restarts: Int
        package var since: BootInstant

        package enum State: String, Sendable, Hashable {
            case starting, ready, restarting, stopping, stopped, failed
        }
    }

    /// How long services have to end in good order.
    package static let grace = Duration.milliseconds(1_500)
    private static let goodLife = Duration.seconds(30)

    package let services: [ServiceName]
    package private(set) var lines: [ServiceName: Line] = [:]
    private var failuresInARow: [ServiceName: Int] = [:]
    private var isStopping = false
    private var isFinished = false
    private var hasFailed = false
    private var wasAllReady = false

    /// - Parameter services: In the order in which they start; they end in the opposite one.
    package init(services: [ServiceName]) { self.services = services }

    /// Takes an event and says what is to be done about it.
    package mutating func handle(_ event: Event, now: BootInstant) -> [Action] {
        var actions = respond(to: event, now: now)
        let isAllReady = !isStopping && services.allSatisfy { lines[$0]?.state == .ready }
        if isAllReady && !wasAllReady { actions.append(.allReady) }
        wasAllReady = isAllReady
        if isStopping && !isFinished && services.allSatisfy({ lines[$0]?.pid == nil }) {
            isFinished = true
            actions.append(.finished(failed: hasFailed))
        }
        return actions
    }

    private mutating func respond(to event: Event, now: BootInstant) -> [Action] {
        switch event {
        case .start:
            for service in services { lines[service] = Line(state: .starting, restarts: 0, since: now) }
            return services.map { .spawn($0) }
        case .spawned(let service, let pid):
            update(service, to: isStopping ? .stopping : .starting, now: now) { $0.pid = pid }
            return isStopping ? [.terminate(service, pid: pid)] : [.show(service)]
        case .spawnFailed(let service, let reason):
            return fail(service, reason, now: now)
        case .ready(let service):
            guard !isStopping, lines[service]?.pid != nil else { return [] }
            update(service, to: .ready, now: now) { $0.detail = nil }
            return [.show(service)]
        case .status(let service, let text):
            guard lines[service]?.detail != text else { return [] }
            lines[service]?.detail = text
            return isStopping ? [] : [.show(service)]
        case .ended(let service, let how, let retries):
            return ended(service, how, retries: retries, now: now)
        case .retry(let service):
            guard !isStopping, lines[service]?.state == .restarting else { return [] }
            return [.spawn(service)]
        case .stop:
            return stop(now: now)
        case .graceOver:
            return running.map { .kill($0.service, pid: $0.pid) }
        }
    }

    private var running: [(service: ServiceName, pid: Int32)] {
        services.reversed().compactMap { service in lines[service]?.pid.map { (service, $0) } }
    }

    private mutating func stop(now: BootInstant) -> [Action] {
        guard !isStopping else { return running.map { .kill($0.service, pid: $0.pid) } }
        isStopping = true
        for service in services {
            update(service, to: lines[service]?.pid == nil ? .stopped : .stopping, now: now) { $0.detail = nil }
        }
        return running.map { .terminate($0.service, pid: $0.pid) } + [.scheduleGrace(Self.grace)]
    }

    private mutating func ended(
        _ service: ServiceName,
        _ how: String,
        retries: Bool,
        now: BootInstant
    ) -> [Action] {
        if isStopping {
            update(service, to: .stopped, now: now) { $0.pid = nil }
            return [.show(service)]
        }
        guard retries else { return fail(service, lines[service]?.detail ?? how, now: now) }
        let livedWell =
            (lines[service]?.state == .ready) && (lines[service]?.since.advanced(by: Self.goodLife) ?? now) < now
        let failures = livedWell ? 1 : (failuresInARow[service] ?? 0) + 1
        failuresInARow[service] = failures
        update(service, to: .restarting, now: now) { line in
            line.pid = nil
            line.detail = how
            line.restarts += 1
        }
        guard failures > 1 else { return [.show(service), .spawn(service)] }
        let delay = min(Duration.milliseconds(100 << min(failures - 1, 7)), .seconds(10))
        return [.show(service), .scheduleRetry(service, after: delay)]
    }

    /// A service that refuses to run, such as one whose database is too new, is not tried again; the cluster ends.
    private mutating func fail(_ service: ServiceName, _ reason: String, now: BootInstant) -> [Action] {
        hasFailed = true
        update(service, to: .failed, now: now) { line in
            line.pid = nil
            line.detail = reason
        }
        var actions: [Action] = [.show(service)]
        if !isStopping { actions += stop(now: now) }
        lines[service]?.state = .failed
        lines[service]?.detail = reason
        return actions
    }

    private mutating func update(
        _ service: ServiceName,
        to state: Line.State,
        now: BootInstant,
        _ change: (inout Line) -> Void
    ) {
        var line = lines[service] ?? Line(state: state, restarts: 0, since: now)
        if line.state != state { line.since = now }
        line.state = state
        change(&line)
        lines[service] = line
    }
}
