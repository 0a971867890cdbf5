private import Consent
import FoundationEssentials
private import Hashing
private import Media
import MessageSchema

/// `obscura library save`.
struct SaveCommand: Command {
    private static let file = Positional("FILE", "A picture or a film", as: .text)
    private static let metadata = Option(
        "metadata",
        "JSON",
        "Metadata that wins over the file's: date, orientation, location, cameraMake, cameraModel",
        as: ValueReader<SaveMetadata>.saveMetadata
    )
    private static let original = Option(
        "original",
        "URL",
        "The asset that this is a modified version of",
        as: ValueReader<AssetURL>.assetURL
    )

    var signature: CommandSignature {
        CommandSignature(
            "library save",
            "Saves a picture or a film into the library",
            discussion: "What can not be viewed or played is refused (-3302). 'library import' keeps such files too.",
            parameters: [Self.file, Self.metadata, Self.original] + CommonParameters.asking,
            examples: [
                ("library save photo.jpg", "prints the new asset's URL"),
                (#"library save film.mov --metadata '{"cameraMake":"Leica"}'"#, "with another maker"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let path = arguments.one(Self.file)
        let file = try InputFile(path)
        var request = SaveAsset(
            mediaType: await file.kind() == .video ? .movie : .image,
            filename: path.lastPathPart
        )
        request.metadata = arguments[Self.metadata]
        request.original = arguments[Self.original]
        let chosen = request
        let cluster = try context.cluster(arguments)
        let terminal = context.terminal
        let asset = try await context.asking(arguments, cluster, about: [Need(.library, .addOnly)]) { rules in
            var rules = rules.keyed(randomBytes(16).hexadecimal)
            // A large film takes its time; a dead service is noticed by its silence.
            if arguments[CommonParameters.timeout] == nil { rules.timeout = .seconds(6 * 3600) }
            return try await cluster.upload(chosen, rules) {
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

extension [UInt8] {
    /// For Foundation's coders.
    var data: FoundationEssentials.Data { FoundationEssentials.Data(self) }
}

extension Terminal {
    /// Shows how much of a file is on its way.
    func showUpload(_ sent: Int64, of size: Int64) {
        showProgress("\(ByteText.of(sent)) of \(ByteText.of(size))")
    }
}
