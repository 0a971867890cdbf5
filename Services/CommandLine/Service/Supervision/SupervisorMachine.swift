package import MessageSchema
package import Timekeeping

/// Decides what the supervisor does: an event in, actions out.
///
/// A service that ends by itself is started again: the first time at once, then after 0.2 s, 0.4 s … to 10 s. Half a
/// minute of good life makes the next end a first one again. One that has once been ready is started again whatever it
/// ended with: what keeps it from running now, such as a mistake in the policy, can be put right while the others go on.
/// One that has never been ready and refuses to run ends the cluster. A service that shows no life is killed.
package struct SupervisorMachine: Sendable {
    /// What happened.
    package enum Event: Sendable, Hashable {
        /// Start everything.
        case start
        case spawned(ServiceName, pid: Int32)
        case spawnFailed(ServiceName, reason: String)
        /// The service says that it serves.
        case ready(ServiceName)
        /// The service shows life.
        case alive(ServiceName)
        /// The time to look who showed no life has come; see `lifeCheck`.
        case checkLife
        /// The service says what it does.
        case status(ServiceName, String)
        /// The service says why it ends; its end shows it.
        case lastWords(ServiceName, String)
        /// The process is gone; `refusal` is the exit code with which a service says that it can not run as it is told to.
        case ended(ServiceName, String, refusal: Int32?)
        /// The time to start a service again has come.
        case retry(ServiceName)
        /// The services are to read their policy again.
        case reload
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
        /// SIGHUP.
        case reload(ServiceName, pid: Int32)
        /// SIGKILL.
        case kill(ServiceName, pid: Int32)
        case scheduleGrace(Duration)
        /// Show this service's line.
        case show(ServiceName)
        /// All services are ready, for the first time or again.
        case allReady
        /// Everything has ended: 0, or the exit code of the service that could not be started.
        case finished(code: Int32)
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
    /// Whether everything is being ended.
    package private(set) var isStopping = false
    /// After how long without a sign of life a service is killed; zero never.
    private let watchdog: Duration
    private var failuresInARow: [ServiceName: Int] = [:]
    private var haveServed: Set<ServiceName> = []
    private var lastHeard: [ServiceName: BootInstant] = [:]
    private var lastCheck: BootInstant?
    /// Why a service was killed.
    private var overdue: [ServiceName: String] = [:]
    /// Services that were starting when the policy was to be read again, and may have read the one before.
    private var toReload: Set<ServiceName> = []
    private var isFinished = false
    private var failureCode: Int32?
    private var wasAllReady = false

    /// - Parameters:
    ///   - services: In the order in which they start; they end in the opposite one.
    ///   - watchdog: After how long without a sign of life a service is killed; zero never.
    package init(services: [ServiceName], watchdog: Duration = .zero) {
        self.services = services
        self.watchdog = watchdog
    }

    /// How often ``Event/checkLife`` is to come; `nil` for never.
    package var lifeCheck: Duration? { watchdog > .zero ? watchdog / 10 : nil }

    /// Takes an event and says what is to be done about it.
    package mutating func handle(_ event: Event, now: BootInstant) -> [Action] {
        var actions = respond(to: event, now: now)
        let isAllReady = !isStopping && services.allSatisfy { lines[$0]?.state == .ready }
        if isAllReady && !wasAllReady { actions.append(.allReady) }
        wasAllReady = isAllReady
        if isStopping && !isFinished && services.allSatisfy({ lines[$0]?.pid == nil }) {
            isFinished = true
            actions.append(.finished(code: failureCode ?? 0))
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
            return haveServed.contains(service)
                ? tryAgain(service, reason, now: now) : fail(service, reason, code: 69, now: now)
        case .alive(let service):
            if lines[service]?.pid != nil { lastHeard[service] = now }
            return []
        case .checkLife:
            return checkLife(now: now)
        case .ready(let service):
            guard !isStopping, lines[service]?.pid != nil else { return [] }
            haveServed.insert(service)
            lastHeard[service] = now
            update(service, to: .ready, now: now) { $0.detail = nil }
            guard toReload.remove(service) != nil, let pid = lines[service]?.pid else { return [.show(service)] }
            return [.show(service), .reload(service, pid: pid)]
        case .status(let service, let text):
            // While everything ends, what a service does is no reason for its end.
            guard !isStopping, lines[service]?.detail != text else { return [] }
            lines[service]?.detail = text
            return [.show(service)]
        case .lastWords(let service, let text):
            if !isStopping { lines[service]?.detail = text }
            return []
        case .ended(let service, let how, let refusal):
            return ended(service, how, refusal: refusal, now: now)
        case .retry(let service):
            guard !isStopping, lines[service]?.state == .restarting else { return [] }
            return [.spawn(service)]
        case .reload:
            return reload()
        case .stop:
            return stop(now: now)
        case .graceOver:
            return running.map { .kill($0.service, pid: $0.pid) }
        }
    }

    private var running: [(service: ServiceName, pid: Int32)] {
        services.reversed().compactMap { service in lines[service]?.pid.map { (service, $0) } }
    }

    /// One that does not serve yet does not wait for the signal either, and would be ended by it: it gets it later.
    private mutating func reload() -> [Action] {
        guard !isStopping else { return [] }
        return running.reversed().compactMap { service, pid in
            guard lines[service]?.state != .ready else { return .reload(service, pid: pid) }
            toReload.insert(service)
            return nil
        }
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
        refusal: Int32?,
        now: BootInstant
    ) -> [Action] {
        lastHeard[service] = nil
        toReload.remove(service)
        let how = overdue.removeValue(forKey: service) ?? how
        if isStopping {
            update(service, to: .stopped, now: now) { $0.pid = nil }
            return [.show(service)]
        }
        guard let refusal else { return tryAgain(service, how, now: now) }
        // What it said last is why.
        let reason = lines[service]?.detail ?? how
        return haveServed.contains(service)
            ? tryAgain(service, reason, now: now) : fail(service, reason, code: refusal, now: now)
    }

    private mutating func tryAgain(_ service: ServiceName, _ how: String, now: BootInstant) -> [Action] {
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

    /// Has those killed that have shown no life for too long.
    private mutating func checkLife(now: BootInstant) -> [Action] {
        guard !isStopping, let interval = lifeCheck else { return [] }
        let pause = lastCheck.map { $0.duration(to: now) } ?? .zero
        lastCheck = now
        guard pause < interval * 3 else {
            // We were the ones who stood still, or the whole machine slept: nobody could be heard.
            lastHeard = lastHeard.mapValues { _ in now }
            return []
        }
        return running.reversed().compactMap { service, pid in
            guard let heard = lastHeard[service], heard + watchdog <= now else { return nil }
            lastHeard[service] = nil
            overdue[service] = "showed no life for \(watchdog.components.seconds) s and was killed"
            return .kill(service, pid: pid)
        }
    }

    /// A service that refuses to run, such as one whose database is too new, is not tried again; the cluster ends.
    private mutating func fail(
        _ service: ServiceName,
        _ reason: String,
        code: Int32,
        now: BootInstant
    ) -> [Action] {
        failureCode = failureCode ?? code
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
