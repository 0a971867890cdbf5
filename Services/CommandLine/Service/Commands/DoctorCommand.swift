/// `obscura doctor`.
struct DoctorCommand: Command {
    private static let policy = Option("policy", "FILE", "Check this policy file too", as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "doctor",
            "Looks at the cluster and the machine, and says what works and what consent is worth here",
            discussion: "Ends with 69 when something does not work.",
            parameters: [Self.policy],
            examples: [
                ("doctor", "deployment, services, cameras, who you are"),
                ("doctor --policy new.json", "whether a policy would be taken, before it is put in its place"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        var diagnosis = await Diagnosis(
            try context.cluster(arguments),
            context,
            runtime: try context.runtimeDirectory(arguments),
            machine: .ofThisMachine()
        )
        if let path = arguments[Self.policy] { diagnosis.check(policy: path) }
        // What a cancelled look found is not how things are.
        try Task.checkCancellation()
        let terminal = context.terminal
        if arguments[CommonParameters.json] {
            terminal.writeJSON(diagnosis)
        } else {
            if let worth = diagnosis.worth { for line in [worth, ""] { terminal.writeLine(line) } }
            show(diagnosis.findings, terminal)
        }
        return diagnosis.isWell ? .success : .unavailable
    }

    private func show(_ findings: [Finding], _ terminal: Terminal) {
        var table = TextTable("what", "is")
        for finding in findings { table.add(finding.about, finding.detail) }
        for (finding, line) in zip(findings, table.lines.dropFirst()) {
            let mark: (String, Terminal.Style) =
                switch finding.state {
                case .ok: ("ok     ", .green)
                case .warning: ("warning", .yellow)
                case .problem: ("problem", .red)
                }
            terminal.writeLine(parts: mark, ("  " + line, nil))
            if let advice = finding.advice { terminal.writeLine("         → \(advice)") }
        }
    }
}
