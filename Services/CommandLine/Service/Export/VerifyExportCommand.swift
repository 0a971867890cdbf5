private import Bags
private import Files
import MessageSchema

/// `obscura export verify`: checks a bag without any service.
struct VerifyExportCommand: Command {
    private static let directory = Positional("DIR", "The bag's root", as: .text)

    let signature = CommandSignature(
        "export verify",
        "Reads every byte of an export and compares it with its manifest",
        discussion: "Needs no cluster. Ends with 65 when something is missing, changed or not listed.",
        parameters: [directory],
        examples: [("export verify ~/copies", "whether the copies are what was exported")]
    )

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let path = arguments.one(Self.directory)
        let report = try Self.report(on: path)
        let problems = report.problems.map { Problem(path: $0.path, reason: $0.reason.rawValue) }
        if arguments[CommonParameters.json] {
            let result = Result(destination: path, files: report.files, bytes: report.bytes, problems: problems)
            context.terminal.writeJSON(result)
        } else {
            for problem in problems { context.terminal.writeLine("\(problem.reason)  \(problem.path)") }
            let words = problems.isEmpty ? "all as exported" : CountText.of(problems.count, "problem")
            context.terminal.writeLine("\(CountText.of(report.files, "file")), \(ByteText.of(report.bytes)): \(words)")
            if !problems.isEmpty { context.terminal.writeLine(Self.advice(on: report)) }
        }
        return report.isValid ? .success : .badData
    }

    /// What helps, as far as an export would do it.
    private static func advice(on report: BagReport) -> String {
        guard !report.lacksDeclaration else {
            return "No export goes on in a folder without bagit.txt: put it back, or export into an empty folder."
        }
        var advice: [String] = []
        if report.problems.contains(where: { $0.reason != .unlisted }) {
            advice.append(
                "Run the same export again: it renews what is changed or missing, and keeps changed bytes in 'changed'."
            )
        }
        if report.problems.contains(where: { $0.reason == .unlisted }) {
            advice.append(
                "Move out of 'data' what no export put there; what an unfinished one left, the same export lists."
            )
        }
        return advice.joined(separator: " ")
    }

    /// How many problems a bag has; reads every byte.
    static func problems(in path: String) throws(ErrorReply) -> Int { try report(on: path).problems.count }

    private static func report(on path: String) throws(ErrorReply) -> BagReport {
        let directory: Directory
        do throws(FilesError) {
            directory = try Directory(opening: path)
        } catch {
            guard error.code == .notADirectory else { throw ErrorReply.cannotRead(path, error) }
            throw ErrorReply(
                .noSuchFile,
                "This is no export",
                reason: "'\(path)' is no folder, and an export is one",
                recoverySuggestion: "Name the folder that an export was written to",
                parameters: ["path": path]
            )
        }
        do throws(BagError) {
            return try BagVerifier.verify(directory)
        } catch {
            throw error.code == .notABag
                ? ErrorReply(
                    .damaged,
                    "This is no export",
                    reason: "'\(path)': \(error.detail)",
                    recoverySuggestion: "Name the folder that an export was written to"
                )
                : ErrorReply(error, path)
        }
    }

    private struct Problem: Encodable {
        let path: String
        let reason: String
    }

    private struct Result: Encodable {
        let destination: String
        let files: Int
        let bytes: Int64
        let problems: [Problem]
    }
}
