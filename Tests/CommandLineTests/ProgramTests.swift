import CommandLineService
import Glibc
import MessageSchema
import ServiceRuntime
import Testing

private struct Greeting: Command {
    private static let name = Positional("NAME", "Whom to greet", as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "people greet",
            "Greets somebody",
            parameters: [Self.name],
            examples: [("people greet Anna", "says hello to Anna")]
        )
    }

    private static let nobody = ErrorReply(
        .noSuchFile,
        "Nobody there",
        reason: "Nobody is called that.",
        recoverySuggestion: "Ask Anna."
    )

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let name = arguments.one(Self.name)
        if name == "Nobody" { throw Self.nobody }
        if name == "Forever" { try await Task.sleep(for: .seconds(3600)) }
        // It is done before it hears of the interrupt.
        if name == "Late" { try? await Task.sleep(for: .seconds(3600)) }
        context.terminal.writeLine("hello \(name)")
        return .success
    }
}

private func run(_ line: String, interruption: Interruption = Interruption()) async -> (ProgramStatus, String, String) {
    let output = OutputRecord()
    let errors = OutputRecord()
    let context = CommandContext(
        terminal: Terminal(output: output.sink, errors: errors.sink, environment: [:]),
        user: UserSituation(environment: [:], userID: 1, account: nil),
        interruption: interruption,
        executable: "/bin/obscura",
        connect: { _ in FakeCluster() }
    )
    let program = CommandLineProgram(commands: [Greeting()])
    let status = await program.run(line.split(separator: " ").map(String.init), in: context)
    return (status, output.text, errors.text)
}

@Suite(.timeLimit(.minutes(1)))
struct `The program` {
    @Test func `runs the command that is named`() async {
        #expect(await run("people greet Anna") == (.success, "hello Anna\n", ""))
        #expect(await run("--runtime /r people --json greet Anna") == (.success, "hello Anna\n", ""))
    }

    @Test(arguments: [
        (ENOSPC, ["no room", "free some space"]), (EBADF, ["closed"]), (EIO, ["failed"]), (EPIPE, []),
        (ENXIO, ["No such"]),
    ])
    func `says why its output could not be written, in words, and nothing to whoever has read enough`(
        number: Int32,
        words: [String]
    ) async {
        let errors = OutputRecord()
        let context = CommandContext(
            terminal: Terminal(
                output: OutputSink(isTerminal: false) { _ in number },
                errors: errors.sink,
                environment: [:]
            ),
            user: UserSituation(environment: [:], userID: 1, account: nil),
            interruption: Interruption(),
            executable: "/bin/obscura",
            connect: { _ in FakeCluster() }
        )
        let status = await CommandLineProgram(commands: [Greeting()]).run(["people", "greet", "Anna"], in: context)
        #expect(status == .inputOutput)
        for word in words { #expect(errors.text.contains(word), "\(errors.text)") }
        #expect(errors.text.isEmpty == words.isEmpty && !errors.text.contains("errno"))
    }

    @Test func `prints an error as one line and ends with its status`() async {
        let expected = "Error Domain=Obscura Code=noSuchFile \"Nobody there\" Nobody is called that; Ask Anna.\n"
        #expect(await run("people greet Nobody") == (.noInput, "", expected))
        let json =
            #"{"error":{"code":"noSuchFile","description":"Nobody there","domain":"Obscura","#
            + #""reason":"Nobody is called that.","recoverySuggestion":"Ask Anna."}}"#
        #expect(await run("people greet Nobody --json") == (.noInput, "", json + "\n"))
    }

    @Test func `suggests the command that was meant`() async {
        let (status, output, errors) = await run("peopel greet Anna")
        #expect(status == .usage)
        #expect(output.isEmpty)
        #expect(errors.hasSuffix("; did you mean 'people'?\n"))
        #expect(await run("people greeet").2.hasSuffix("; did you mean 'greet'?\n"))
    }

    @Test func `names an option that stands before the command or without one`() async {
        for line in ["--bogus", "--bogus people greet Anna", "people --bogus"] {
            let (status, output, errors) = await run(line)
            #expect(status == .usage)
            #expect(output.isEmpty)
            #expect(errors.contains("'--bogus' is not an option of obscura"))
        }
        #expect(await run("people greeet --bogus").2.hasSuffix("; did you mean 'greet'?\n"))
    }

    @Test func `shows help for a command, for a noun and for all`() async {
        for line in ["people greet --help", "people --help greet", "help people greet"] {
            let (status, output, _) = await run(line)
            #expect(status == .success)
            #expect(output.hasPrefix("usage: obscura people greet NAME [option…]\n\nGreets somebody.\n"))
            #expect(output.contains("obscura people greet Anna  says hello to Anna"))
            #expect(output.contains("--runtime DIR"))
        }
        #expect(await run("--help").1.contains("  people greet  Greets somebody"))
        #expect(await run("people").0 == .usage)
        for (line, name) in [("--json", "obscura"), ("people --json", "obscura people")] {
            let (status, output, errors) = await run(line)
            #expect(status == .usage)
            #expect(output.isEmpty)
            #expect(errors.hasPrefix(#"{"error":{"code":"usage""#) && errors.contains("\(name) needs a command"))
            #expect(errors.split(separator: "\n").count == 1)
        }
        #expect(await run("").0 == .usage)
    }

    @Test func `keeps SIGHUP back for the command that takes it alone`() {
        let program = CommandLineProgram()
        #expect(program.takesHangups(["up"]))
        #expect(program.takesHangups(["--runtime", "/up", "--json", "up", "--verbose"]))
        for words in [[], ["record"], ["status", "up"], ["--runtime", "up"]] { #expect(!program.takesHangups(words)) }
    }

    @Test func `ends with 130 when the user interrupts`() async {
        let interruption = Interruption()
        async let result = run("people greet Forever", interruption: interruption)
        interruption.trigger()
        let (status, _, errors) = await result
        #expect(status == .interrupted)
        #expect(errors.contains("Interrupted"))
    }

    @Test func `an interrupt that comes when all is done changes nothing of it`() async {
        let interruption = Interruption()
        async let result = run("people greet Late", interruption: interruption)
        interruption.trigger()
        #expect(await result == (.success, "hello Late\n", ""))
    }

    @Test(arguments: [
        ["cameras", "watch"], ["permissions", "watch", "--json"], ["permissions", "prompts", "--follow"],
        ["permissions", "prompts", "--answer"],
    ])
    func `whoever has watched enough ends it with 130 and no word`(words: [String]) async {
        let interruption = Interruption()
        let cluster = FakeCluster()
        let wait: @Sendable () async throws -> Void = {
            interruption.trigger()
            try await Task.sleep(for: .seconds(3600))
        }
        cluster.onStream(WatchCameras.self) { _, _ in
            try await wait()
            return Empty()
        }
        cluster.onStream(WatchPermissions.self) { _, _ in
            try await wait()
            return Empty()
        }
        cluster.onStream(FollowUses.self) { _, _ in
            try await wait()
            return Empty()
        }
        cluster.onStream(FollowPrompts.self) { _, _ in
            try await wait()
            return Empty()
        }
        let person = PersonTerminal(write: { _ in }, readLine: { nil })
        let outcome = await obscura(words, on: cluster, person: person, interruption: interruption)
        #expect(outcome.status == .interrupted)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.contains("Interrupted") && !outcome.errors.contains("error"), "\(outcome.errors)")
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Exit statuses` {
    @Test(
        arguments: [
            (.usage, .usage), (.invalidData, .badData), (.damaged, .badData), (.noSuchAsset, .noInput),
            (.noSuchJob, .noInput), (.serviceUnavailable, .unavailable), (.notYetAvailable, .unavailable),
            (.cameraAbsent, .unavailable), (.removed, .unavailable), (.internalFault, .fault),
            (.cannotCreate, .cannotCreate), (.inputOutput, .inputOutput), (.diskFull, .inputOutput),
            (.dismissed, .tryAgain), (.inUse, .tryAgain), (.cameraBusy, .tryAgain), (.deadlineExceeded, .tryAgain),
            (.changeTokenExpired, .tryAgain), (.accessDenied, .notPermitted), (.accessRestricted, .notPermitted),
            (.revoked, .notPermitted), (.operatorRequired, .notPermitted), (.cancelled, .interrupted),
        ] as [(ErrorCode, ProgramStatus)]
    )
    func `follow from the code`(code: ErrorCode, status: ProgramStatus) {
        #expect(ProgramStatus(for: ErrorReply(code, "x")) == status)
    }

    @Test(arguments: ["refused", "withdrawn"])
    func `of a consent record that can not be changed any more is no wrong word`(cause: String) {
        #expect(ProgramStatus(for: ErrorReply(.invalidArgument, "x", cause: cause)) == .badData)
        #expect(ProgramStatus(for: ErrorReply(.invalidArgument, "x")) == .usage)
    }

    @Test func `are never success for an error`() {
        for code in ErrorCode.allCases { #expect(ProgramStatus(for: code) != .success) }
    }

    @Test func `see through a denied write`() {
        #expect(ProgramStatus(for: .dataUnavailable(cause: "accessDenied", recoverySuggestion: "")) == .notPermitted)
        #expect(ProgramStatus(for: .dataUnavailable(cause: "elsewhere", recoverySuggestion: "")) == .tryAgain)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Error lines` {
    @Test func `carry the number of the Assets Library and what to do`() {
        #expect(
            ErrorLine.text(.invalidData())
                == "Error Domain=ALAssetsLibraryErrorDomain Code=-3302 \"Invalid data\" There was a problem writing this "
                + "asset because the data is invalid and cannot be viewed or played; Try with different data"
        )
    }

    @Test(
        arguments: [
            ("a", "Look there", "look there.", #""a" Look there"#), ("a", "See 'b' now.", "b", #""a" See 'b' now."#),
            ("A thing", "a thing.", "b", #""A thing"; b"#), ("a", "cat", "see 'cats'", #""a" cat; see 'cats'"#),
            ("a", "no such thing.. Or is it.: yes..", "b", #""a" no such thing. Or is it: yes; b"#),
            ("a", "cd ..", "../b, ./c.. and 'd'..", #""a" cd ..; ../b, ./c. and 'd'."#),
            ("a", "and so on...", "b", #""a" and so on...; b"#),
        ] as [(String, String, String, String)]
    )
    func `say everything once and end a sentence once`(
        description: String,
        reason: String,
        advice: String,
        words: String
    ) {
        let error = ErrorReply(.usage, description, reason: reason, recoverySuggestion: advice)
        #expect(ErrorLine.text(error) == "Error Domain=Obscura Code=usage " + words)
    }

    @Test func `join sentences of many hands with one mark`() {
        #expect(ErrorWords.joined(["It ended.", nil, "", "See there."], by: "; ") == "It ended; See there.")
        #expect(ErrorWords.joined(["It ended.", ""], by: "; ") == "It ended.")
        #expect(ErrorWords.trimmed("the first., the second") == "the first, the second")
        let error = ErrorReply(.usage, "A thing.", reason: "It is so.", recoverySuggestion: "Do this.")
        #expect(ErrorWords.plain(error) == "A thing: It is so; Do this.")
        let short = ErrorReply(.usage, "A thing.", reason: "It is so.", recoverySuggestion: "")
        #expect(ErrorWords.plain(short) == "A thing: It is so.")
    }

    @Test func `count in the singular, too`() {
        #expect(CountText.of(1, "file") == "1 file")
        #expect(CountText.of(0, "file") == "0 files")
        #expect(CountText.of(2, "change is", plural: "changes are") == "2 changes are")
    }

    @Test func `stay on one line and steer no terminal`() {
        let line = ErrorLine.text(ErrorReply(.unknown, "a\nb", reason: "\u{1B}[2J C:\\x", recoverySuggestion: "\r"))
        #expect(line == #"Error Domain=Obscura Code=unknown "a\u{a}b" \u{1b}[2J C:\x; \u{d}"#)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `The terminal` {
    @Test func `is not steered by JSON either, which stays the same value`() throws {
        let name = "a\u{9B}2J\u{7F}\u{1B}é\n"
        let line = JSONLine.encode([name])
        #expect(line == #"["a\u009b2J\u007f\u001bé\n"]"#)
    }

    @Test func `shows progress only to a person, and takes it away before other output`() {
        let output = OutputRecord()
        let errors = OutputRecord(isTerminal: true)
        let terminal = Terminal(output: output.sink, errors: errors.sink, environment: [:])
        terminal.showProgress("half")
        terminal.writeLine("done")
        #expect(errors.text == "\r\u{1B}[Khalf\r\u{1B}[K")
        #expect(output.text == "done\n")
        let silent = OutputRecord()
        Terminal(output: output.sink, errors: silent.sink, environment: [:]).showProgress("half")
        #expect(silent.bytes.isEmpty)
    }

    @Test func `writes lines of others' words harmless, with its own styles, and JSON as it is`() {
        let record = OutputRecord(isTerminal: true)
        let terminal = Terminal(output: record.sink, errors: record.sink, environment: [:])
        terminal.writeLine(parts: ("a\u{1B}[2J", .green), (" b\nc", nil))
        terminal.writeLine("x\u{202E}y")
        terminal.writeJSON(["k": "é\u{202E}"])
        let expected =
            "\u{1B}[32ma\\u{1b}[2J\u{1B}[0m b\\u{a}c\nx\\u{202e}y\n" + #"{"k":"é"# + "\u{202E}" + #""}"# + "\n"
        #expect(record.text == expected)
    }

    @Test func `colours only a person's terminal, and not where NO_COLOR is set`() {
        func styled(_ isTerminal: Bool, _ environment: [String: String]) -> String {
            let record = OutputRecord(isTerminal: isTerminal)
            return Terminal(output: record.sink, errors: record.sink, environment: environment).styled("x", .bold)
        }
        #expect(styled(true, [:]) == "\u{1B}[1mx\u{1B}[0m")
        #expect(styled(false, [:]) == "x")
        #expect(styled(true, ["NO_COLOR": "1"]) == "x")
        #expect(styled(true, ["TERM": "dumb"]) == "x")
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_550, "1.6 kB"), (34_000_000, "34 MB"),
            (999_600_000, "1.0 GB"),
        ] as [(Int64, String)]
    )
    func `writes sizes for people`(bytes: Int64, text: String) {
        #expect(ByteText.of(bytes) == text)
    }

    @Test func `keeps the columns of a table apart and its text harmless`() {
        var table = TextTable("name", "state")
        table.add("front\u{1B}", "ready")
        table.add("b", nil)
        #expect(table.lines == ["name         state", #"front\u{1b}  ready"#, "b            -"])
        #expect(TextTable("a").lines.isEmpty)
    }
}
