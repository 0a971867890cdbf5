import Media
package import MessageSchema

/// What `photo` and `record` share: the camera, the copy, and how the result is printed.
enum CaptureParameters {
    static let camera = Option(
        "camera",
        "ID",
        "An identity, or front, back, external (default: the back one, else any that can be used)",
        as: .text
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

    private static func rank(_ camera: Camera) -> (Int, Int) {
        let order: [CameraPosition] = [.back, .external, .front]
        let place = order.firstIndex(of: camera.position) ?? order.count
        return (camera.availability.state == .available ? 0 : 1, place)
    }

    /// Takes something, prints it, and writes the copy that `--output` asks for.
    ///
    /// The copy's file is opened first, so that nothing is taken that has no place to go; whatever becomes of the copy, what
    /// was taken is in the library and is printed.
    static func deliver(
        _ arguments: Arguments,
        _ context: CommandContext,
        _ cluster: any Cluster,
        isStream: Bool = false,
        _ take: () async throws -> CaptureResult
    ) async throws {
        let target = try arguments[output].map { path throws(ErrorReply) in
            try OutputTarget(path, arguments, context.terminal)
        }
        let copy = try target?.open()
        do {
            let result = try await take()
            show(result, arguments, context, isStream: isStream) { line in
                if let target { target.tell(line) } else { context.terminal.writeLine(line) }
            }
            guard let copy else { return }
            _ = try await AssetReader(cluster).read(ReadAsset(url: result.asset.url)) { try await copy.write($0) }
            try await copy.commit()
        } catch {
            await copy?.discard()
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

    private static func show(
        _ result: CaptureResult,
        _ arguments: Arguments,
        _ context: CommandContext,
        isStream: Bool,
        _ tell: (String) -> Void
    ) {
        if arguments[CommonParameters.json] {
            let line = CaptureLine(result)
            if isStream {
                context.terminal.writeJSON(StreamLine(.result, line))
            } else {
                context.terminal.writeJSON(line)
            }
            return
        }
        for line in result.asset.lines { tell(line) }
        tell("taken by  \(result.camera)")
        if let frames = result.frames {
            tell("frames    \(frames), \(result.droppedFrames ?? 0) dropped")
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

/// The asset's fields, flat, and how it was taken.
package struct CaptureLine: Encodable {
    private let result: CaptureResult

    package init(_ result: CaptureResult) { self.result = result }

    private enum Key: String, CodingKey { case camera, asked, granted, frames, droppedFrames, cuts }

    package func encode(to encoder: any Encoder) throws {
        try result.asset.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(result.camera, forKey: .camera)
        try container.encode(result.asked, forKey: .asked)
        try container.encode(result.granted, forKey: .granted)
        try container.encodeIfPresent(result.frames, forKey: .frames)
        try container.encodeIfPresent(result.droppedFrames, forKey: .droppedFrames)
        try container.encodeIfPresent(result.cuts, forKey: .cuts)
    }
}
