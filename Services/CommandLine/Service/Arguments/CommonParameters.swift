/// The parameters that many commands have.
package enum CommonParameters {
    /// Machine-readable output.
    package static let json = Flag("json", "Print JSON: one object, or one a line")
    /// The help of the command.
    package static let help = Flag("help", "Show this help")
    /// Where the cluster's sockets are.
    package static let runtime = Option(
        "runtime",
        "DIR",
        "The cluster's directory of sockets (default: $OBSCURA_RUNTIME, or the standard one)",
        as: .text
    )

    /// Those that every command has.
    package static let everywhere: [any Parameter] = [runtime, json, help]

    /// Why the caller asks, for the person to read.
    package static let purpose = Option(
        "purpose",
        "TEXT",
        "Why you ask, for the person to read (at most 200 characters)",
        as: ValueReader(expecting: "a text of at most 200 characters") { text in
            text.isEmpty || text.unicodeScalars.count > 200 ? nil : text
        }
    )
    /// Nobody is asked.
    package static let noPrompt = Flag("no-prompt", "Do not ask the person; fail if the permission is not there")
    /// How long the command may take.
    package static let timeout = Option("timeout", "SECONDS", "Give up after so long", as: .time)

    /// Those of commands that may need a permission.
    package static let asking: [any Parameter] = [purpose, noPrompt, timeout]
}

extension CallRules {
    /// For what takes as long as it takes: without a deadline, unless `--timeout` gives one.
    func unhurried(unless arguments: Arguments) -> CallRules {
        arguments[CommonParameters.timeout] == nil ? endless : self
    }
}
