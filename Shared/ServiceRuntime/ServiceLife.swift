private import CLinux
private import EventLoop
private import Files
private import Logging
private import MessageSchema
private import Messaging
private import Timekeeping

/// What a service does beside its own work: it registers, shows life, and listens for signals.
struct ServiceLife {
    /// How often the coordinator hears of us.
    static let heartbeat = Duration.seconds(1)
    /// How often we try while the coordinator is not there.
    static let retry = Duration.milliseconds(20)
    /// How often it is looked whether the policy file is another one.
    static let policyLook = Duration.milliseconds(500)
    /// How often freed memory is looked after, and how much of it may stay with the allocator.
    static let tidying = Duration.seconds(5)
    static let slack = 64 << 20

    /// How long the coordinator has to hear that we end.
    private static let farewell = Duration.milliseconds(200)

    let host: ServiceHost
    let watch: SignalWatch

    /// Returns when a signal says that the service shall end.
    func untilTold() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await register() }
            if host.name != .coordinator, host.keys != nil { group.addTask { await host.follower.run() } }
            if host.name != .coordinator, let reporter = host.reporter { group.addTask { await reporter.run() } }
            group.addTask { await followPolicyFile() }
            group.addTask { await showLife() }
            group.addTask { await giveMemoryBack() }
            while let wish = await watch.next() {
                if case .end = wish { break }
                await reload()
            }
            host.stopping()
            group.cancelAll()
        }
        await sayFarewell()
    }

    /// Tells the coordinator that no more is taken on; one that ends, too, is not waited for.
    private func sayFarewell() async {
        guard host.name != .coordinator, host.keys != nil, let client = try? host.client(of: .coordinator) else {
            return
        }
        _ = try? await client.call(
            RegisterService(service: host.status),
            CallOptions(timeout: Self.farewell)
        )
    }

    /// Reads the policy again within a second of its file being another one.
    private func followPolicyFile() async {
        var file = host.policy.watch
        while !Task.isCancelled {
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: Self.policyLook, clock: BootClock())
            if file.look(await policyStatus()) { await reload() }
        }
    }

    /// Looks at the file on a thread of the pool.
    @concurrent
    private func policyStatus() async -> FileStatus? { host.policy.fileStatus() }

    private func reload() async {
        do {
            try await host.policy.reload()
            host.log.info("the policy was read again")
            host.report(policyFault: nil)
        } catch {
            let reason = StartFailure(error).text
            host.log.error("the policy stays as it was: it can not be read", ["reason": .string(reason)])
            host.report(policyFault: "the policy of \(host.policy.readAt) stays in force: \(reason)")
        }
    }

    /// Tells the coordinator each second how we are; the service is ready when it was heard and knows the decisions.
    private func register() async {
        guard host.name != .coordinator else { return host.ready() }
        guard host.keys != nil else {
            host.log.warning("no role key was given: start the service with `obscura up`, or give --role-keys")
            host.report(.degraded, detail: "not registered: no role key")
            return
        }
        var isRegistered = false
        while !Task.isCancelled {
            do {
                let client = try host.client(of: .coordinator)
                _ = try await client.call(
                    RegisterService(service: host.status),
                    CallOptions(timeout: .seconds(2))
                )
                if isRegistered, !host.follower.decisions.leaseIsValid {
                    isRegistered = false
                    host.report(.degraded, detail: "the coordinator's decisions are not heard: nothing is allowed")
                }
                if !isRegistered, host.follower.decisions.leaseIsValid {
                    isRegistered = true
                    host.report(.ready)
                    // The coordinator knows before whoever started us does.
                    _ = try await client.call(RegisterService(service: host.status), CallOptions(timeout: .seconds(2)))
                    host.ready()
                }
            } catch {
                guard !Task.isCancelled else { return }
                isRegistered = false
                host.report(.starting, detail: "waiting for the coordinator")
            }
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: isRegistered ? Self.heartbeat : Self.retry, clock: BootClock())
        }
    }

    /// Gives memory back that a burst of messages has left with the allocator; on a thread of the pool, for some
    /// milliseconds when there is much.
    private func giveMemoryBack() async {
        while !Task.isCancelled {
            let freed = clinux_trim_memory(Self.slack)
            if freed > 0 { host.log.info("memory given back", ["bytes": .count(freed)]) }
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: Self.tidying, clock: BootClock())
        }
    }

    /// Tells the watchdog, from the socket loop: a loop that hangs tells nothing, and the service is restarted.
    private func showLife() async {
        guard let interval = host.watchdogInterval else { return }
        let pulse = Pulse(loop: host.loop)
        while !Task.isCancelled {
            await pulse.beat { host.alive() }
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: interval, clock: BootClock())
        }
    }
}

/// Runs something on the socket loop.
private actor Pulse {
    private let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(loop: EventLoop) { self.loop = loop }

    func beat(_ body: @Sendable () -> Void) { body() }
}
