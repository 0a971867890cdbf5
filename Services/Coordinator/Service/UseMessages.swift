import Consent
private import MessageSchema
import Messaging
private import ServiceRuntime

/// Puts the messages about what goes on by which grants, about sessions and about the global switch onto the server.
struct UseMessages: Sendable {
    let desk: PermissionDesk
    let uses: UseDirectory
    /// Whom a question of a caller is about; nil for an operator who asks about all.
    let subject: @Sendable (Principal?, Call) throws -> Principal?
    /// Whether a caller may speak for the person now.
    let isOperator: @Sendable (PeerIdentity) -> Bool
    let operatorsOnly: CallerRule
    let rolesOnly: CallerRule

    /// Registers every message; the server must not have been started.
    func register(on server: MessageServer) async {
        await server.register(ListUses.self) { [uses, subject] request, call in
            let page = await uses.page(by: try subject(request.principal, call), after: request.cursor)
            return ListUses.Reply(uses: page.uses, next: page.next)
        }
        await server.registerStream(FollowUses.self) { [uses, subject, isOperator] _, call, sink in
            let principal = try subject(nil, call)
            let following = await uses.follow(by: principal) { [caller = call.caller] in
                principal != nil || isOperator(caller)
            }
            try await following.send(into: sink) { await uses.leave(following.id) }
            return Empty()
        }
        await server.register(StopUse.self, access: operatorsOnly) { [uses] request, call in
            do {
                return try await uses.stop(request.use, by: call.principal, unfinished: request.unfinished)
            } catch let refusal as PermissionRefusal {
                throw ErrorReply.refusal(refusal)
            }
        }
        await server.register(ReportUses.self, access: rolesOnly) { [uses] request, call in
            guard let process = ServiceInstance(call.caller) else { throw ErrorReply.roleRequired }
            do {
                try await uses.note(request, of: process)
            } catch let error as StorageFailure {
                throw ErrorReply.notStored(error)
            }
            return Empty()
        }
        await server.registerStream(KeepSession.self) { [desk] _, call, sink in
            try await keepSession(call, sink, desk)
        }
        await registerSwitch(server)
    }

    /// Keeps the session of a program as long as its stream is open, and tells it of its grants meanwhile.
    private func keepSession(_ call: Call, _ sink: ItemSink<PermissionState>, _ desk: PermissionDesk) async throws
        -> Empty
    {
        let principal = call.principal
        let id = try await desk.openSession(principal: principal, label: EscapedText.label(call.label))
        let following = await desk.followDecisions(about: principal)
        try await following.send(into: sink) {
            await desk.leaveDecisions(following.id)
            try await desk.closeSession(id)
        }
        return Empty()
    }

    private func registerSwitch(_ server: MessageServer) async {
        await server.register(TurnResource.self, access: operatorsOnly) { [desk] request, call in
            if let resource = request.resource, let isOn = request.on {
                if resource.isPosition { throw ErrorReply.position(resource) }
                do {
                    try await desk.turn(by: call.principal) { machine, now in
                        machine.turn(resource, on: isOn, at: now)
                    }
                } catch let error as StorageFailure {
                    throw ErrorReply.notStored(error)
                }
            }
            return TurnResource.Reply(switchedOff: await desk.machine.switchedOff)
        }
    }
}
