private import Consent
private import EventLoop
private import Hashing
private import Logging
private import MessageSchema
private import Messaging
private import SQLite
package import ServiceRuntime
private import Synchronization
private import Timekeeping

/// The coordinator put together: what is stored, the desk that decides, the registry, and the copy that services
/// follow.
package struct Coordinator: Sendable {
    private let host: ServiceHost
    private let store: DecisionStore
    private let desk: PermissionDesk
    private let services: ServiceDirectory
    private let uses: UseDirectory
    private let publisher: StatePublisher<DecisionSnapshot, DecisionChange>
    private let pulse: CoordinatorPulse
    private let consents: ConsentDesk

    /// Opens the database and makes everything; nothing is registered yet.
    ///
    /// - Throws: `ErrorReply`: `databaseTooNew`, `damaged`, `alreadyRunning` when another coordinator has it.
    package init(host: ServiceHost) async throws {
        self.host = host
        let stored: StoredDecisions
        let key: SigningKey
        do {
            store = try DecisionStore(in: host.dataDirectory)
            stored = try await store.load()
            key = try ReceiptSeal.key(in: host.dataDirectory)
        } catch let error as SQLiteError {
            throw ErrorReply(
                error,
                of: "coordinator",
                whenUnreadable: Self.whenUnreadable
            )
        } catch let error as UnreadableDecision {
            throw ErrorReply(
                .damaged,
                "The coordinator's database is damaged",
                reason: "\(error).",
                recoverySuggestion: Self.whenUnreadable
            )
        }
        consents = ConsentDesk(store: ConsentStore(in: store), key: key) { Self.now().wall }
        pulse = CoordinatorPulse(in: host.runtimeDirectory)
        let epoch = host.instance
        let snapshots = Snapshots()
        let publisher = StatePublisher<DecisionSnapshot, DecisionChange>(
            loop: host.loop,
            predecessorLeaseEnd: pulse.predecessorEnd.map { $0 + LeaseTimes().lease }
        ) {
            let snapshot = try await snapshots.take(epoch)
            return .init(number: Int64(clamping: snapshot.number), value: snapshot)
        }
        desk = PermissionDesk(
            stored,
            storage: store,
            loop: host.loop,
            world: .init(
                now: Self.now,
                sleep: { try await Task.sleep(for: $0, clock: BootClock()) },
                announce: { [log = host.log] change in
                    let begin = BootInstant.now()
                    await publisher.publish(change, number: Int64(clamping: change.number))
                    guard change.endsGrants else { return }
                    let took = (BootInstant.now().nanoseconds - begin.nanoseconds) / 1_000
                    log.info(
                        "applied everywhere",
                        ["change.number": .count(Int(clamping: change.number)), "took.microseconds": .count(Int(took))]
                    )
                }
            ),
            restrictions: host.policy.restrictions,
            granted: host.policy.granted,
            log: host.log
        )
        snapshots.set(desk)
        uses = UseDirectory(
            desk: desk,
            loop: host.loop,
            uptime: { Self.now().uptime },
            isGone: { PeerIdentity.isGone($0.processID, startedAt: $0.startTime) }
        )
        host.policy.onReload { [desk, uses, log = host.log] policy in
            do {
                // The policy is not stored: what fails here is what had to be stored before.
                try await desk.turn { machine, now in
                    machine.follow(restrictions: policy.restrictions, granted: policy.granted, at: now)
                }
            } catch {
                log.error("the policy holds; decisions before it are not stored yet", ["reason": .string("\(error)")])
            }
            await uses.review()
            do {
                try await desk.review()
            } catch {
                log.error("prompts that nobody answers any more stay open", ["reason": .string("\(error)")])
            }
        }
        self.publisher = publisher
        services = ServiceDirectory(
            own: { host.status },
            process: ServiceInstance(role: .coordinator, processID: ProcessIdentity.current, startTime: 0),
            deployment: host.deployment.rawValue,
            loop: host.loop,
            log: host.log
        )
    }

    private static let whenUnreadable =
        "Restore it from a backup, or move it away: then every program asks again."

    /// Registers the messages on the host's server.
    package func register() async {
        // Before anything else that the audit log can tell of.
        await desk.noteStart()
        let operatorsOnly = host.operatorsOnly.audited(as: .operatorRefused, by: desk)
        let rolesOnly = CallerRule.anyRole.audited(as: .serviceRefused, by: desk)
        await CoordinatorMessages(
            desk: desk,
            services: services,
            uses: uses,
            isOperator: { [host] caller in host.isOperator(caller) },
            operatorsOnly: operatorsOnly,
            rolesOnly: rolesOnly
        ).register(on: host.server)
        await ConsentMessages(desk: consents, operatorsOnly: operatorsOnly).register(on: host.server)
        await AuditMessages(store: store.audit, desk: desk, now: { Self.now().wall }, operatorsOnly: operatorsOnly)
            .register(on: host.server)
        await host.server.registerStream(FollowDecisions.self, access: rolesOnly) { [publisher] _, call, sink in
            try await publisher.serve(call, sink)
        }
    }

    /// Watches services and shows life, until the task is cancelled.
    package func watch() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [desk, services, uses, log = host.log] in
                do {
                    try await desk.begin()
                } catch {
                    log.error("what has ended meanwhile stays stored", ["reason": .string("\(error)")])
                }
                await services.watch(after: .seconds(5)) { present in
                    do {
                        try await uses.keep(present)
                        try await desk.keepRedeemed(by: present)
                    } catch {
                        log.error(
                            "grants of services that are gone stay redeemed, or in use",
                            ["reason": .string("\(error)")]
                        )
                    }
                }
            }
            group.addTask { [pulse] in await pulse.run() }
        }
    }

    /// Stores what could not be stored before, if that works now, seals the audit log, and closes the database.
    package func close() async {
        do throws(StorageFailure) {
            try await desk.storeRest()
        } catch {
            host.log.error("decisions in force are lost with this process", ["reason": .string(error.text)])
        }
        if await desk.noteEnd() {
            do {
                _ = try await store.audit.seal(at: Self.now().wall)
            } catch {
                host.log.error("the audit log ends without a checkpoint", ["reason": .string("\(error)")])
            }
        }
        await store.close()
    }

    private static let now: @Sendable () -> ClockPair = {
        ClockPair(
            wall: Moment(milliseconds: Timestamp.now().microseconds / 1_000),
            uptime: BootInstant(nanoseconds: 0).duration(to: .now())
        )
    }
}

/// Gives the publisher the desk's snapshots; the desk is made after the publisher that it announces to.
private final class Snapshots: Sendable {
    private let desk = Mutex<PermissionDesk?>(nil)

    func set(_ desk: PermissionDesk) { self.desk.withLock { $0 = desk } }

    func take(_ epoch: String) async throws -> DecisionSnapshot {
        guard let desk = desk.withLock({ $0 }) else { throw CancellationError() }
        return await desk.snapshot(epoch: epoch)
    }
}
