private import Media
private import MessageSchema

/// `obscura photo`.
struct PhotoCommand: Command {
    private static let flash = Option("flash", "auto|on|off", "What the flash does", as: ValueReader<FlashMode>.word)

    var signature: CommandSignature {
        CommandSignature(
            "photo",
            "Takes a photo into the library",
            discussion: "The first time, the person is asked; the command waits for the answer and goes on with it.",
            parameters: [CaptureParameters.camera, Self.flash, CaptureParameters.output] + CommonParameters.asking,
            examples: [
                ("photo", "with the back camera, or any other"),
                ("photo --camera front --output me.jpg", "and a copy beside the library"),
                ("photo --json --no-prompt", "for scripts: fails instead of asking"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        try await CaptureParameters.deliver(arguments, context, cluster) {
            var settings = CaptureSettings(camera: try await CaptureParameters.chosen(arguments, cluster, .image))
            settings.flash = arguments[Self.flash]
            let request = TakePhoto(settings: settings)
            return try await context.asking(arguments, cluster) { rules in try await cluster.call(request, rules) }
        }
        return .success
    }
}
