import FoundationEssentials
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
        return try await context.upload(request, of: file, arguments)
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
