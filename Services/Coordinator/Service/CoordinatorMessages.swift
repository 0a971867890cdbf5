package import Consent
private import MessageSchema
package import Messaging
private import ServiceRuntime

/// Puts the coordinator's messages onto its server: who may send them, and what answers them.
package struct CoordinatorMessages: Sendable {
    private let desk: PermissionDesk
    private let services: ServiceDirectory
    private let uses: UseDirectory
    private let isOperator: @Sendable (PeerIdentity) -> Bool
    private let operatorsOnly: CallerRule
    private let rolesOnly: CallerRule

    /// Makes the adapter.
    ///
    /// - Parameters:
    ///   - desk: Decides.
    ///   - services: Knows the services.
    ///   - uses: Knows what goes on by which grants.
    ///   - isOperator: Whether a caller may speak for the person.
    ///   - operatorsOnly: The rule that refuses everybody else, and logs it.
    ///   - rolesOnly: The rule that refuses everybody but services.
    package init(
        desk: PermissionDesk,
        services: ServiceDirectory,
        uses: UseDirectory,
        isOperator: @escaping @Sendable (PeerIdentity) -> Bool,
        operatorsOnly: CallerRule,
        rolesOnly: CallerRule = .anyRole
    ) {
        self.desk = desk
        self.services = services
        self.uses = uses
        self.isOperator = isOperator
        self.operatorsOnly = operatorsOnly
        self.rolesOnly = rolesOnly
    }

    /// Registers every message; the server must not have been started.
    package func register(on server: MessageServer) async {
        await registerServices(server)
        await registerPrograms(server)
        await registerOperators(server)
        await registerRoles(server)
        await UseMessages(
            desk: desk,
            uses: uses,
            subject: { try subject($0, $1) },
            isOperator: isOperator,
            operatorsOnly: operatorsOnly,
            rolesOnly: rolesOnly
        ).register(on: server)
    }

    // MARK: Services

    private func registerServices(_ server: MessageServer) async {
        await server.register(RegisterService.self, access: rolesOnly) { [services, desk] request, call in
            guard let instance = ServiceInstance(call.caller) else { throw ErrorReply.roleRequired }
            do throws(ErrorReply) {
                try await services.register(request.service, from: instance)
            } catch {
                await desk.note { [AuditEntryDraft(.serviceRefused, call.caller, error.code, at: $0)] }
                throw error
            }
            return Empty()
        }
        await server.register(ListServices.self) { [services] _, _ in await services.list() }
        await server.register(ResolveService.self) { [services] request, _ in
            ResolveService.Reply(endpoints: await services.endpoints(of: request.service))
        }
    }

    // MARK: Programs

    private func registerPrograms(_ server: MessageServer) async {
        await server.register(RequestPermissions.self) { [desk] request, call in
            if let error = ErrorReply.invalidNeeds(request.needs) { throw error }
            let asker = Asker(call)
            // Nobody is asked for a program that is no more.
            let outcome = try await call.question.asking(about: request.needs) {
                try await call.caller.whileRunning {
                    try await desk.request(
                        request.needs,
                        principal: asker.principal,
                        label: asker.label,
                        purpose: asker.purpose,
                        mayPrompt: asker.mayPrompt
                    )
                }
            }
            if let error = ErrorReply.dismissal(outcome, principal: asker.principal) { throw error }
            return await reply(outcome.standings, asker.principal)
        }
        await server.register(PermissionStatus.self) { [desk] request, call in
            if let error = ErrorReply.invalidNeeds(request.needs) { throw error }
            let principal = try subject(request.principal, call) ?? call.principal
            let label = principal == call.principal ? EscapedText.label(call.label) : request.label
            let standings = await desk.standings(of: request.needs, principal: principal, label: label)
            return await reply(standings, principal)
        }
        await server.register(ListPermissions.self) { [desk] request, call in
            let principal = try subject(request.principal, call)
            let number = await desk.number
            let known = await desk.granted(to: principal) + desk.decisions(about: principal)
            let restrictions = await desk.restrictions(of: principal)
            return ListPermissions.Reply(
                permissions: await desk.restricting(known.map { PermissionState($0, number: number) }),
                restrictions: restrictions.isEmpty ? nil : restrictions
            )
        }
        await server.registerStream(FollowRestrictions.self) { [desk, isOperator] _, call, sink in
            let principal = try subject(nil, call)
            let following = await desk.followRestrictions { [caller = call.caller] in
                principal != nil || isOperator(caller)
            }
            try await following.send(into: sink) {
                FollowRestrictions.Item(restrictions: $0.restrictions.filter { $0.concerns(principal) })
            } leaving: {
                await desk.leaveRestrictions(following.id)
            }
            return Empty()
        }
        await server.registerStream(WatchPermissions.self) { [desk, isOperator] _, call, sink in
            let principal = try subject(nil, call)
            let following = await desk.followDecisions(about: principal) { [caller = call.caller] in
                principal != nil || isOperator(caller)
            }
            try await following.send(into: sink) { await desk.leaveDecisions(following.id) }
            return Empty()
        }
    }

    /// Whom a question is about: an operator asks about anybody, or about all; a program about itself.
    private func subject(_ asked: Principal?, _ call: Call) throws -> Principal? {
        if isOperator(call.caller) { return asked }
        if let asked, asked != call.principal {
            throw ErrorReply(
                .operatorRequired,
                "Only an operator may ask about \(asked)",
                reason: "You are \(call.principal).",
                recoverySuggestion: "Ask about yourself, or ask an operator."
            )
        }
        return call.principal
    }

    private func reply(_ standings: [NeedStanding], _ principal: Principal) async -> RequestPermissions.Reply {
        let number = await desk.number
        return RequestPermissions.Reply(
            permissions: standings.map { PermissionState($0, principal: principal, number: number) }
        )
    }

    // MARK: Operators

    private func registerOperators(_ server: MessageServer) async {
        await register(GrantPermission.self, on: server, \.change) { change, by, machine, now in
            guard change.unfinished == nil else {
                throw ErrorReply.invalidParameter("change.unfinished", "absent where something is allowed")
            }
            return try machine.decide(DecisionSelector(change), .allowed, change.lifespan ?? .forever, by: by, at: now)
        }
        await register(DenyPermission.self, on: server, \.change) { change, by, machine, now in
            try machine.decide(
                DecisionSelector(change),
                .denied,
                change.lifespan ?? .forever,
                by: by,
                unfinished: change.unfinished,
                at: now
            )
        }
        await register(RevokePermission.self, on: server, \.change) { change, by, machine, now in
            try machine.revoke(DecisionSelector(change), by: by, unfinished: change.unfinished, at: now)
        }
        await register(ResetPermission.self, on: server, \.change) { change, by, machine, now in
            try machine.reset(DecisionSelector(change), by: by, unfinished: change.unfinished, at: now)
        }
        await server.register(ListPrompts.self, access: operatorsOnly) { [desk] _, _ in
            ListPrompts.Reply(prompts: await desk.prompts)
        }
        await server.registerStream(FollowPrompts.self, access: operatorsOnly) { [desk, isOperator] _, call, sink in
            let following = try await desk.followPrompts { [caller = call.caller] in isOperator(caller) }
            try await following.send(into: sink) { try await desk.leavePrompts(following.id) }
            return Empty()
        }
        await server.register(AnswerPrompt.self, access: operatorsOnly) { [desk] request, call in
            guard let id = PromptID(request.prompt),
                let prompt = await desk.openPrompt(id)
            else { throw ErrorReply.refusal(.unknownPrompt) }
            let answer: PermissionAnswer =
                switch request.answer {
                // Nobody says for ever by leaving something out.
                case .allow: .allow(request.lifespan ?? .once)
                case .deny: .deny(request.lifespan ?? .forever)
                case .dismiss: .dismiss
                }
            try await take(by: call.principal) {
                [narrowed = request.narrowed ?? false, by = call.principal] machine, now in
                try machine.answer(id, answer, narrowed: narrowed, by: by, at: now)
            }
            let standings = await desk.standings(of: prompt.needs, principal: prompt.principal, label: prompt.label)
            return await reply(standings, prompt.principal)
        }
    }

    private func register<R: Request>(
        _: R.Type,
        on server: MessageServer,
        _ change: @escaping @Sendable (R) -> PermissionChange,
        _ decide:
            @escaping @Sendable (PermissionChange, Principal, inout PermissionMachine, ClockPair) throws ->
            [PermissionAction]
    ) async where R.Reply == PermissionState {
        await server.register(R.self, access: operatorsOnly, remembersReplies: true) { request, call in
            let change = change(request)
            if change.resource.isPosition { throw ErrorReply.position(change.resource) }
            try await take(by: call.principal) { [by = call.principal] machine, now in
                try decide(change, by, &machine, now)
            }
            if R.self == RevokePermission.self, let denial = await denial(change) { return denial }
            let need = Need(change.resource, change.access)
            let standings = await desk.standings(
                of: [need],
                principal: change.principal,
                label: change.label
            )
            let number = await desk.number
            guard let standing = standings.first else { throw ErrorReply.refusal(.notInForce) }
            var state = PermissionState(standing, principal: change.principal, number: number)
            state.label = state.label ?? change.label
            return state
        }
    }

    // MARK: Inside

    /// The newest denial of what was withdrawn, which has the name and the access that the grant had; nil without one.
    private func denial(_ change: PermissionChange) async -> PermissionState? {
        let number = await desk.number
        return await desk.decisions(about: change.principal).last { decision in
            decision.verdict == .denied && change.resource.covers(decision.resource)
                && (change.label == nil || change.label == decision.label)
                && (change.access == nil || change.access == decision.access)
        }.map { PermissionState($0, number: number) }
    }

    /// Gives the desk an event of an operator, whom `by` names, or a service.
    ///
    /// - Throws: `ErrorReply`.
    private func take(
        by operator: Principal? = nil,
        _ transition: @Sendable (inout PermissionMachine, ClockPair) throws -> [PermissionAction]
    ) async throws {
        do {
            try await desk.turn(by: `operator`, transition)
        } catch let refusal as PermissionRefusal {
            throw ErrorReply.refusal(refusal)
        } catch let error as StorageFailure {
            throw ErrorReply.notStored(error)
        }
    }

    // MARK: Roles

    private func registerRoles(_ server: MessageServer) async {
        await server.register(RedeemGrant.self, access: rolesOnly) { request, call in
            guard let id = DecisionID(request.grant), let instance = ServiceInstance(call.caller) else {
                return RedeemGrant.Reply(redeemed: false)
            }
            guard instance.role.redeems(request.need) else {
                throw ErrorReply.notRedeemable(request.need, by: instance.role)
            }
            do {
                try await take { machine, now in
                    try machine.redeem(
                        id,
                        for: request.need,
                        principal: request.principal,
                        label: EscapedText.label(request.label),
                        by: instance.description,
                        at: now
                    )
                }
                return RedeemGrant.Reply(redeemed: true)
            } catch let error as ErrorReply where error.cause == "notInForce" {
                return RedeemGrant.Reply(redeemed: false)
            }
        }
        await server.register(ReleaseGrant.self, access: rolesOnly) { request, call in
            guard let id = DecisionID(request.grant), let instance = ServiceInstance(call.caller) else {
                return Empty()
            }
            try await take { machine, now in
                request.unspent == true
                    ? machine.forgo(id, principal: request.principal, at: now)
                    : machine.release(id, principal: request.principal, by: instance.description, at: now)
            }
            return Empty()
        }
    }
}

extension ServiceInstance {
    /// The process of a caller that proved a role; nil for a program.
    package init?(_ caller: PeerIdentity) {
        guard let role = caller.role else { return nil }
        self.init(role: role, processID: caller.processID, startTime: caller.startTime)
    }
}

extension DecisionSelector {
    fileprivate init(_ change: PermissionChange) {
        self.init(
            principal: change.principal,
            label: change.label,
            resource: change.resource,
            access: change.access
        )
    }
}
