private import Media
private import MessageSchema

/// `obscura photo`.
struct PhotoCommand: Command {
    private static let flash = Option("flash", "auto|on|off", "What the flash does", as: ValueReader<FlashMode>.word)
    private static let format = Option(
        "format",
        "jpeg|png|raw",
        "The file: a JPEG (the usual), a PNG, or the camera's own samples in a TIFF",
        as: ValueReader<PhotoFormat>.word
    )
    private static let count = Option(
        "count",
        "N",
        "Take so many photos in a row, 1 to \(Limits.burstPictures.upperBound)",
        as: ValueReader(expecting: "a whole number from 1 to \(Limits.burstPictures.upperBound)") { text in
            Int(text).flatMap { Limits.burstPictures.contains($0) ? $0 : nil }
        }
    )
    private static let delay = Option(
        "delay",
        "SECONDS",
        "Take the photo after so long, at most ten minutes",
        as: .time(Limits.timerSeconds, "of at most ten minutes")
    )
    private static let whenBusy = Option(
        "when-busy",
        "queue|refuse",
        "Wait for another photo with the same camera (the usual), or fail",
        as: ValueReader<BusyRule>.word
    )

    var signature: CommandSignature {
        CommandSignature(
            "photo",
            "Takes a photo, or several, into the library",
            discussion: "The first time, the person is asked; the command waits for the answer and goes on with it.\n"
                + "With --count, --json prints a line for each photo, and --output me.jpg writes me-1.jpg, me-2.jpg …,\n"
                + "and --output - writes them one after the other.\n"
                + "While the camera films, a photo has the size of the film; it is told, as granted with --json.",
            parameters: [
                CaptureParameters.camera, Self.flash, Self.format, Self.count, Self.delay, Self.whenBusy,
                CaptureParameters.output,
            ] + CommonParameters.asking,
            examples: [
                ("photo", "with the back camera, or any other"),
                ("photo --camera front --output me.jpg", "and a copy beside the library"),
                ("photo --delay 10s --count 3", "three in a row, ten seconds from now"),
                ("photo --format png --output page.png", "without loss"),
                ("photo --json --no-prompt", "for scripts: fails instead of asking"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let delay = arguments[Self.delay]
        try await CaptureParameters.deliver(arguments, context, cluster, count: arguments[Self.count] ?? 1) {
            var settings = CaptureSettings(camera: try await CaptureParameters.chosen(arguments, cluster, .image))
            settings.flash = arguments[Self.flash]
            settings.format = arguments[Self.format]
            settings.count = arguments[Self.count]
            settings.delay = delay.map { $0 / .seconds(1) }
            settings.whenBusy = arguments[Self.whenBusy]
            let request = TakePhoto(settings: settings)
            let needs = await CaptureParameters.needs(of: settings, cluster)
            return try await context.asking(arguments, cluster, about: needs, lasting: delay ?? .zero) { rules in
                try await cluster.call(request, rules)
            }
        }
        return .success
    }
}
