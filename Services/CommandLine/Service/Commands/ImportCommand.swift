private import MessageSchema

/// `obscura library import`.
struct ImportCommand: Command {
    private static let paths = Positional("PATH", "A file, or a directory with all below it", .oneOrMore, as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "library import",
            "Takes files into the library as they are; an operator alone may",
            discussion:
                "Files that can not be viewed or played are kept too, named with the reason (damaged), and no failure. Symbolic\n"
                + "links are not followed. What is no picture or film is skipped. Ends with 65 when a file could not be imported,\n"
                + "and when one was skipped that was named by itself. --timeout is for each file.",
            parameters: [Self.paths] + CommonParameters.asking,
            examples: [
                ("library import ~/Pictures", "everything in there; a second time, all are duplicates"),
                ("library import card/DCIM --json", "found, imported, duplicates, damaged, skipped, failed"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        var walk = ImportWalk()
        for path in arguments[Self.paths] { try walk.add(path) }
        let terminal = context.terminal
        let total = Int64(walk.candidates.count)
        // A large film takes its time; a dead service is noticed by its silence.
        var rules = CallRules(timeout: arguments[CommonParameters.timeout] ?? .seconds(6 * 3600))
        rules.mayPrompt = !arguments[CommonParameters.noPrompt]
        rules.purpose = arguments[CommonParameters.purpose]
        let importer = Importer(cluster: try context.cluster(arguments), rules: rules) { done in
            terminal.showProgress(ProgressBar.line(Int64(done), of: total, "files"))
        }
        let (summary, problem) = try await importer.run(walk.candidates)
        terminal.clearProgress()
        if arguments[CommonParameters.json] {
            terminal.writeJSON(summary)
        } else {
            show(summary, terminal)
        }
        if let problem { throw problem }
        return summary.failed.isEmpty && !summary.missesNamed ? .success : .badData
    }

    private func show(_ summary: ImportSummary, _ terminal: Terminal) {
        let parts = [
            ("kept, damaged", summary.damaged), ("not taken: skipped", summary.skipped),
            ("not taken: failed", summary.failed),
        ]
        for (word, reasons) in parts where !reasons.isEmpty {
            var table = TextTable(word, "reason")
            for entry in reasons { table.add(entry.path, entry.reason) }
            terminal.write(table, orSay: "")
        }
        terminal.writeLine(
            "\(summary.found) found: \(summary.imported) imported, \(summary.duplicates) duplicates, "
                + "\(summary.skipped.count) skipped, \(summary.failed.count) failed"
                + (summary.damaged.isEmpty
                    ? "" : "; \(summary.damaged.count) kept in the library can not be shown or played as they should")
        )
    }
}
