private import Consent
import EventLoop
import Logging
import MessageSchema
import Messaging
private import Timekeeping

/// Keeps a service's copy of the decisions, and asks the coordinator what the copy can not answer.
struct DecisionFollower: Sendable {
    /// How often a lease that ran out is noticed by those who wait for it.
    private static let leaseCheck = Duration.milliseconds(100)

    let decisions: SharedGate
    private let coordinator: MessageClient
    private let loop: EventLoop
    private let log: Logger

    init(decisions: SharedGate, coordinator: MessageClient, loop: EventLoop, log: Logger) {
        self.decisions = decisions
        self.coordinator = coordinator
        self.loop = loop
        self.log = log
    }

    /// Follows until the task is cancelled.
    func run() async {
        let follower = StateFollower<FollowDecisions, DecisionSnapshot, DecisionChange>(
            FollowDecisions(),
            client: coordinator,
            loop: loop
        ) { [decisions, log] event in
            switch event {
            case .snapshot(let snapshot, _): decisions.apply(snapshot)
            case .update(let change, _): try decisions.apply(change)
            case .lease(let end): decisions.renewLease(until: end)
            case .lost(let error): log.info("the coordinator is not heard", ["reason": .string(error.code.rawValue)])
            }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await follower.run() }
            group.addTask { await watchLease() }
        }
    }

    /// Wakes those who wait for a revocation when the lease begins or ends.
    private func watchLease() async {
        var wasValid = false
        while !Task.isCancelled {
            let isValid = decisions.leaseIsValid
            if isValid != wasValid {
                wasValid = isValid
                if !isValid { log.warning("the lease is lost: nothing is allowed until the coordinator is heard") }
                decisions.wake()
            }
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: Self.leaseCheck, clock: BootClock())
        }
    }

    /// The coordinator as the gate needs it.
    var questions: ConsentGate.Coordinator {
        ConsentGate.Coordinator(
            request: { [coordinator] needs, asker in
                let options = CallOptions(
                    timeout: asker.patience,
                    onBehalfOf: Delegation(principal: asker.principal, label: asker.label),
                    mayPrompt: asker.mayPrompt,
                    purpose: asker.purpose
                )
                let reply = try await coordinator.call(RequestPermissions(needs: needs), options)
                return ConsentGate.Answer(
                    number: UInt64(clamping: reply.permissions.compactMap(\.generation).max() ?? 0),
                    grants: reply.permissions.compactMap { $0.grant.flatMap(DecisionID.init) }
                )
            },
            redeem: { [coordinator] grant, asker in
                let request = RedeemGrant(
                    grant: grant.id.description,
                    principal: asker.principal,
                    label: asker.label,
                    need: grant.need
                )
                return try await coordinator.call(request).redeemed
            },
            release: { [coordinator] grant, asker in
                let request = ReleaseGrant(grant: grant.id.description, principal: asker.principal)
                // The coordinator releases by itself what a service that is gone had redeemed.
                _ = try? await coordinator.call(request)
            },
            forgo: { [coordinator] grant, asker in
                let principal = asker.principal
                let request = ReleaseGrant(grant: grant.id.description, principal: principal, unspent: true)
                // A coordinator that does not hear it is gone, or ends.
                _ = try? await coordinator.call(request)
            }
        )
    }
}
