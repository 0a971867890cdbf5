private import MessageSchema

/// `obscura library rebuild`.
struct RebuildLibraryCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "library rebuild",
            "Makes assets of originals that the index does not know; an operator alone may",
            discussion: """
                For when the index was lost, or an older copy of it restored. Names, captions, albums and owners were in the index \
                alone: what is found is imported, and yours. Nothing is deleted. Ends with 65 when an original is not what it was.
                """,
            examples: [("library rebuild --json", "orphans, restored, damaged, skipped")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let rules = CallRules(timeout: .seconds(24 * 3600))
        let reply = try await context.cluster(arguments).call(RebuildLibrary(), rules)
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
        } else {
            context.terminal.writeLine(
                "\(CountText.of(reply.orphans, "original")) without an asset: \(reply.restored) restored, "
                    + "\(reply.damaged) damaged, \(reply.skipped) skipped"
            )
        }
        return reply.damaged == 0 ? .success : .badData
    }
}

/// `obscura library backup`.
struct BackUpLibraryCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "library backup",
            "Copies the index into the folder of its copies; an operator alone may",
            discussion: """
                The library does so itself once a day when something has changed, and keeps seven. The copies lie in \
                DATA/library/backups; the originals are not copied. To restore one, end the library, put the copy in the place of \
                DATA/library/library.sqlite, remove library.sqlite-wal and library.sqlite-shm, start it, and run \
                'obscura library rebuild' for what came since.
                """,
            examples: [("library backup --json", "name, bytes")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let rules = CallRules(timeout: .seconds(3600))
        let reply = try await context.cluster(arguments).call(BackUpLibrary(), rules)
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
        } else {
            context.terminal.writeLine("\(reply.name), \(CountText.of(reply.bytes, "byte"))")
        }
        return .success
    }
}
