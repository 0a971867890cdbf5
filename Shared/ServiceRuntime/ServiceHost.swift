package import Consent
package import EventLoop
package import Logging
package import MessageSchema
package import Messaging
private import Synchronization
private import Timekeeping

/// What surrounds a service while it runs: its settings, its sockets, its log, the other services.
///
/// Made by ``ServiceProcess``; any thread may use it.
package final class ServiceHost: Sendable {
    /// Which service this is.
    package let name: ServiceName
    package let settings: Settings
    package let deployment: Deployment
    /// What must last: this service's own folder is `data/<name>`.
    package let dataDirectory: String
    package let runtimeDirectory: String
    package let log: Logger
    /// The socket loop, to which the service's own actors may be pinned; nothing on it may block.
    package let loop: EventLoop
    package let context: MessagingContext
    package let server: MessageServer
    /// Who may speak for the person, and what is forbidden.
    package let policy: LivePolicy
    /// The key that proves our role to the other services; absent for a service that was started by hand.
    package let keys: RoleKeys?
    /// Another one for each start.
    package let instance: String
    /// How this service asks for permission; for the coordinator, which decides itself, it allows nothing.
    package let gate: ConsentGate
    let follower: DecisionFollower
    /// Tells the coordinator what goes on; nil for a service that was started by hand.
    let reporter: UseReporter?

    private let notifier: ReadinessNotifier
    private let health: Mutex<Health>
    private let clients: Mutex<[ServiceName: MessageClient]>

    private struct Health {
        var state = ServiceState.starting
        var detail: String?
        var since = Timestamp.now()
        /// What is wrong with the policy file, while an older policy is in force.
        var policyFault: String?
        var remark: String?
        /// Cameras with which something is wrong, by identity.
        var cameras: [String: Availability] = [:]
    }

    init(
        name: ServiceName,
        settings: Settings,
        deployment: Deployment,
        dataDirectory: String,
        runtimeDirectory: String,
        log: Logger,
        loop: EventLoop,
        context: MessagingContext,
        server: MessageServer,
        policy: LivePolicy,
        keys: RoleKeys?,
        instance: String,
        notifier: ReadinessNotifier
    ) throws(MessagingError) {
        self.name = name
        self.settings = settings
        self.deployment = deployment
        self.dataDirectory = dataDirectory
        self.runtimeDirectory = runtimeDirectory
        self.log = log
        self.loop = loop
        self.context = context
        self.server = server
        self.policy = policy
        self.keys = keys
        self.instance = instance
        self.notifier = notifier
        let coordinator = try MessageClient(
            ServiceEndpoint(service: ServiceName.coordinator.rawValue, runtimeDirectory: runtimeDirectory),
            as: keys.map { .role($0.role, key: $0.key) } ?? .program,
            context: context,
            loop: loop
        )
        follower = DecisionFollower(decisions: SharedGate(), coordinator: coordinator, loop: loop, log: log)
        let uses = keys.map { UseBook(of: $0.role, process: ProcessIdentity.current) }
        gate = ConsentGate(decisions: follower.decisions, coordinator: follower.questions, uses: uses)
        reporter = uses.map { UseReporter(uses: $0, coordinator: coordinator) }
        clients = Mutex([.coordinator: coordinator])
        health = Mutex(Health())
    }

    /// The way to another service, with our role proven where we have one; the same client each time.
    ///
    /// - Throws: `MessagingError` if the socket can not be made.
    package func client(of service: ServiceName) throws(MessagingError) -> MessageClient {
        if let client = clients.withLock({ $0[service] }) { return client }
        let credentials: Credentials = keys.map { .role($0.role, key: $0.key) } ?? .program
        let client = try MessageClient(
            ServiceEndpoint(service: service.rawValue, runtimeDirectory: runtimeDirectory),
            as: credentials,
            context: context,
            loop: loop
        )
        return clients.withLock { clients in
            if let first = clients[service] { return first }
            clients[service] = client
            return client
        }
    }

    /// Whether a caller may speak for the person.
    package func isOperator(_ caller: PeerIdentity) -> Bool {
        policy.operators.include(caller)
    }

    /// A rule that admits operators alone, and tells the others whom to ask.
    package var operatorsOnly: CallerRule {
        let policy = policy
        return .operators(policy.operators, of: name)
    }

    /// Why nobody may use a resource: by the policy that holds, or by the global switch; nil where programs may be allowed to.
    ///
    /// What the coordinator said last counts also while it is not heard.
    package func whyForbidden(_ resource: Resource) -> String? {
        (policy.restrictions + gate.decisions.restrictions).first {
            $0.principal == nil && $0.resource.covers(resource)
        }?.reason
    }

    /// Says how the service is; a change of state is logged and told to whoever started us.
    package func report(_ state: ServiceState, detail: String? = nil) {
        let hasChanged = health.withLock { health in
            guard health.state != state || health.detail != detail else { return false }
            if health.state != state { health.since = .now() }
            health.state = state
            health.detail = detail
            return true
        }
        guard hasChanged else { return }
        log.info("state", ["state": .string(state.rawValue), "detail": .string(detail ?? "")])
        if state != .ready { notifier.status(detail ?? state.rawValue) }
    }

    /// Says that the policy file was refused and an older policy is in force, or, with nil, that the file's is.
    func report(policyFault: String?) {
        let state = health.withLock { health -> ServiceState? in
            guard health.policyFault != policyFault else { return nil }
            health.policyFault = policyFault
            return health.state
        }
        guard let state else { return }
        if let policyFault { return notifier.status(policyFault) }
        if state == .ready { notifier.ready() }
    }

    /// Says what is worth knowing of a service that works: it stands beside its state until it is taken back with nil.
    package func report(remark: String?) { health.withLock { $0.remark = remark } }

    /// Says what is wrong with a camera that the service uses, or, with nil, that nothing is any more.
    package func report(camera: String, _ trouble: Availability?) {
        let hasChanged = health.withLock { health in
            defer { health.cameras[camera] = trouble }
            return health.cameras[camera] != trouble
        }
        guard hasChanged else { return }
        log.info(
            "camera",
            ["camera": .string(camera), "state": .string((trouble?.state ?? .available).rawValue)]
        )
    }

    /// How the service is now.
    package var status: ServiceStatus {
        let health = health.withLock { $0 }
        let cameras = health.cameras.sorted { $0.key < $1.key }.map {
            CameraTrouble(camera: $0.key, availability: $0.value)
        }
        let details = [health.detail, health.policyFault, health.remark].compactMap(\.self) + cameras.map(\.words)
        var status = ServiceStatus(
            name: name,
            instance: instance,
            pid: ProcessIdentity.current,
            version: ProcessIdentity.version,
            state: health.state,
            since: health.since.description,
            detail: details.isEmpty ? nil : ErrorWords.joined(details, by: "; "),
            endpoints: [ServiceEndpoint(service: name.rawValue, runtimeDirectory: runtimeDirectory).programs]
        )
        status.cameras = cameras.isEmpty ? nil : cameras
        return status
    }

    func ready() {
        report(.ready)
        notifier.ready()
    }

    func alive() { notifier.alive() }

    func stopping() {
        report(.draining)
        notifier.stopping()
    }

    var watchdogInterval: Duration? { notifier.watchdogInterval }
}
