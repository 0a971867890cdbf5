import Consent
import MessageSchema
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct `The consent gate` {
    private let front = FakeCoordinator.front
    private let add = FakeCoordinator.add
    private let asker = FakeCoordinator.asker

    private func refusal(_ coordinator: FakeCoordinator, _ needs: [Need], _ asker: Asker? = nil) async -> ErrorReply? {
        do {
            _ = try await coordinator.consent.authorize(needs, for: asker ?? self.asker)
            return nil
        } catch {
            return error as? ErrorReply
        }
    }

    /// What is told to go on.
    private func told(_ coordinator: FakeCoordinator) -> [Use] { coordinator.uses.report().flatMap(\.uses) }

    @Test func `what is allowed is not asked for`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .forever, .camera("*"))
        let authorization = try await coordinator.consent.authorize([front], for: asker)
        try authorization.check()
        #expect(authorization.grants.map(\.need) == [front])
        #expect(coordinator.state.withLock { $0.asked.isEmpty })
    }

    @Test func `what is switched off for everybody is known without asking for it`() {
        let coordinator = FakeCoordinator()
        #expect(coordinator.gate.restrictions.isEmpty)
        coordinator.take { $0.turn(.camera("*"), on: false, at: FakeCoordinator.clock) }
        #expect(coordinator.gate.restrictions == [Restriction(.camera("*"), isSwitch: true)])
        coordinator.take { $0.turn(.camera("*"), on: true, at: FakeCoordinator.clock) }
        #expect(coordinator.gate.restrictions.isEmpty)
    }

    @Test
    func `a film with sound is asked for in one question, and goes on silent when the microphone alone is taken back`()
        async throws
    {
        let microphone = Need(.microphone("m"), .use)
        let coordinator = FakeCoordinator()
        coordinator.state.withLock { $0.answer = .allow(.forever) }
        let authorization = try await coordinator.consent.authorize([front, add, microphone], for: asker)
        #expect(coordinator.state.withLock { $0.asked } == [[front, add, microphone]])
        let pictures = authorization.part { !$0.resource.isMicrophone }
        let sound = authorization.part { $0.resource.isMicrophone }
        try pictures.check()
        try sound.check()
        async let told = sound.revoked()
        try coordinator.revoke(.microphone("m"))
        let word = await told?.code
        #expect(word == .revoked)
        #expect(throws: ErrorReply.self) { try sound.check() }
        #expect(throws: ErrorReply.self) { try authorization.check() }
        try pictures.check()
        async let toldOfPictures = pictures.revoked()
        try coordinator.revoke(.camera("front"))
        let last = await toldOfPictures?.code
        #expect(last == .revoked)
        #expect(throws: ErrorReply.self) { try pictures.check() }
    }

    @Test func `a film with sound that is stopped ends with its sound, and nothing else does`() async throws {
        let microphone = Need(.microphone("m"), .use)
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .forever, .camera("front"))
        try coordinator.decide(.allowed, .forever, .microphone("m"))
        let consent = coordinator.consent
        let film = try await consent.authorize([front, microphone], for: asker)
        let other = try await consent.authorize([front], for: asker)
        let pictures = film.part { !$0.resource.isMicrophone }
        let sound = film.part { $0.resource.isMicrophone }
        #expect(told(coordinator).map { Optional($0.use) } == [film.use, other.use])
        let use = try #require(film.use)
        async let word = sound.revoked()
        coordinator.take { machine in machine.stop(use, by: .user(7), at: FakeCoordinator.clock) }
        let ending = await word
        #expect(ending?.code == .revoked && ending?.parameters?["reason"] == "stopped")
        #expect(ending?.parameters?["by"] == "uid:7")
        #expect(film.revocation?.reason == .stopped)
        #expect(throws: ErrorReply.self) { try film.check() }
        #expect(throws: ErrorReply.self) { try pictures.check() }
        #expect(throws: ErrorReply.self) { try sound.check() }
        try other.check()
        // What was decided stays: the next film may begin while the one that was stopped is still to end.
        let next = try await consent.authorize([front, microphone], for: asker)
        try next.check()
        film.end()
        try next.check()
        #expect(told(coordinator).map { Optional($0.use) } == [other.use, next.use])
    }

    @Test func `what only asks is no use, and what does something is one until it ends`() async throws {
        let coordinator = FakeCoordinator()
        coordinator.state.withLock { $0.answer = .allow(.forever) }
        let consent = coordinator.consent
        let question = try await consent.authorize([front], for: asker, handingOn: [front], isUse: false)
        #expect(question.use == nil && told(coordinator).isEmpty)
        let work = try await consent.authorize([front], for: asker)
        #expect(told(coordinator).map(\.needs) == [[front]])
        work.end()
        work.end()
        #expect(told(coordinator).isEmpty)
    }

    @Test func `once for a film with sound is used up together`() async throws {
        let microphone = Need(.microphone("m"), .use)
        let coordinator = FakeCoordinator()
        coordinator.state.withLock { $0.answer = .allow(.once) }
        let authorization = try await coordinator.consent.authorize([front, microphone], for: asker)
        authorization.end()
        coordinator.state.withLock { $0.answer = nil }
        let silent = Asker(principal: .user(1000), label: "booth", mayPrompt: false)
        #expect(await refusal(coordinator, [front], silent)?.code == .dismissed)
        #expect(await refusal(coordinator, [microphone], silent)?.code == .dismissed)
    }

    @Test
    func `a microphone that the person refuses is refused with the film that wants it, and not with a silent one`()
        async throws
    {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .forever, .camera("front"))
        try coordinator.decide(.denied, .forever, .microphone("m"))
        let refused = await refusal(coordinator, [front, Need(.microphone("m"), .use)])
        #expect(refused?.code == .accessDenied)
        #expect(coordinator.state.withLock { $0.asked.isEmpty })
        try await coordinator.consent.authorize([front], for: asker).check()
    }

    @Test func `what nobody decided is asked for at once, and the work goes on with the answer`() async throws {
        let coordinator = FakeCoordinator()
        coordinator.state.withLock { $0.answer = .allow(.forever) }
        let authorization = try await coordinator.consent.authorize([front, add], for: asker)
        try authorization.check()
        #expect(coordinator.state.withLock { $0.asked } == [[front, add]])
    }

    @Test func `each no has its own error, with the exact command that changes it`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.denied, .forever, .camera("*"))
        try coordinator.decide(.denied, .forever, .library, .read)
        let camera = await refusal(coordinator, [front])
        #expect(camera?.code == .accessDenied && camera?.number == nil)
        #expect(
            camera?.recoverySuggestion == "obscura permissions reset --resource 'camera/*' --principal uid:1000"
        )
        #expect(camera?.parameters?["resource"] == "camera/front")
        let read = await refusal(coordinator, [Need(.library, .read)])
        #expect(read?.code == .accessDenied && read?.number == -3311)
        #expect(
            read?.recoverySuggestion
                == "obscura permissions reset --resource library --access read --principal uid:1000"
        )
        try coordinator.decide(.denied, .forever, .library)
        let write = await refusal(coordinator, [add])
        #expect(write?.code == .dataUnavailable && write?.number == -3310 && write?.cause == "accessDenied")
        coordinator.take { machine in
            machine.follow(restrictions: [Restriction(.camera("*"))], at: FakeCoordinator.clock)
        }
        let restricted = await refusal(coordinator, [front])
        #expect(restricted?.code == .accessRestricted && restricted?.number == -3312)
    }

    @Test func `what is denied of one request is told at once, with a command for each`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.denied, .forever, .camera("*"))
        try coordinator.decide(.denied, .forever, .library)
        let camera = "obscura permissions reset --resource 'camera/*' --principal uid:1000"
        let library = "obscura permissions reset --resource library --access addOnly --principal uid:1000"
        let error = await refusal(coordinator, [front, add, Need(.camera("back"))])
        #expect(error?.recoverySuggestion == "\(camera); \(library)")
        #expect(error?.reason?.hasSuffix("access to camera/front and library and camera/back.") == true)
        let other = await refusal(coordinator, [add, front])
        #expect(other?.recoverySuggestion == "\(library); \(camera)")
        #expect(other?.number == -3310)
    }

    @Test func `a dismissed prompt, and a request that may not prompt, are told apart`() async {
        let coordinator = FakeCoordinator()
        let dismissed = await refusal(coordinator, [front])
        #expect(dismissed?.code == .dismissed && dismissed?.cause == "noPrompter")
        var quiet = asker
        quiet.mayPrompt = false
        let undecided = await refusal(coordinator, [front], quiet)
        #expect(undecided?.code == .dismissed && undecided?.cause == "notAsked")
    }

    @Test func `running work is told why, by whom and when, and can wait for it`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .forever, .camera("front"))
        try coordinator.decide(.allowed, .forever, .camera("back"))
        let authorization = try await coordinator.consent.authorize([front], for: asker)
        try coordinator.revoke(.camera("back"))
        try authorization.check()
        async let revoked = authorization.revoked()
        try coordinator.revoke(.camera("front"))
        let error = #expect(throws: ErrorReply.self) { try authorization.check() }
        #expect(await revoked == error)
        #expect(error?.code == .revoked && error?.parameters?["reason"] == "revoked")
        #expect(error?.parameters?["by"] == "uid:7" && error?.parameters?["at"] == "\(FakeCoordinator.clock.wall)")
    }

    @Test func `a grant that was redeemed for a request given up meanwhile is released`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .once, .camera("front"))
        let (redeemed, tellRedeemed) = AsyncStream.makeStream(of: Void.self)
        let (goOn, tellGoOn) = AsyncStream.makeStream(of: Void.self)
        // The coordinator has redeemed it, and the answer is on its way when the request is given up.
        let questions = ConsentGate.Coordinator(
            request: { _, _ in .init(number: 0) },
            redeem: { grant, asker in
                let isRedeemed = coordinator.redeem(grant, asker)
                tellRedeemed.finish()
                for await _ in goOn {}
                try Task.checkCancellation()
                return isRedeemed
            },
            release: { grant, _ in
                guard !Task.isCancelled else { return }
                coordinator.state.withLock { $0.released.append(grant.id) }
            },
            forgo: { _, _ in }
        )
        let consent = ConsentGate(decisions: coordinator.gate, coordinator: questions)
        let id = coordinator.state.withLock { $0.machine.decisions.all.map(\.id) }
        let request = Task { [front, asker] in _ = try await consent.authorize([front], for: asker) }
        for await _ in redeemed {}
        request.cancel()
        tellGoOn.finish()
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(coordinator.state.withLock { $0.released } == id && id.count == 1)
    }

    @Test func `waiting for a revocation ends with the task`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .forever, .camera("front"))
        let authorization = try await coordinator.consent.authorize([front], for: asker)
        let waiting = Task { await authorization.revoked() }
        waiting.cancel()
        #expect(await waiting.value == nil)
    }

    @Test func `without a lease new work is refused and running work ends`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .forever, .camera("front"))
        let authorization = try await coordinator.consent.authorize([front], for: asker)
        coordinator.gate.renewLease(until: BootInstant(nanoseconds: -1))
        let error = #expect(throws: ErrorReply.self) { try authorization.check() }
        #expect(error?.code == .noLease && error?.retryAfter == 1_000)
        #expect(coordinator.consent.standing(of: front, for: asker) == .noLease)
        coordinator.gate.renewLease(until: BootInstant(nanoseconds: 1))
        try authorization.check()
    }

    @Test func `a once grant is redeemed for one piece of work and released with it`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .once, .camera("front"))
        let consent = coordinator.consent
        let authorization = try await consent.authorize([front], for: asker)
        try authorization.check()
        #expect(await refusal(coordinator, [front])?.code == .dismissed)
        let grant = try #require(authorization.grant(for: front))
        authorization.end()
        authorization.end()
        while coordinator.state.withLock({ $0.released.isEmpty }) { try await turn() }
        #expect(coordinator.state.withLock { $0.released } == [grant.id])
    }

    @Test func `what is handed on is redeemed by the service that enforces it`() async throws {
        let coordinator = FakeCoordinator()
        coordinator.state.withLock { $0.answer = .allow(.once) }
        let consent = coordinator.consent
        let authorization = try await consent.authorize([front, add], for: asker, handingOn: [add])
        let delegation = authorization.delegation(of: add)
        #expect(delegation.principal == asker.principal && delegation.label == asker.label)
        let grant = try #require(authorization.grant(for: add))
        #expect(delegation.grant == grant.id.description)
        var redeemedBy: [String?] {
            coordinator.state.withLock { $0.machine.decisions.all.map(\.redeemedBy) }
        }
        #expect(redeemedBy == ["me", nil])
        var library = asker
        library.mayPrompt = false
        library.grants = [grant.id]
        let second = try await consent.authorize([add], for: library)
        #expect(redeemedBy == ["me", "me"])
        // Another service that works under the same redeemed grant, and none that does not name it.
        let third = try await consent.authorize([add], for: library)
        library.grants = []
        #expect(await refusal(coordinator, [add], library)?.cause == "notAsked")
        library.grants = [DecisionID(generation: 99)]
        #expect(await refusal(coordinator, [add], library)?.cause == "usedUp")
        try second.check()
        try third.check()
        try coordinator.revoke(.library)
        #expect(throws: ErrorReply.self) { try second.check() }
        #expect(throws: ErrorReply.self) { try third.check() }
    }

    @Test func `what a question brought once and nobody used ends with the request`() async throws {
        let coordinator = FakeCoordinator()
        coordinator.state.withLock { $0.answer = .allow(.once) }
        let consent = coordinator.consent
        let asked = try await consent.authorize([front, add], for: asker, handingOn: [add])
        let unspent = try #require(asked.grant(for: add))
        asked.end()
        while coordinator.state.withLock({ $0.forgone.isEmpty }) { try await turn() }
        #expect(coordinator.state.withLock { $0.forgone } == [unspent.id])
        // What an operator gave without being asked, and what is left to another service, stays.
        try coordinator.decide(.allowed, .once, .camera("front"))
        try coordinator.decide(.allowed, .once, .library)
        let given = try await consent.authorize([front, add], for: asker, handingOn: [add])
        let redeemed = try #require(given.grant(for: front))
        given.end()
        while !coordinator.state.withLock({ $0.released.contains(redeemed.id) }) { try await turn() }
        #expect(coordinator.state.withLock { $0.forgone.count } == 1)
    }

    /// A process that ended: this one's number, with another start.
    private var gone: Asker {
        let caller = PeerIdentity(
            principal: asker.principal,
            userID: 1000,
            groupID: 1000,
            processID: ProcessIdentity.current,
            startTime: 0,
            label: "booth"
        )
        var gone = asker
        gone.caller = caller
        return gone
    }

    @Test func `who was given one each uses up one each`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .once, .library, .addOnly)
        let first = try #require(coordinator.state.withLock { $0.machine.decisions.all.last?.id })
        // One for all of the resource's programs, one for this program: neither takes the place of the other.
        try coordinator.take { machine in
            let selector = DecisionSelector(
                principal: .user(1000),
                label: "booth",
                resource: .library,
                access: .addOnly
            )
            return try machine.decide(selector, .allowed, .once, by: .user(0), at: FakeCoordinator.clock)
        }
        let second = try #require(coordinator.state.withLock { $0.machine.decisions.all.last?.id })
        var older = asker
        older.grants = [first]
        let handed = try await coordinator.consent.authorize([add], for: older, handingOn: [add])
        #expect(handed.grants.map(\.id) == [first], "though the newer one would do")
        #expect(handed.delegation(of: [add]).grant == first.description)
        let redeeming = try await coordinator.consent.authorize([add], for: older)
        #expect(redeeming.grants.map(\.id) == [first])
        let other = try await coordinator.consent.authorize([add], for: asker)
        #expect(other.grants.map(\.id) == [second])
        withExtendedLifetime([handed, redeeming, other]) {}
    }

    @Test func `a question ends with the process that asked`() async throws {
        let coordinator = FakeCoordinator()
        let isWithdrawn = Mutex(false)
        let questions = ConsentGate.Coordinator(
            request: { _, _ in
                let (answer, _) = AsyncStream.makeStream(of: Never.self)
                for await _ in answer {}
                isWithdrawn.withLock { $0 = Task.isCancelled }
                throw CancellationError()
            },
            redeem: { _, _ in false },
            release: { _, _ in },
            forgo: { _, _ in }
        )
        let consent = ConsentGate(decisions: coordinator.gate, coordinator: questions)
        let error = await #expect(throws: ErrorReply.self) { try await consent.authorize([front], for: gone) }
        #expect(error?.code == .cancelled && error?.cause == "peerGone")
        #expect(isWithdrawn.withLock { $0 })
    }

    @Test func `a once grant is not used up for a process that ended`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .once, .camera("front"))
        #expect(await refusal(coordinator, [front], gone)?.cause == "peerGone")
        let authorization = try await coordinator.consent.authorize([front], for: asker)
        try authorization.check()
        // A lasting grant goes to whoever has asked.
        try coordinator.decide(.allowed, .forever, .camera("back"))
        _ = try await coordinator.consent.authorize([Need(.camera("back"))], for: gone)
    }

    @Test func `who has lost each once grant to others is told so`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .once, .camera("front"))
        let questions = ConsentGate.Coordinator(
            request: { _, _ in .init(number: 0) },
            redeem: { _, _ in false },
            release: { _, _ in },
            forgo: { _, _ in }
        )
        let consent = ConsentGate(decisions: coordinator.gate, coordinator: questions)
        let error = await #expect(throws: ErrorReply.self) { try await consent.authorize([front], for: asker) }
        #expect(error?.code == .dismissed && error?.cause == "usedUp")
        #expect(error?.reason?.contains("not to be asked") == false)
    }

    @Test func `who is too late for a once grant asks again`() async throws {
        let coordinator = FakeCoordinator()
        try coordinator.decide(.allowed, .once, .camera("front"))
        coordinator.state.withLock { state in
            state.answer = .allow(.forever)
            state.beforeRedeeming = {
                try? coordinator.decide(.denied, .forever, .camera("front"))
                coordinator.take { machine in
                    (try? machine.reset(
                        DecisionSelector(principal: .user(1000), resource: .camera("*")),
                        by: .user(0),
                        at: FakeCoordinator.clock
                    )) ?? []
                }
            }
        }
        let authorization = try await coordinator.consent.authorize([front], for: asker)
        #expect(authorization.grants.map(\.lifespan) == [.forever])
        #expect(coordinator.state.withLock { $0.asked.count } == 1)
    }

    @Test(
        arguments: [
            ("it's", #"--label 'it'\''s'"#), ("a b", "--label 'a b'"), ("$(x)", "--label '$(x)'"),
            ("booth", "--label booth"),
        ]
    )
    func `labels are quoted for a shell`(label: String, expected: String) {
        let command = ErrorReply.command("reset", .camera("a"), .use, .user(1), label)
        #expect(command == "obscura permissions reset --resource camera/a --principal uid:1 \(expected)")
    }
}
