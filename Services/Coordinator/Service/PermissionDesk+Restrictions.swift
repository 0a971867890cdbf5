package import Consent
package import MessageSchema

extension PermissionDesk {
    /// What is forbidden to a principal now, or to anybody.
    package func restrictions(of principal: Principal? = nil) -> [RestrictionState] {
        machine.decisions.restrictions.map(RestrictionState.init).filter { $0.concerns(principal) }
    }

    /// Decisions as they stand: what was allowed and is forbidden now is restricted.
    package func restricting(_ states: [PermissionState]) -> [PermissionState] {
        states.map { state in
            guard state.status == .authorized,
                let restriction = machine.decisions.restrictions.first(where: {
                    $0.forbids(state.resource, to: state.principal)
                })
            else { return state }
            var state = state
            state.status = .restricted
            state.cause = RestrictionState(restriction).cause.rawValue
            return state
        }
    }

    /// Follows what is forbidden, as it is now first, as long as the caller may.
    func followRestrictions(while mayFollow: @escaping @Sendable () -> Bool) -> Following<FollowRestrictions.Item> {
        restrictionFeed.follow(
            from: [FollowRestrictions.Item(restrictions: restrictions())],
            while: mayFollow,
            wants: { _ in true }
        )
    }

    /// Follows what is forbidden no more.
    func leaveRestrictions(_ id: FollowerID) { restrictionFeed.leave(id) }

    func publishRestrictions() {
        restrictionFeed.publish(FollowRestrictions.Item(restrictions: restrictions()))
    }

    /// What ended a use that is over; nil when it ended by itself.
    func endReason(of use: Use) -> RevocationReason? {
        if machine.stopped.contains(where: { $0.use == use.use }) { return .stopped }
        if let reason = endings.reason(of: use.grants) { return reason }
        let isRestricted = use.needs.contains { need in
            machine.decisions.restrictions.contains { $0.forbids(need.resource, to: use.principal) }
        }
        return isRestricted ? .restricted : nil
    }
}

extension RestrictionState {
    /// A restriction as it is told.
    init(_ restriction: Restriction) {
        self.init(
            resource: restriction.resource,
            principal: restriction.principal,
            cause: restriction.isSwitch ? .switch : .policy
        )
    }

    /// Whether it forbids something to this principal; to anybody for nil.
    func concerns(_ principal: Principal?) -> Bool {
        principal == nil || self.principal == nil || self.principal == principal
    }
}

/// Why the last grants ended that did not end by being used up; a value.
struct GrantEndings: Sendable {
    /// So many are remembered: more than end while a service tells what it does.
    static let capacity = 1_024

    private var reasons: [DecisionID: RevocationReason] = [:]
    private var order: [DecisionID] = []

    /// Notes decisions that are gone.
    mutating func note(_ removals: [Removal]) {
        for removal in removals where removal.reason != .used {
            if reasons.updateValue(removal.reason, forKey: removal.id) == nil { order.append(removal.id) }
        }
        guard order.count > Self.capacity else { return }
        for id in order.prefix(order.count - Self.capacity) { reasons[id] = nil }
        order.removeFirst(order.count - Self.capacity)
    }

    /// Why the first of these that is gone is.
    func reason(of grants: [DecisionID]) -> RevocationReason? {
        grants.lazy.compactMap { reasons[$0] }.first
    }
}
