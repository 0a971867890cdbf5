import CommandLineService
import MessageSchema
import Testing

private enum Flash: String, CaseIterable, Sendable { case auto, on, off }

private let flash = Option("flash", "auto|on|off", "The flash", as: ValueReader<Flash>.word)
private let limit = Option("limit", "N", "At most so many", as: .wholeNumber(atLeast: 1))
private let target = Option("to", "DIR", "Where to", isRequired: true, as: .text)
private let reverse = Flag("reverse", "The last first")
private let url = Positional("URL", "Which one", as: .text)
private let rest = Positional("FILE", "More", .any, as: .text)

private func parse(_ line: String, _ parameters: any Parameter...) throws -> Arguments {
    let signature = CommandSignature("library list", "Lists", parameters: parameters, examples: [])
    return try ArgumentParser.parse(line.split(separator: " ").map(String.init), for: signature)
}

private func usageError(_ line: String, _ parameters: any Parameter...) -> ErrorReply? {
    let signature = CommandSignature("library list", "Lists", parameters: parameters, examples: [])
    do {
        _ = try ArgumentParser.parse(line.split(separator: " ").map(String.init), for: signature)
        return nil
    } catch {
        return error
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `The argument parser` {
    @Test func `reads options and positionals in any order`() throws {
        let arguments = try parse("a --flash on b --reverse --limit=3 c --json", flash, limit, reverse, url, rest)
        #expect(arguments[flash] == .on)
        #expect(arguments[limit] == 3)
        #expect(arguments[reverse])
        #expect(arguments[CommonParameters.json])
        #expect(arguments.one(url) == "a")
        #expect(arguments[rest] == ["b", "c"])
    }

    @Test func `leaves out what was not said`() throws {
        let arguments = try parse("", flash, reverse, rest)
        #expect(arguments[flash] == nil)
        #expect(!arguments[reverse])
        #expect(arguments[rest].isEmpty)
    }

    @Test func `takes everything after two dashes, and one dash alone, as positional`() throws {
        #expect(try parse("- -- --flash -x", flash, rest)[rest] == ["-", "--flash", "-x"])
    }

    @Test func `takes the next word as the value, unless it is an option of the command`() throws {
        #expect(try parse("--to --odd", target)[target] == "--odd")
        #expect(try parse("--to=--odd=x", target)[target] == "--odd=x")
        #expect(try parse("--to=--json", target)[target] == "--json")
    }

    @Test(
        arguments: [
            ("--flsh on", "did you mean --flash?"), ("--flash onn", "did you mean 'on'?"),
            ("--flash", "see 'obscura library list --help'"), ("--flash --reverse", nil), ("--limit --json", nil),
            ("--flash on --flash off", nil),
            ("--limit 0", nil), ("--limit x", nil), ("--reverse=1", nil), ("-x", nil), ("stray", nil),
            ("--flash=", nil),
        ] as [(String, String?)]
    )
    func `refuses what the signature does not have`(line: String, suggestion: String?) throws {
        let error = try #require(usageError(line, flash, limit, reverse))
        #expect(error.code == .usage)
        #expect(ProgramStatus(for: error) == .usage)
        if let suggestion { #expect(error.recoverySuggestion == suggestion) }
    }

    @Test func `asks for what is missing`() {
        #expect(usageError("", url)?.reason == "obscura library list needs URL")
        #expect(usageError("", target)?.reason == "obscura library list needs --to")
        #expect(usageError("a", url, Positional("ASSET", "Which", .oneOrMore, as: .text))?.code == .usage)
    }

    @Test func `shows help whatever else is wrong`() throws {
        #expect(try parse("--help", url, target)[CommonParameters.help])
        #expect(try parse("-h", url)[CommonParameters.help])
    }

    @Test(
        arguments: [
            ("5", .seconds(5)), ("2.5s", .milliseconds(2500)), ("500ms", .milliseconds(500)), ("3m", .seconds(180)),
            ("1h", .seconds(3600)), ("0", .zero), ("", nil), ("-1", nil), ("s", nil), ("5x", nil), ("nan", nil),
            ("1e9", nil), ("99999999999", nil), ("0x10", nil), ("1.2.3", nil),
        ] as [(String, Duration?)]
    )
    func `reads lengths of time`(text: String, expected: Duration?) {
        #expect(ValueReader<Duration>.duration.read(text) == expected)
    }
}
