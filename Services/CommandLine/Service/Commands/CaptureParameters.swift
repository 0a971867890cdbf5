import Consent
import Media
package import MessageSchema

/// What `photo` and `record` share: the camera, the copy, and how the result is printed.
enum CaptureParameters {
    static let camera = Option(
        "camera",
        "ID",
        "An identity, or front, back, external (default: the back one, else any that can be used)",
        as: .device
    )
    static let output = Option(
        "output",
        "FILE",
        "Write a copy there, besides the library; - is standard output, and what is told goes to standard error",
        as: .text
    )

    /// The camera that was named, else the best one that is there.
    static func chosen(_ arguments: Arguments, _ cluster: any Cluster, _ type: MediaType) async throws -> String {
        if let named = arguments[camera] { return named }
        let all = try await cluster.call(ListCameras()).cameras
        let cameras = all.filter { $0.mediaTypes.contains(type) }
        let best = cameras.sorted { $0.id < $1.id }.min { rank($0) < rank($1) }
        guard let best else { throw ErrorReply.noCamera(for: type, among: all) }
        return best.id
    }

    /// What the person may be asked about a photo or a film.
    ///
    /// Where the usual microphone is meant it is the one that capture takes; one that is not known within a second is left out.
    static func needs(of settings: CaptureSettings, _ cluster: any Cluster) async -> [Need] {
        var microphone = settings.microphone
        if microphone == "" {
            // Whatever is wrong with the cluster, the work itself will say it.
            let all = try? await cluster.call(ListMicrophones(), CallRules(timeout: .seconds(1))).microphones
            microphone = (all?.first { $0.availability.state == .available } ?? all?.first)?.id
        }
        return [Need(.camera(settings.camera)), Need(.library, .addOnly)]
            + (microphone.map { [Need(.microphone($0))] } ?? [])
    }

    private static func rank(_ camera: Camera) -> (Int, Int) {
        let order: [CameraPosition] = [.back, .external, .front]
        let place = order.firstIndex(of: camera.position) ?? order.count
        return (camera.availability.state == .available ? 0 : 1, place)
    }

    /// Takes something, prints it, and writes the copy that `--output` asks for; `me-1.jpg`, `me-2.jpg` … of several.
    ///
    /// The copies' files are opened first, so that nothing is taken that has no place to go; whatever becomes of a copy, what
    /// was taken is in the library and is printed.
    static func deliver(
        _ arguments: Arguments,
        _ context: CommandContext,
        _ cluster: any Cluster,
        count: Int = 1,
        isStream: Bool = false,
        _ take: () async throws -> CaptureResult
    ) async throws {
        let target = try arguments[output].map { path throws(ErrorReply) in
            try OutputTarget(path, arguments, context.terminal)
        }
        var copies: [any Output] = []
        do {
            if let target {
                for number in 1...count { copies.append(try copy(number, of: count, target).open()) }
            }
            let result = try await take()
            show(result, arguments, context, isStream: isStream) { line in
                if let target { target.tell(line) } else { context.terminal.writeLine(line) }
            }
            for (copy, asset) in zip(copies, result.assets ?? [result.asset]) {
                _ = try await AssetReader(cluster).read(ReadAsset(url: asset.url)) { try await copy.write($0) }
                try await copy.commit()
            }
        } catch {
            for copy in copies { await copy.discard() }
            throw await explained(error, arguments, cluster)
        }
    }

    /// A camera that was named and that nobody knows is no camera that is away.
    private static func explained(
        _ error: any Error,
        _ arguments: Arguments,
        _ cluster: any Cluster
    ) async -> any Error {
        guard (error as? ErrorReply)?.code == .cameraAbsent, let named = arguments[camera],
            // Without an answer the error stays as it is.
            let answer = try? await cluster.call(ShowCamera(camera: named)), answer.camera == nil
        else { return error }
        return ErrorReply.noCamera(named)
    }

    /// Where a copy goes: `me-2.jpg` for the second of several `me.jpg`; on standard output one follows the other.
    private static func copy(_ number: Int, of count: Int, _ target: OutputTarget) -> OutputTarget {
        guard count > 1, !target.isStandardOutput else { return target }
        let path = target.path
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path.lastIndex(of: "."), dot > name else { return target.renamed("\(path)-\(number)") }
        return target.renamed("\(path[..<dot])-\(number)\(path[dot...])")
    }

    private static func show(
        _ result: CaptureResult,
        _ arguments: Arguments,
        _ context: CommandContext,
        isStream: Bool,
        _ tell: (String) -> Void
    ) {
        for (index, asset) in (result.assets ?? [result.asset]).enumerated() {
            if arguments[CommonParameters.json] {
                let line = CaptureLine(result, picture: index)
                if isStream {
                    context.terminal.writeJSON(StreamLine(.result, line))
                } else {
                    context.terminal.writeJSON(line)
                }
            } else {
                for line in asset.lines { tell(line) }
            }
        }
        guard !arguments[CommonParameters.json] else { return }
        tell("taken by  \(result.camera)")
        if result.frames == nil, let width = result.granted.width, let height = result.granted.height {
            let asked = (width: result.asked.width ?? width, height: result.asked.height ?? height)
            if asked != (width, height) {
                tell("granted   \(width)×\(height) of the \(asked.width)×\(asked.height) that were asked for")
            }
        }
        if let frames = result.frames {
            tell("frames    \(frames), \(result.droppedFrames ?? 0) dropped")
        }
        if let missed = result.missedPictures, missed > 0 {
            tell("missed    \(CountText.of(missed, "picture"))")
        }
        if result.asked.flash == .on, result.granted.flash == .off {
            tell("flash     off: the camera has none, or it could not be lit")
        }
        if let sound = result.sound {
            let end = sound.ended.map { ", \($0.reason.rawValue) after \($0.at.text) s: silent since" } ?? ""
            tell("sound     \(sound.microphone)\(end)")
        }
    }
}

extension ErrorReply {
    /// No camera gives what is wanted; those that are there and can not be used say why.
    fileprivate static func noCamera(for type: MediaType, among cameras: [Camera]) -> ErrorReply {
        let closed =
            cameras.first { $0.availability.state == .denied } ?? cameras.first { $0.availability.reason != nil }
        guard let closed, let reason = closed.availability.reason else {
            return ErrorReply(
                .cameraAbsent,
                "No camera",
                reason: "There is no camera for \(type)",
                recoverySuggestion: "see 'obscura sources'"
            )
        }
        let isDenied = closed.availability.state == .denied
        return ErrorReply(
            isDenied ? .cameraDenied : .cameraAbsent,
            "No camera can be used",
            reason: "\(closed.id): \(reason)",
            recoverySuggestion: isDenied
                ? "let the user of the services into that group, and start the cluster again; see 'obscura doctor'"
                : "see 'obscura cameras list'",
            parameters: ["camera": closed.id]
        )
    }
}

/// The fields of an asset, flat, and how it was taken.
package struct CaptureLine: Encodable {
    private let result: CaptureResult

    /// The line of a film or a photo; of one of several photos, counted from 0.
    package init(_ result: CaptureResult, picture index: Int = 0) {
        var own = result
        if let assets = result.assets, assets.indices.contains(index) { own.asset = assets[index] }
        if let pictures = result.pictures, pictures.indices.contains(index) {
            own.granted.converged = pictures[index].converged
            if result.granted.flashFired != nil { own.granted.flashFired = pictures[index].flash == .on }
        }
        self.result = own
    }

    private enum Key: String, CodingKey {
        case camera, asked, granted, frames, droppedFrames, cuts, missedPictures, preRoll, sound
    }

    package func encode(to encoder: any Encoder) throws {
        try result.asset.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(result.camera, forKey: .camera)
        try container.encode(result.asked, forKey: .asked)
        try container.encode(result.granted, forKey: .granted)
        try container.encodeIfPresent(result.frames, forKey: .frames)
        try container.encodeIfPresent(result.droppedFrames, forKey: .droppedFrames)
        try container.encodeIfPresent(result.cuts, forKey: .cuts)
        try container.encodeIfPresent(result.missedPictures, forKey: .missedPictures)
        try container.encodeIfPresent(result.preRoll, forKey: .preRoll)
        try container.encodeIfPresent(result.sound, forKey: .sound)
    }
}
