extension PermissionMachine {
    /// The policy forbids and allows exactly this now; what is switched off stays so.
    package mutating func follow(
        restrictions: [Restriction],
        granted: [PolicyGrant] = [],
        at now: ClockPair
    ) -> [PermissionAction] {
        policy = restrictions
        return follow(granted, at: now)
    }

    /// An operator switches something off for everybody, or on again.
    ///
    /// On again, everything is as it was decided.
    package mutating func turn(_ resource: Resource, on isOn: Bool, at now: ClockPair) -> [PermissionAction] {
        switchedOff.removeAll { $0 == resource }
        if !isOn { switchedOff.append(resource) }
        return follow(decisions.granted, at: now)
    }

    private mutating func follow(_ granted: [PolicyGrant], at now: ClockPair) -> [PermissionAction] {
        let all = policy + switchedOff.map { Restriction($0, isSwitch: true) }
        let before = decisions.restrictions
        let grantedBefore = decisions.granted
        guard all != before || granted != grantedBefore else { return [] }
        let isGrown = all.contains { new in !before.contains { $0.covers(new) } }
        let isLess = grantedBefore.contains { old in !granted.contains { $0.covers(old) } }
        let step = step(
            restrictions: all == before ? nil : all,
            granted: granted == grantedBefore ? nil : granted,
            endsGrants: isGrown || isLess
        )
        return [step] + reconsider(at: now)
    }
}
