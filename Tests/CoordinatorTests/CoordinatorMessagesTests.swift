import Consent
import CoordinatorService
import EventLoop
import Files
import Glibc
import Hashing
import Logging
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The coordinator's messages` {
    private let front = Wire.front

    @Test(arguments: ["front", "back", "external"])
    func `the place where a camera looks is no camera, for nobody`(place: String) async throws {
        try await withWire { wire in
            let client = try wire.program()
            let need = Need(.camera(place))
            let errors = [
                await failure { try await client.call(DenyPermission(change: wire.change(need.resource))) },
                await failure { try await client.call(GrantPermission(change: wire.change(need.resource))) },
                await failure { try await client.call(ResetPermission(change: wire.change(need.resource))) },
                await failure { try await client.call(RequestPermissions(needs: [need])) },
                await failure { try await client.call(PermissionStatus(needs: [need])) },
            ]
            for error in errors {
                #expect(error?.code == .invalidArgument)
                #expect(error?.recoverySuggestion?.contains("obscura cameras list") == true)
            }
            #expect(try await client.call(ListPermissions()).permissions.isEmpty)
        }
    }

    @Test func `a program asks, an operator answers, and the waiting call goes on`() async throws {
        try await withWire { wire in
            let (program, person) = (try wire.program(), try wire.program())
            let prompts = try await person.stream(FollowPrompts())
            while await wire.test.desk.prompters == 0 { try await turn() }
            var options = CallOptions()
            options.purpose = "A portrait"
            async let reply = program.call(RequestPermissions(needs: [front, Need(.library, .addOnly)]), options)
            let event = try #require(try await prompts.next()?.value)
            #expect(event.kind == .opened && event.prompt.needs.count == 2 && event.prompt.purpose == "A portrait")
            #expect(event.prompt.principal == .user(geteuid()) && event.prompt.label?.isEmpty == false)
            #expect(try await person.call(ListPrompts()).prompts == [event.prompt])
            let answer = AnswerPrompt(prompt: event.prompt.prompt, answer: .allow, lifespan: .forever)
            let told = try await person.call(answer).permissions
            let permissions = try await reply.permissions
            #expect(permissions == told && permissions.map(\.status) == [.authorized, .authorized])
            #expect(permissions.allSatisfy { $0.provenBy == "uid" && $0.grant != nil && $0.lifespan == .forever })
            #expect(try await prompts.next()?.value.kind == .closed)
            #expect(await failure { try await person.call(answer) }?.cause == "noSuchPrompt")
        }
    }

    @Test(arguments: [(PromptAnswer.allow, Lifespan.once), (.deny, .forever)])
    func `an answer that does not say for how long allows once, and denies for ever`(
        answer: PromptAnswer,
        lifespan: Lifespan
    ) async throws {
        try await withWire { wire in
            let (program, person) = (try wire.program(), try wire.program())
            let prompts = try await person.stream(FollowPrompts())
            while await wire.test.desk.prompters == 0 { try await turn() }
            async let reply = program.call(RequestPermissions(needs: [front]))
            let event = try #require(try await prompts.next()?.value)
            let told = try await person.call(AnswerPrompt(prompt: event.prompt.prompt, answer: answer)).permissions
            #expect(told.map(\.lifespan) == [lifespan])
            _ = try await reply
        }
    }

    @Test func `the prompter who leaves is nobody to ask`() async throws {
        try await withWire { wire in
            let program = try wire.program()
            let none = await failure { try await program.call(RequestPermissions(needs: [front])) }
            #expect(none?.code == .dismissed && none?.cause == "noPrompter")
            let prompts = try await program.stream(FollowPrompts())
            while await wire.test.desk.prompters == 0 { try await turn() }
            async let reply = failure { try await program.call(RequestPermissions(needs: [front])) }
            _ = try await prompts.next()
            await prompts.cancel()
            #expect(await reply?.cause == "noPrompter")
        }
    }

    @Test func `a denial is sticky until an operator resets it`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            let denied = try await client.call(DenyPermission(change: wire.change(.camera("*"))))
            #expect(denied.status == .denied && denied.resource == .camera("*"))
            for _ in 0..<2 {
                let reply = try await client.call(RequestPermissions(needs: [front])).permissions
                #expect(reply.map(\.status) == [.denied])
            }
            #expect(try await client.call(ListPermissions()).permissions.map(\.status) == [.denied])
            let reset = try await client.call(ResetPermission(change: wire.change(.camera("*"))))
            #expect(reset.status == .notDetermined)
            var options = CallOptions()
            options.mayPrompt = false
            let quiet = try await client.call(RequestPermissions(needs: [front]), options).permissions
            #expect(quiet.map(\.status) == [.notDetermined])
            #expect(try await client.call(ListPermissions()).permissions.isEmpty)
        }
    }

    @Test func `what only operators may is refused to programs`() async throws {
        try await withWire { wire in
            wire.speaksForPerson.withLock { $0 = false }
            let program = try wire.program()
            let change = wire.change()
            var codes: [ErrorCode?] = []
            codes.append(await failure { try await program.call(GrantPermission(change: change)) }?.code)
            codes.append(await failure { try await program.call(DenyPermission(change: change)) }?.code)
            codes.append(await failure { try await program.call(RevokePermission(change: change)) }?.code)
            codes.append(await failure { try await program.call(ResetPermission(change: change)) }?.code)
            codes.append(await failure { try await program.call(ListPrompts()) }?.code)
            codes.append(await failure { try await program.call(AnswerPrompt(prompt: "p1", answer: .allow)) }?.code)
            codes.append(await failure { try await program.stream(FollowPrompts()).next() }?.code)
            codes.append(await failure { try await program.call(ListPermissions(principal: .user(77))) }?.code)
            let asked = PermissionStatus(needs: [front], principal: .user(77))
            codes.append(await failure { try await program.call(asked) }?.code)
            #expect(codes == Array(repeating: .operatorRequired, count: 9))
            #expect(wire.test.storage.writes == 0)
        }
    }

    @Test func `what only services may is refused to programs`() async throws {
        try await withWire { wire in
            let program = try wire.program()
            let register = RegisterService(service: Wire.status(.capture))
            let redeem = RedeemGrant(grant: "d1", principal: .user(0), need: front)
            var codes: [ErrorCode?] = []
            codes.append(await failure { try await program.call(register) }?.code)
            codes.append(await failure { try await program.call(redeem) }?.code)
            codes.append(await failure { try await program.call(ReleaseGrant(grant: "d1", principal: .user(0))) }?.code)
            #expect(codes == [.roleRequired, .roleRequired, .roleRequired])
        }
    }

    @Test func `a service registers itself alone and is listed and resolved`() async throws {
        try await withWire { wire in
            let (capture, program) = (try wire.capture(), try wire.program())
            _ = try await capture.call(RegisterService(service: Wire.status(.capture)))
            let other = RegisterService(service: Wire.status(.library))
            #expect(await failure { try await capture.call(other) }?.code == .roleRequired)
            let list = try await program.call(ListServices())
            #expect(list.services.map(\.name) == [.coordinator, .capture] && !list.ready)
            #expect(list.services.map(\.pid) == [getpid(), getpid()] && list.deployment == "personal")
            #expect(try await program.call(ResolveService(service: .capture)).endpoints == ["ipc:///x/capture"])
            #expect(try await program.call(ResolveService(service: .library)).endpoints.isEmpty)
        }
    }

    @Test func `a once grant is redeemed once and ends with its release`() async throws {
        try await withWire { wire in
            let (capture, program) = (try wire.capture(), try wire.program())
            let state = try await program.call(GrantPermission(change: wire.change(lifespan: .once)))
            let grant = try #require(state.grant)
            let redeem = RedeemGrant(grant: grant, principal: .user(geteuid()), need: front)
            #expect(try await capture.call(redeem).redeemed)
            #expect(try await !capture.call(redeem).redeemed)
            _ = try await capture.call(ReleaseGrant(grant: grant, principal: .user(geteuid())))
            #expect(try await program.call(ListPermissions()).permissions.isEmpty)
        }
    }

    @Test func `a once grant that nobody used is forgone, and one that is being used is not`() async throws {
        try await withWire { wire in
            let (capture, program) = (try wire.capture(), try wire.program())
            let me = Principal.user(geteuid())
            let used = try await program.call(GrantPermission(change: wire.change(lifespan: .once)))
            let unspent = try await program.call(GrantPermission(change: wire.change(.export, lifespan: .once)))
            let redeem = RedeemGrant(grant: try #require(used.grant), principal: me, need: front)
            #expect(try await capture.call(redeem).redeemed)
            for grant in [used.grant, unspent.grant].compactMap(\.self) {
                _ = try await capture.call(ReleaseGrant(grant: grant, principal: me, unspent: true))
            }
            #expect(try await program.call(ListPermissions()).permissions.map(\.grant) == [used.grant])
        }
    }

    @Test func `a withdrawal tells what is denied now, by the name that it was allowed by`() async throws {
        try await withWire { wire in
            let program = try wire.program()
            _ = try await program.call(GrantPermission(change: wire.change(.library, .read)))
            let change = PermissionChange(principal: .user(geteuid()), resource: .library)
            let library = try await program.call(RevokePermission(change: change))
            #expect(library.status == .denied && library.access == .read)
            _ = try await program.call(GrantPermission(change: wire.change(.camera("pattern-back"))))
            let camera = try await program.call(RevokePermission(change: wire.change(.camera("*"))))
            #expect(camera.status == .denied && camera.resource == .camera("pattern-back"))
        }
    }

    @Test func `what becomes of unfinished films goes out with what ends them, not with what allows`() async throws {
        try await withWire { wire in
            let program = try wire.program()
            func change(_ unfinished: Unfinished?) -> PermissionChange {
                var change = wire.change()
                change.unfinished = unfinished
                return change
            }
            for unfinished in [nil, Unfinished.kept, .discarded] {
                _ = try await program.call(GrantPermission(change: change(nil)))
                _ = try await program.call(RevokePermission(change: change(unfinished)))
                #expect(wire.test.services.announced.last?.unfinished == unfinished)
                _ = try await program.call(ResetPermission(change: change(unfinished)))
                #expect(wire.test.services.announced.last?.unfinished == unfinished)
                _ = try await program.call(DenyPermission(change: change(unfinished)))
                #expect(wire.test.services.announced.last?.unfinished == unfinished)
            }
            let steps = wire.test.services.announced.count
            let error = await failure { try await program.call(GrantPermission(change: change(.kept))) }
            #expect(error?.code == .invalidArgument && wire.test.services.announced.count == steps)
        }
    }

    @Test func `a question that rests says which, until when, and how it is asked again at once`() throws {
        var machine = PermissionMachine()
        let now = ClockPair(wall: Moment(milliseconds: DeskUnderTest.start), uptime: .zero)
        _ = machine.setPrompters(1, at: now)
        _ = machine.ask(Ask(id: AskID(1), principal: .user(1), needs: [front]), at: now)
        _ = try machine.answer(PromptID(1), .dismiss, by: .user(0), at: now)
        let actions = machine.ask(Ask(id: AskID(2), principal: .user(1), needs: [front]), at: now)
        guard case .reply(_, let outcome)? = actions.first else {
            Issue.record("it was asked again")
            return
        }
        let error = try #require(ErrorReply.dismissal(outcome, principal: .user(1)))
        #expect(error.retryAfter == 60_000 && error.cause == "backingOff")
        #expect(error.reason?.contains("\(front)") == true && error.reason?.contains("in 60 seconds") == true)
        let command = "obscura permissions reset --resource \(front.resource) --principal uid:1"
        #expect(error.recoverySuggestion?.contains(command) == true)
    }

    @Test func `a prompt ends with the deadline of the request that waits for it`() async throws {
        try await withWire { wire in
            let (program, person) = (try wire.program(), try wire.program())
            let prompts = try await person.stream(FollowPrompts())
            while await wire.test.desk.prompters == 0 { try await turn() }
            let options = CallOptions(timeout: .milliseconds(300))
            async let reply = failure { try await program.call(RequestPermissions(needs: [front]), options) }
            #expect(try await prompts.next()?.value.kind == .opened)
            #expect(try await prompts.next()?.value.kind == .closed)
            #expect(await reply?.code == .deadlineExceeded)
            #expect(try await person.call(ListPrompts()).prompts.isEmpty)
        }
    }

    @Test(arguments: [Need(.library, .read), Need(.export), Need(.location)])
    func `a grant is redeemed by no service but the one that enforces it`(need: Need) async throws {
        try await withWire { wire in
            let (capture, program) = (try wire.capture(), try wire.program())
            let state = try await program.call(
                GrantPermission(change: wire.change(need.resource, need.access, lifespan: .once))
            )
            let grant = try #require(state.grant)
            let redeem = RedeemGrant(grant: grant, principal: .user(geteuid()), need: need)
            let error = await failure { try await capture.call(redeem) }
            #expect(error?.code == .roleRequired && error?.parameters?["parameter"] == "need")
            let status = PermissionStatus(needs: [need])
            #expect(try await program.call(status).permissions.map(\.status) == [.authorized])
        }
    }

    @Test func `a service asks for the program it works for, which is the one that is asked about`() async throws {
        try await withWire { wire in
            let (capture, person) = (try wire.capture(), try wire.program())
            let prompts = try await person.stream(FollowPrompts())
            while await wire.test.desk.prompters == 0 { try await turn() }
            var options = CallOptions()
            options.onBehalfOf = Delegation(principal: .unit("booth.service"), label: "booth \u{1b}[2J")
            async let reply = capture.call(RequestPermissions(needs: [front]), options)
            let prompt = try #require(try await prompts.next()?.value.prompt)
            #expect(prompt.principal == .unit("booth.service") && prompt.provenBy == "unit")
            #expect(prompt.label == #"booth \u{1b}[2J"#)
            _ = try await person.call(AnswerPrompt(prompt: prompt.prompt, answer: .deny))
            #expect(try await reply.permissions.map(\.status) == [.denied])
        }
    }

    @Test func `decisions are watched as they change`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            let watch = try await client.stream(WatchPermissions())
            while await wire.test.desk.watchers == 0 { try await turn() }
            _ = try await client.call(GrantPermission(change: wire.change()))
            _ = try await client.call(RevokePermission(change: wire.change()))
            #expect(try await watch.next()?.value.status == .authorized)
            #expect(try await watch.next()?.value.status == .denied)
        }
    }

    @Test(
        arguments: [
            [], [Need(.camera("*"))], [Need(.camera("a"), .read)], Array(repeating: Need(.export), count: 17),
        ]
    )
    func `needs that no request can have are refused`(needs: [Need]) async throws {
        try await withWire { wire in
            let client = try wire.program()
            #expect(await failure { try await client.call(RequestPermissions(needs: needs)) }?.code == .invalidArgument)
            #expect(await failure { try await client.call(PermissionStatus(needs: needs)) }?.code == .invalidArgument)
        }
    }

    @Test(arguments: [Lifespan.once, .session, .unusedFor(days: 30)])
    func `a denial holds until somebody changes it, or to a time`(lifespan: Lifespan) async throws {
        try await withWire { wire in
            let client = try wire.program()
            let grant = try await client.call(GrantPermission(change: wire.change(lifespan: lifespan)))
            #expect(grant.status == .authorized && grant.lifespan == lifespan)
            let deny = DenyPermission(change: wire.change(lifespan: lifespan))
            #expect(await failure { try await client.call(deny) }?.code == .invalidArgument)
        }
    }

    @Test func `an operator whose decision is not stored is told so`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            _ = try await client.call(GrantPermission(change: wire.change()))
            wire.test.storage.fail(true)
            let error = await failure { try await client.call(RevokePermission(change: wire.change())) }
            #expect(error?.code == .inputOutput && error?.cause == "notStored")
            #expect(try await client.call(PermissionStatus(needs: [front])).permissions.map(\.status) == [.denied])
        }
    }
}
