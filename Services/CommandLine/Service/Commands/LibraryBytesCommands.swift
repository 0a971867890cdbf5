private import Consent
private import Media
private import MessageSchema

/// `obscura library read`.
struct ReadAssetCommand: Command {
    private static let url = Positional("URL", "The asset", as: ValueReader<AssetURL>.assetURL)
    private static let offset = Option("offset", "N", "Skip so many bytes", as: ValueReader<Int64>.byteCount)
    private static let length = Option("length", "N", "At most so many bytes", as: ValueReader<Int64>.byteCount)
    private static let privacy = Option<PrivacyProfile>(
        "privacy",
        "none|location|all",
        "What is taken out (default: nothing; without location read, the place)",
        as: .word
    )
    private static let output = Option("output", "FILE", "Write there; - is standard output, as without it", as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "library read",
            "Gives the bytes of an asset's original",
            discussion: """
                At or past the end nothing comes, and that is no error. Without location read, what may say where it was \
                made comes without the place, as a file of its own.
                """,
            parameters: [Self.url, Self.offset, Self.length, Self.privacy, Self.output] + CommonParameters.asking,
            examples: [
                ("library read URL > photo.jpg", "all of it"),
                ("library read URL --offset 1024 --length 1024 --output part", "the second kibibyte"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let asJSON = arguments[CommonParameters.json]
        let terminal = context.terminal
        guard arguments[Self.output] != nil || !(asJSON || terminal.isInteractive) else {
            throw ErrorReply.usage("Where to?", "bytes are not printed here", "say where with --output FILE")
        }
        let target = try arguments[Self.output].map { path throws(ErrorReply) in
            try OutputTarget(path, arguments, terminal)
        }
        let cluster = try context.cluster(arguments)
        let url = arguments.one(Self.url)
        let request = ReadAsset(
            url: url,
            offset: arguments[Self.offset],
            length: arguments[Self.length],
            privacy: arguments[Self.privacy]
        )
        let isWhole = request.privacy ?? PrivacyProfile.none == .none
        let needs = [Need(.library, .read)] + (isWhole ? [Need(.location)] : [])
        let summary = try await context.asking(arguments, cluster, about: needs) { rules, hasBegun in
            let reader = AssetReader(cluster, rules.unhurried(unless: arguments))
            guard let target else {
                return try await reader.read(request) { bytes in
                    hasBegun()
                    terminal.write(bytes)
                }
            }
            return try await target.write { file in
                try await reader.read(request) { bytes in
                    hasBegun()
                    try await file.write(bytes)
                }
            }
        }
        if asJSON {
            terminal.writeJSON(summary)
        } else if let target, !target.isStandardOutput {
            let taken = summary.privacy.map { $0 == .all ? ", without metadata" : ", without the place" } ?? ""
            terminal.writeLine(
                "\(ByteText.of(summary.bytes)) of \(ByteText.of(summary.size)) to \(target.path)\(taken)"
            )
        }
        return .success
    }
}

/// `obscura library thumbnail`.
struct ThumbnailCommand: Command {
    /// A box of pixels.
    struct Box: Sendable {
        let width: Int
        let height: Int
    }

    private static let url = Positional("URL", "The asset", as: ValueReader<AssetURL>.assetURL)
    private static let fit = Option(
        "fit",
        "WxH",
        "The box it fits into, up to 4096x4096 (default: 256x256)",
        as: ValueReader<Box>.box
    )
    private static let fill = Flag("fill", "Fill the box, and cut off what stands out")
    private static let output = Option("output", "FILE", "Write there; - is standard output, as without it", as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "library thumbnail",
            "Gives a small JPEG of an asset, upright and without metadata",
            parameters: [Self.url, Self.fit, Self.fill, Self.output] + CommonParameters.asking,
            examples: [("library thumbnail URL --fit 320x240 --output small.jpg", "at most 320 by 240 pixels")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let asJSON = arguments[CommonParameters.json]
        let terminal = context.terminal
        guard arguments[Self.output] != nil || !(asJSON || terminal.isInteractive) else {
            throw ErrorReply.usage("Where to?", "a picture is not printed here", "say where with --output FILE")
        }
        let target = try arguments[Self.output].map { path throws(ErrorReply) in
            try OutputTarget(path, arguments, terminal)
        }
        let cluster = try context.cluster(arguments)
        let box = arguments[Self.fit] ?? Box(width: 256, height: 256)
        let request = ThumbnailAsset(
            url: arguments.one(Self.url),
            width: box.width,
            height: box.height,
            fill: arguments[Self.fill] ? true : nil
        )
        let thumbnail = Thumbnail()
        _ = try await context.asking(arguments, cluster, about: [Need(.library, .read)]) { rules in
            try await cluster.stream(request, rules) { size, bytes in await thumbnail.set(size, bytes) }
        }
        guard let (size, bytes) = await thumbnail.content else {
            throw ErrorReply(.imageUnavailable, "No thumbnail", reason: "The asset has no picture that can be shown.")
        }
        if let target, !target.isStandardOutput {
            try await target.write { try await $0.write(bytes) }
            if asJSON {
                terminal.writeJSON(size)
            } else {
                let words = "\(size.width)x\(size.height), \(ByteText.of(Int64(bytes.count)))"
                terminal.writeLine("\(words) to \(target.path)")
            }
        } else {
            terminal.write(bytes)
        }
        return .success
    }
}

private actor Thumbnail {
    var content: (ThumbnailAsset.Item, [UInt8])?

    func set(_ size: ThumbnailAsset.Item, _ bytes: [UInt8]) { content = (size, bytes) }
}

extension ValueReader<ThumbnailCommand.Box> {
    /// Width and height in pixels, from 1 to 8,192 each.
    static var box: ValueReader<ThumbnailCommand.Box> {
        ValueReader(expecting: "a size such as 320x240") { text in
            let parts = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
            guard parts.count == 2, parts.allSatisfy({ (1...8_192).contains($0) }) else { return nil }
            return ThumbnailCommand.Box(width: parts[0], height: parts[1])
        }
    }
}
