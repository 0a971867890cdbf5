extension PermissionMachine {
    /// A program asks: it is answered at once, or a prompt opens, or it joins those that are open.
    package mutating func ask(_ ask: Ask, at now: ClockPair) -> [PermissionAction] {
        place(ask, at: now)
    }

    /// A program no longer waits: it gave up, its deadline has passed, or it is gone.
    ///
    /// Prompts for whose answer nobody waits now are taken away; nothing is stored and nothing rests.
    package mutating func withdraw(_ id: AskID) -> [PermissionAction] {
        let left = waiting.filter { $0.ask.id == id }
        guard !left.isEmpty else { return [] }
        waiting.removeAll { $0.ask.id == id }
        let awaited = waiting.reduce(into: Set<PromptID>()) { $0.formUnion($1.prompts) }
        let abandoned = prompts.filter { prompt in
            !awaited.contains(prompt.id) && left.contains { $0.prompts.contains(prompt.id) }
        }
        prompts.removeAll { abandoned.contains($0) }
        return abandoned.map { .close($0, .withdrawn) }
    }

    /// An operator answers a prompt for the person.
    ///
    /// `narrowed` makes the decision one about programs with the label of the prompt only.
    ///
    /// A yes overrides nothing that was said to another program of the principal by its label.
    ///
    /// - Throws: `unknownPrompt` when it is not open; `noLabel` when there is nothing to narrow to; a refusal of the
    ///   lifespan. Nothing has changed then.
    package mutating func answer(
        _ id: PromptID,
        _ answer: PermissionAnswer,
        narrowed: Bool = false,
        by operator: Principal,
        at now: ClockPair
    ) throws(PermissionRefusal) -> [PermissionAction] {
        guard let prompt = prompts.first(where: { $0.id == id }) else { throw .unknownPrompt }
        let verdict: Verdict
        let lifespan: Lifespan
        switch answer {
        case .dismiss: return dismiss(prompt, .closed, at: now)
        case .allow(let span): (verdict, lifespan) = (.allowed, span)
        case .deny(let span): (verdict, lifespan) = (.denied, span)
        }
        try check(lifespan, for: verdict, at: now.wall)
        // Narrowed to no label it would be about every program of the principal.
        if narrowed, prompt.label == nil { throw .noLabel }
        prompts.removeAll { $0.id == id }
        let drafts = prompt.needs.filter { isMissing($0, prompt.principal, prompt.label, now.wall) }.map {
            DecisionSelector(
                principal: prompt.principal,
                label: narrowed ? prompt.label : nil,
                resource: $0.resource,
                access: $0.access
            )
        }
        var actions: [PermissionAction] = []
        if !drafts.isEmpty {
            let reason: RevocationReason = verdict == .denied ? .denied : .replaced
            actions.append(
                decide(
                    drafts,
                    verdict,
                    lifespan,
                    by: `operator`,
                    at: now.wall,
                    reason: reason,
                    added: verdict == .allowed
                )
            )
        }
        actions.append(.close(prompt, .answered))
        return actions + reconsider(at: now)
    }

    /// A prompt was open for too long.
    package mutating func timeOut(_ id: PromptID, at now: ClockPair) -> [PermissionAction] {
        guard let prompt = prompts.first(where: { $0.id == id }) else { return [] }
        return dismiss(prompt, .timedOut, at: now)
    }

    /// So many are there to answer now.
    ///
    /// When the last one leaves, open prompts end as if nobody had been there.
    package mutating func setPrompters(_ count: Int, at now: ClockPair) -> [PermissionAction] {
        prompters = count
        guard count == 0 else { return [] }
        return prompts.flatMap { dismiss($0, .noPrompter, at: now) }
    }

    // MARK: Inside

    /// Answers everybody who waits and can be answered now, and takes away prompts that have nothing left to ask.
    mutating func reconsider(at now: ClockPair) -> [PermissionAction] {
        for prompt in prompts {
            for need in prompt.needs where !isMissing(need, prompt.principal, prompt.label, now.wall) {
                backOffs[BackOffKey(principal: prompt.principal, need: need)] = nil
            }
        }
        settleSessions(at: now)
        let settled = prompts.filter { prompt in
            prompt.needs.allSatisfy { !isMissing($0, prompt.principal, prompt.label, now.wall) }
        }
        prompts.removeAll { settled.contains($0) }
        var actions = settled.map { PermissionAction.close($0, .settled) }
        let open = Set(prompts.map(\.id))
        let asks = waiting
        waiting = []
        for var item in asks {
            item.prompts.formIntersection(open)
            let standings = standings(of: item.ask, at: now.wall)
            if standings.isMissing, !standings.isRefused, !item.prompts.isEmpty {
                waiting.append(item)
            } else {
                actions += place(item.ask, at: now)
            }
        }
        return actions
    }

    private mutating func place(_ ask: Ask, at now: ClockPair) -> [PermissionAction] {
        let standings = standings(of: ask, at: now.wall)
        func reply(_ dismissal: Dismissal?) -> [PermissionAction] {
            [.reply(ask.id, AskOutcome(standings: standings, dismissal: dismissal))]
        }
        guard standings.isMissing, !standings.isRefused, ask.mayPrompt else { return reply(nil) }
        let missing = standings.filter { $0.standing == .notDetermined }.map(\.need)
        let related = prompts.filter { prompt in
            prompt.principal == ask.principal && prompt.label == ask.label
                && prompt.needs.contains { missing.contains($0) }
        }
        var joined = Set(related.map(\.id))
        var unasked: [Need] = []
        for need in missing where !unasked.contains(need) && !related.contains(where: { $0.needs.contains(need) }) {
            unasked.append(need)
        }
        // The same question is one with nothing in it that was not dismissed; with anything new it is another one.
        let rests = unasked.compactMap { backOff(ask.principal, $0, now.uptime) }
        if rests.count == unasked.count, let rest = rests.min() { return reply(.backingOff(rest)) }
        guard prompters > 0 else { return reply(.noPrompter) }
        guard !unasked.isEmpty else {
            waiting.append(WaitingAsk(ask: ask, prompts: joined))
            return []
        }
        guard prompts.count(where: { $0.principal == ask.principal }) < Self.openPromptsPerPrincipal else {
            return reply(.tooManyPrompts)
        }
        let prompt = PermissionPrompt(
            id: PromptID(nextPrompt),
            principal: ask.principal,
            label: ask.label,
            needs: unasked,
            purpose: ask.purpose,
            asked: now.wall
        )
        nextPrompt += 1
        prompts.append(prompt)
        joined.insert(prompt.id)
        waiting.append(WaitingAsk(ask: ask, prompts: joined))
        return [.open(prompt)]
    }

    private mutating func dismiss(
        _ prompt: PermissionPrompt,
        _ dismissal: Dismissal,
        at now: ClockPair
    ) -> [PermissionAction] {
        prompts.removeAll { $0.id == prompt.id }
        if dismissal != .noPrompter {
            for need in prompt.needs { rest(prompt.principal, need, now.uptime) }
        }
        let end: PromptEnd =
            switch dismissal {
            case .timedOut: .timedOut
            case .noPrompter: .unattended
            case .closed, .backingOff, .tooManyPrompts: .dismissed
            }
        var actions: [PermissionAction] = [.close(prompt, end)]
        for item in waiting where item.prompts.contains(prompt.id) {
            let standings = standings(of: item.ask, at: now.wall)
            actions.append(.reply(item.ask.id, AskOutcome(standings: standings, dismissal: dismissal)))
        }
        waiting.removeAll { $0.prompts.contains(prompt.id) }
        return actions
    }

    private func standings(of ask: Ask, at now: Moment) -> [NeedStanding] {
        standings(of: ask.needs, principal: ask.principal, label: ask.label, at: now)
    }

    private func isMissing(_ need: Need, _ principal: Principal, _ label: String?, _ now: Moment) -> Bool {
        decisions.standing(of: need, principal: principal, label: label, at: now) == .notDetermined
    }

    // MARK: Back-off

    private func backOff(_ principal: Principal, _ need: Need, _ now: Duration) -> Duration? {
        guard let entry = backOffs[BackOffKey(principal: principal, need: need)], entry.until > now else { return nil }
        return entry.until - now
    }

    private mutating func rest(_ principal: Principal, _ need: Need, _ now: Duration) {
        backOffs = backOffs.filter { now < $0.value.until + Self.longestBackOff }
        let key = BackOffKey(principal: principal, need: need)
        let length = backOffs[key]?.next ?? Self.firstBackOff
        backOffs[key] = BackOff(until: now + length, next: min(length * 2, Self.longestBackOff))
    }
}

extension [NeedStanding] {
    fileprivate var isMissing: Bool { contains { $0.standing == .notDetermined } }

    fileprivate var isRefused: Bool { contains { $0.standing.status == .denied || $0.standing.status == .restricted } }
}
