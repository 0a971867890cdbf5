private import Consent
private import Media
import MessageSchema
private import Synchronization

/// `obscura preview`.
struct PreviewCommand: Command {
    /// A box of pixels.
    struct Box: Sendable {
        let width: Int
        let height: Int
    }

    private static let size = Option(
        "size",
        "WxH",
        "The box that pictures fit into (default: as the camera gives them)",
        as: ValueReader<Box>(expecting: "a size such as 640x480") { text in
            let parts = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
            guard parts.count == 2, parts.allSatisfy(Limits.pictureSides.contains) else { return nil }
            return Box(width: parts[0], height: parts[1])
        }
    )
    private static let rate = Option(
        "rate",
        "N",
        "At most so many pictures a second (default: every frame)",
        as: ValueReader<Double>(expecting: "a number, 0.01 to 1000") { text in
            guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }), let rate = Double(text) else {
                return nil
            }
            return Limits.previewRates.contains(rate) ? rate : nil
        }
    )
    private static let frames = Option(
        "frames",
        "N",
        "End after so many pictures (default: when you interrupt)",
        as: ValueReader<Int>.wholeNumber(atLeast: 1)
    )
    private static let output = Option(
        "output",
        "FILE",
        "Where pictures go: - is standard output, NAME.jpg the newest one, a name with %d or %04d one file for each",
        as: .text
    )

    var signature: CommandSignature {
        CommandSignature(
            "preview",
            "Shows what a camera sees: JPEG pictures one after the other, until you interrupt",
            discussion:
                "Pictures follow one another as in a motion JPEG stream: obscura preview | ffplay -f mjpeg -\n"
                + "Who reads slowly misses pictures and gets the newest. With --json there is a line for each picture.\n"
                + "--timeout is for the first picture, the answer of the person included.",
            parameters: [CaptureParameters.camera, Self.size, Self.rate, Self.frames, Self.output]
                + CommonParameters.asking,
            examples: [
                ("preview --frames 100 > film.mjpeg", "a hundred pictures, one after the other"),
                ("preview --size 320x240 --rate 2 --output /run/shm/door.jpg", "one file, always the newest picture"),
                ("preview --frames 10 --output frame%02d.jpg", "ten files"),
            ]
        )
    }

    func interruption(_ arguments: Arguments) -> InterruptionRule { .isHandled }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let asJSON = arguments[CommonParameters.json]
        let path = arguments[Self.output]
        let box = arguments[Self.size]
        let rate = arguments[Self.rate]
        let limit = arguments[Self.frames]
        guard path != nil || asJSON || !context.terminal.isInteractive else {
            throw ErrorReply.usage("Where to?", "pictures are not printed here", "say where with --output FILE")
        }
        // Without a place and with JSON the lines are what is wanted.
        let target = try (path ?? (asJSON ? nil : "-")).map { path throws(ErrorReply) in
            try OutputTarget(path, arguments, context.terminal)
        }
        let place = try target.map { target throws(ErrorReply) in try PreviewOutput(target) }
        let request = PreviewCamera(
            camera: try await CaptureParameters.chosen(arguments, cluster, .image),
            width: box?.width,
            height: box?.height,
            framesPerSecond: rate
        )
        let tally = PreviewTally()
        let terminal = context.terminal
        do {
            let status = try await watch(arguments, context, cluster, request, tally) { item, jpeg in
                try await place?.write(jpeg)
                let count = tally.add(item, bytes: jpeg.count)
                if count == 1, !asJSON, let box, item.width > box.width || item.height > box.height {
                    terminal.writeError(
                        "The pictures are \(item.width)x\(item.height): none is smaller, and --size is \(box.width)x\(box.height)."
                    )
                }
                if asJSON { terminal.writeJSON(StreamLine(.item, PreviewLine(item, bytes: jpeg.count))) }
                terminal.showProgress(
                    "\(item.width)x\(item.height), \(CountText.of(count, "picture")), \(CountText.of(item.dropped, "frame")) missed  (Ctrl-C ends it)"
                )
                // A reader that has gone wants no more.
                if count == limit || terminal.failure != 0 { throw Enough() }
            }
            terminal.clearProgress()
            try await place?.finish()
            if asJSON {
                terminal.writeJSON(StreamLine(.result, tally.total(request.camera)))
            } else if let target, !target.isStandardOutput {
                terminal.writeLine("\(CountText.of(tally.frames, "picture")) to \(target.path)")
            }
            return status
        } catch {
            await place?.abandon()
            throw error
        }
    }

    private func watch(
        _ arguments: Arguments,
        _ context: CommandContext,
        _ cluster: any Cluster,
        _ request: PreviewCamera,
        _ tally: PreviewTally,
        _ each: @escaping @Sendable (PreviewItem, [UInt8]) async throws -> Void
    ) async throws -> ProgramStatus {
        let patience = arguments[CommonParameters.timeout]
        return try await withThrowingTaskGroup(of: ProgramStatus?.self) { group in
            group.addTask {
                do {
                    let needs = [Need(.camera(request.camera))]
                    _ = try await context.asking(arguments, cluster, about: needs) { rules, hasBegun in
                        try await cluster.stream(request, rules.endless) { item, jpeg in
                            hasBegun()
                            try await each(item, jpeg)
                        }
                    }
                } catch is Enough {}
                return .success
            }
            group.addTask {
                await context.interruption.wait()
                return Task.isCancelled ? nil : .interrupted
            }
            if let patience {
                group.addTask {
                    try await Task.sleep(for: patience)
                    guard tally.frames == 0 else { return nil }
                    throw ErrorReply(
                        .deadlineExceeded,
                        "The preview did not begin in time",
                        reason: "No picture came within \(patience).",
                        recoverySuggestion: "Try again with a longer --timeout"
                    )
                }
            }
            defer { group.cancelAll() }
            while let status = try await group.next() {
                if let status { return status }
            }
            throw CancellationError()
        }
    }

    /// There were as many pictures as were wanted.
    private struct Enough: Error {}
}

/// What was shown so far.
private final class PreviewTally: Sendable {
    /// All of it, as the last line says.
    struct Total: Encodable {
        var camera = ""
        var frames = 0
        var droppedFrames: Int64 = 0
        var bytes = 0
        var width = 0
        var height = 0
    }

    private let state = Mutex(Total())

    var frames: Int { state.withLock { $0.frames } }

    /// - Returns: How many pictures there were.
    func add(_ item: PreviewItem, bytes: Int) -> Int {
        state.withLock { total in
            total.frames += 1
            total.bytes += bytes
            total.droppedFrames = item.dropped
            total.width = item.width
            total.height = item.height
            return total.frames
        }
    }

    func total(_ camera: String) -> Total {
        var total = state.withLock { $0 }
        total.camera = camera
        return total
    }
}

/// A picture's facts and its size in bytes.
private struct PreviewLine: Encodable {
    private let item: PreviewItem
    private let bytes: Int

    init(_ item: PreviewItem, bytes: Int) {
        self.item = item
        self.bytes = bytes
    }

    private enum Key: String, CodingKey { case bytes }

    func encode(to encoder: any Encoder) throws {
        try item.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(bytes, forKey: .bytes)
    }
}
