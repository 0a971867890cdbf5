private import Consent
private import Hashing
private import Media
import MessageSchema

/// `obscura library replace`.
struct ReplaceAssetCommand: Command {
    private static let url = Positional("URL", "The asset", as: ValueReader<AssetURL>.assetURL)
    private static let file = Positional("FILE", "A picture or a film", as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "library replace",
            "Gives an asset other bytes; its URL stays",
            discussion:
                "Only the program that saved the asset may (-3300). 'library save --original URL' makes a new asset of them instead.",
            parameters: [Self.url, Self.file] + CommonParameters.asking,
            examples: [("library replace URL edited.jpg", "the asset is what the file is")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let path = arguments.one(Self.file)
        let file = try InputFile(path)
        let request = ReplaceAsset(
            url: arguments.one(Self.url),
            mediaType: await file.kind() == .video ? .movie : .image,
            filename: path.lastPathPart
        )
        return try await context.upload(request, of: file, arguments)
    }
}

/// `obscura library check`.
struct CheckFileCommand: Command {
    private static let file = Positional("FILE", "A picture or a film", as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "library check",
            "Tells whether a picture or a film could be saved, and saves nothing",
            discussion: "Ends with 65 when it could not.",
            parameters: [Self.file] + CommonParameters.asking,
            examples: [("library check film.mov", "whether it can be played here")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let file = try InputFile(arguments.one(Self.file))
        let request = CheckAsset(mediaType: await file.kind() == .video ? .movie : .image)
        let cluster = try context.cluster(arguments)
        // Nobody is asked whether a file may be looked at.
        let reply = try await context.asking(arguments, cluster, about: []) { rules in
            try await cluster.upload(request, rules.uploading(arguments, key: nil)) { try await file.next() }
        }
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
        } else {
            let words =
                reply.compatible ? "can be saved" : "can not be saved: \(reply.reason ?? "it is not understood")"
            context.terminal.writeLine("\(reply.kind.rawValue), \(reply.uti): \(words)")
        }
        return reply.compatible ? .success : .badData
    }
}

extension CallRules {
    /// For bytes that take as long as they take; a dead service is noticed by its silence.
    func uploading(_ arguments: Arguments, key: String?) -> CallRules {
        var rules = key.map { keyed($0) } ?? self
        if arguments[CommonParameters.timeout] == nil { rules.timeout = .seconds(6 * 3600) }
        return rules
    }
}

extension CommandContext {
    /// Sends a file that becomes an asset, shows how far it is, and prints the asset.
    func upload<R: UploadRequest>(
        _ request: R,
        of file: InputFile,
        _ arguments: Arguments
    ) async throws -> ProgramStatus where R.Reply == Asset {
        let cluster = try cluster(arguments)
        let terminal = terminal
        let asset = try await asking(arguments, cluster, about: [Need(.library, .addOnly)]) { rules in
            try await cluster.upload(request, rules.uploading(arguments, key: randomBytes(16).hexadecimal)) {
                let chunk = try await file.next()
                if let chunk { await terminal.showUpload(file.sent(chunk.count), of: file.size) }
                return chunk
            }
        }
        terminal.clearProgress()
        if arguments[CommonParameters.json] {
            terminal.writeJSON(asset)
        } else {
            for line in asset.lines { terminal.writeLine(line) }
        }
        return .success
    }
}
