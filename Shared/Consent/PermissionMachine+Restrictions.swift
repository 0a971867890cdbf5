extension PermissionMachine {
    /// The policy forbids exactly this now; what is switched off stays so.
    package mutating func restrict(_ restrictions: [Restriction], at now: ClockPair) -> [PermissionAction] {
        policy = restrictions
        return restrict(at: now)
    }

    /// An operator switches something off for everybody, or on again.
    ///
    /// On again, everything is as it was decided.
    package mutating func turn(_ resource: Resource, on isOn: Bool, at now: ClockPair) -> [PermissionAction] {
        switchedOff.removeAll { $0 == resource }
        if !isOn { switchedOff.append(resource) }
        return restrict(at: now)
    }

    private mutating func restrict(at now: ClockPair) -> [PermissionAction] {
        let all = policy + switchedOff.map { Restriction($0, isSwitch: true) }
        let before = decisions.restrictions
        guard all != before else { return [] }
        let isGrown = all.contains { new in !before.contains { $0.covers(new) } }
        return [step(restrictions: all, endsGrants: isGrown)] + reconsider(at: now)
    }
}
