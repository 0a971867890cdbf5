import CommandLineService
import Consent
import Media
import MessageSchema
import Synchronization
import Testing

/// A person who types the given lines, one for each question.
private final class TypingPerson: Sendable {
    private struct State {
        var lines: [String]
        var shown = ""
    }

    private let state: Mutex<State>

    init(_ lines: String...) { state = Mutex(State(lines: lines)) }

    var shown: String { state.withLock { $0.shown } }

    var terminal: PersonTerminal {
        PersonTerminal(
            write: { text in self.state.withLock { $0.shown += text } },
            readLine: { self.state.withLock { $0.lines.isEmpty ? nil : $0.lines.removeFirst() } }
        )
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Prompts on the terminal` {
    @Test func `say who, what, why and how long, and steer no terminal`() {
        let text = PromptText.question(Samples.prompt(purpose: "nice\u{1B}[2J", label: "/usr/bin/booth\n"))
        let expected = """

            A program asks for your permission.
              who   uid:1000, proven by the kernel (any program of that user)
                    says it is /usr/bin/booth\\u{a} (not proven)
              what  use the camera 'pattern-back'
                    add to the library
              why   "nice\\u{1b}[2J" (its own words)
              long  once or yes: this one time; session: as long as the program keeps using it;
                    always: until you change it; deny or no: until you change it
            Allow? [once, session, always, deny, dismiss] 
            """
        #expect(text == expected)
    }

    @Test func `show a program's words escaped once, as the coordinator tells them`() {
        let raw = "nice\u{1B}[2J\nAllow? [once] \\o/"
        let told = Samples.prompt(purpose: EscapedText(raw).text, label: EscapedText("/opt/a\\b\u{7}").text)
        let text = PromptText.question(told)
        #expect(text.contains(#"why   "nice\u{1b}[2J\u{a}Allow? [once] \\o/" (its own words)"#))
        #expect(text.contains(#"says it is /opt/a\\b\u{7} (not proven)"#))
        #expect(!text.contains(#"\\u{"#))
        #expect(text.split(separator: "\n").count == 9)
    }

    @Test(arguments: [false, true])
    func `show a program's words escaped once in lists, too`(isFollowed: Bool) async throws {
        let label = EscapedText("a\\b\u{1B}").text
        let cluster = FakeCluster()
        var state = PermissionState(
            principal: .unit(#"dev\x2da.service"#),
            resource: .library,
            access: .read,
            status: .denied
        )
        state.label = label
        let chosen = state
        cluster.on(ListPermissions.self) { _ in .init(permissions: [chosen]) }
        let list = await obscura("permissions", "list", on: cluster)
        #expect(list.text.contains(#"unit:dev\x2da.service  a\\b\u{1b}  library"#))
        let prompt = Samples.prompt(purpose: EscapedText("x\u{1B}").text, label: label)
        cluster.on(ListPrompts.self) { _ in .init(prompts: [prompt]) }
        let prompts = await obscura("permissions", "prompts", on: cluster)
        #expect(prompts.text.contains(#"a\\b\u{1b}"#) && prompts.text.contains(#"x\u{1b}"#))
        #expect(!prompts.text.contains(#"\\u{"#) && prompts.lines.count == 2)
        guard isFollowed else { return }
        cluster.onStream(WatchPermissions.self) { _, send in
            try await send(chosen, [])
            return Empty()
        }
        cluster.onStream(FollowUses.self) { _, _ in Empty() }
        let watch = await obscura("permissions", "watch", on: cluster)
        #expect(watch.text == #"unit:dev\x2da.service  library  read  denied"# + "\n")
    }

    @Test(
        arguments: [
            ("once", .allow, .once), ("O", .allow, .once), ("always", .allow, .forever), (" a ", .allow, .forever),
            ("session", .allow, .session), ("S", .allow, .session), ("y", .allow, .once), ("YES", .allow, .once),
            ("N", .deny, .forever),
            ("deny", .deny, .forever), ("no", .deny, .forever), ("dismiss", .dismiss, nil), (" X ", .dismiss, nil),
        ] as [(String, PromptAnswer, Lifespan?)]
    )
    func `understand answers`(line: String, answer: PromptAnswer, lifespan: Lifespan?) {
        let read = PromptText.answer(line)
        #expect(read?.answer == answer)
        #expect(read?.lifespan == lifespan)
    }

    @Test func `take no other word for an answer`() {
        for word in ["", "  ", "yes please", "allow?", "1", "\u{1B}"] { #expect(PromptText.answer(word) == nil) }
    }

    private func cluster(_ prompts: [Prompt], answers: AnswerRecord) -> FakeCluster {
        let cluster = FakeCluster()
        cluster.onStream(FollowPrompts.self) { _, send in
            for prompt in prompts { try await send(.init(kind: .opened, prompt: prompt), []) }
            return Empty()
        }
        cluster.on(AnswerPrompt.self) { request in
            answers.add(request)
            return .init(permissions: [])
        }
        return cluster
    }

    @Test func `ask one after the other and send the answers`() async throws {
        let answers = AnswerRecord()
        let cluster = cluster([Samples.prompt("p1"), Samples.prompt("p2"), Samples.prompt("p3")], answers: answers)
        // An Enter too many is no answer; the end of the input, as for the third one, is.
        let person = TypingPerson("what?", "", "once", "", "deny")
        try await PromptDialogue(with: person.terminal, over: cluster).run()
        #expect(answers.all.map(\.prompt) == ["p1", "p2", "p3"])
        #expect(answers.all.map(\.answer) == [.allow, .deny, .dismiss])
        #expect(answers.all.map(\.lifespan) == [.once, .forever, nil])
        #expect(person.shown.contains("Please answer once, session, always, deny or dismiss"))
    }

    @Test func `are left undecided by a terminal that is closed`() async throws {
        let answers = AnswerRecord()
        let cluster = cluster([Samples.prompt("p1"), Samples.prompt("p2")], answers: answers)
        let person = PersonTerminal(write: { _ in }, isClosed: { true }, readLine: { nil })
        await #expect(throws: CancellationError.self) { try await PromptDialogue(with: person, over: cluster).run() }
        #expect(answers.all.isEmpty)
    }

    @Test func `end when they are answered elsewhere`() async throws {
        let answers = AnswerRecord()
        let cluster = FakeCluster()
        let reading = Interruption()
        cluster.onStream(FollowPrompts.self) { _, send in
            try await send(.init(kind: .opened, prompt: Samples.prompt()), [])
            await reading.wait()
            try await send(.init(kind: .closed, prompt: Samples.prompt()), [])
            return Empty()
        }
        cluster.on(AnswerPrompt.self) { request in
            answers.add(request)
            return .init(permissions: [])
        }
        let shown = Mutex("")
        let person = PersonTerminal(
            write: { text in shown.withLock { $0 += text } },
            readLine: {
                reading.trigger()
                try? await Task.sleep(for: .seconds(3600))
                return nil
            }
        )
        try await PromptDialogue(with: person, over: cluster).run()
        #expect(answers.all.isEmpty)
        #expect(shown.withLock { $0 }.hasSuffix("The question was answered elsewhere, or is over.\n"))
    }

    @Test func `an operator's own command asks on its terminal while it waits`() async throws {
        let answers = AnswerRecord()
        let cluster = FakeCluster()
        let answered = Interruption()
        let asked = Interruption()
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: true, services: []) }
        cluster.on(PermissionStatus.self) { request in
            .init(permissions: [.init(principal: .user(1000), resource: .library, access: .addOnly, status: .denied)])
        }
        cluster.on(ListPrompts.self) { _ in .init(prompts: []) }
        cluster.onStream(FollowPrompts.self) { _, send in
            await asked.wait()
            var other = Samples.prompt("p0")
            other.principal = .user(1)
            try await send(.init(kind: .opened, prompt: other), [])
            try await send(.init(kind: .opened, prompt: Samples.prompt("p1")), [])
            try await Task.sleep(for: .seconds(3600))
            return Empty()
        }
        cluster.on(AnswerPrompt.self) { request in
            answers.add(request)
            answered.trigger()
            return .init(permissions: [])
        }
        cluster.on(TakePhoto.self) { _ in
            asked.trigger()
            await answered.wait()
            return Samples.result()
        }
        let person = TypingPerson("once")
        let outcome = await obscura("photo", "--camera", "b", "--json", on: cluster, person: person.terminal)
        #expect(outcome.status == .success)
        #expect(answers.all.map(\.prompt) == ["p1"])
        #expect(person.shown.contains("use the camera 'pattern-back'"))
        let silent = await obscura("photo", "--camera", "b", "--no-prompt", on: cluster, person: person.terminal)
        #expect(silent.status == .success)
        #expect(cluster.calls.filter { $0 == FollowPrompts.name }.count == 1)
    }

    @Test func `say nothing more when the command that asked has its answer first`() async {
        let cluster = FakeCluster()
        let (asked, denied) = (Interruption(), Interruption())
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: true, services: []) }
        cluster.on(PermissionStatus.self) { _ in
            .init(permissions: [.init(principal: .user(1000), resource: .library, access: .addOnly, status: .denied)])
        }
        cluster.on(ListPrompts.self) { _ in .init(prompts: []) }
        cluster.onStream(FollowPrompts.self) { _, send in
            await asked.wait()
            try await send(.init(kind: .opened, prompt: Samples.prompt()), [])
            await Interruption().wait()
            return Empty()
        }
        cluster.on(AnswerPrompt.self) { _ in
            denied.trigger()
            // The photo's own answer comes first, and ends this request.
            await Interruption().wait()
            throw ErrorReply(.cancelled, "The request was cancelled")
        }
        cluster.on(TakePhoto.self) { _ in
            asked.trigger()
            await denied.wait()
            throw ErrorReply(.accessDenied, "Access denied")
        }
        let person = TypingPerson("no")
        let outcome = await obscura("photo", "--camera", "b", on: cluster, person: person.terminal)
        #expect(outcome.status == .notPermitted)
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(!person.shown.contains("Error") && !person.shown.contains("not sent"), "\(person.shown)")
    }

    @Test func `decisions of an operator are about this user's programs in personal mode alone`() async {
        let cluster = FakeCluster()
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: true, services: []) }
        cluster.on(DenyPermission.self) { request in
            #expect(request.change.principal == .user(1000))
            #expect(request.change.resource == .camera("*"))
            return .init(principal: request.change.principal, resource: .camera("*"), access: .use, status: .denied)
        }
        let outcome = await obscura("permissions", "deny", "--resource", "camera/*", "--json", on: cluster)
        #expect(
            outcome.text
                == #"{"access":"use","principal":"uid:1000","resource":"camera/*","status":"denied"}"# + "\n"
        )
        cluster.on(ListServices.self) { _ in .init(deployment: "system", ready: true, services: []) }
        #expect(await obscura("permissions", "deny", "--resource", "library", on: cluster).status == .usage)
    }

    @Test(arguments: [
        (Status.authorized, ProgramStatus.success), (.denied, .notPermitted), (.notDetermined, .tryAgain),
    ])
    func `a request ends by what became of it`(status: Status, expected: ProgramStatus) async {
        let cluster = FakeCluster()
        cluster.on(RequestPermissions.self) { request in
            .init(
                permissions: request.needs.map {
                    .init(principal: .user(1000), resource: $0.resource, access: $0.access, status: status)
                }
            )
        }
        #expect(await obscura("permissions", "request", "--resource", "library", on: cluster).status == expected)
        cluster.on(ListCameras.self) { _ in .init(cameras: [Samples.camera("a", .front), Samples.camera("b", .back)]) }
        let all = await obscura("permissions", "request", "--resource", "camera/*", "--json", on: cluster)
        #expect(all.status == expected)
        #expect(all.lines.count == 2)
        #expect(await obscura("permissions", "request", "--resource", "microphone/*", on: cluster).status == .usage)
        #expect(
            await obscura("permissions", "request", "--resource", "library", "--access", "use", on: cluster).status
                == .usage
        )
    }
}

/// Answers in their order.
private final class AnswerRecord: Sendable {
    private let kept = Mutex<[AnswerPrompt]>([])

    var all: [AnswerPrompt] { kept.withLock { $0 } }

    func add(_ answer: AnswerPrompt) { kept.withLock { $0.append(answer) } }
}
