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
    static let output = Option("output", "FILE", "Write a copy there, besides the library", as: .text)

    /// The camera that was named, else the best one that is there.
    static func chosen(_ arguments: Arguments, _ cluster: any Cluster, _ type: MediaType) async throws -> String {
        if let named = arguments[camera] { return named }
        let cameras = try await cluster.call(ListCameras()).cameras.filter { $0.mediaTypes.contains(type) }
        let best = cameras.sorted { $0.id < $1.id }.min { rank($0) < rank($1) }
        guard let best else {
            throw ErrorReply(
                .cameraAbsent,
                "No camera",
                reason: "There is no camera for \(type)",
                recoverySuggestion: "see 'obscura sources'"
            )
        }
        return best.id
    }

    private static func rank(_ camera: Camera) -> (Int, Int) {
        let order: [CameraPosition] = [.back, .external, .front]
        let place = order.firstIndex(of: camera.position) ?? order.count
        return (camera.availability.state == .available ? 0 : 1, place)
    }

    /// Writes the copy that `--output` asks for, and prints the result.
    static func finish(
        _ result: CaptureResult,
        _ arguments: Arguments,
        _ context: CommandContext,
        _ cluster: any Cluster,
        isStream: Bool = false
    ) async throws {
        if let path = arguments[output] {
            _ = try await AssetReader(cluster).copy(result.asset.url, to: path)
        }
        if arguments[CommonParameters.json] {
            let line = CaptureLine(result)
            if isStream {
                context.terminal.writeJSON(StreamLine(.result, line))
            } else {
                context.terminal.writeJSON(line)
            }
            return
        }
        for line in result.asset.lines { context.terminal.writeLine(line) }
        context.terminal.writeLine("taken by  \(result.camera)")
        if let frames = result.frames {
            context.terminal.writeLine("frames    \(frames), \(result.droppedFrames ?? 0) dropped")
        }
    }
}

/// The asset's fields, flat, and how it was taken.
package struct CaptureLine: Encodable {
    private let result: CaptureResult

    package init(_ result: CaptureResult) { self.result = result }

    private enum Key: String, CodingKey { case camera, asked, granted, frames, droppedFrames }

    package func encode(to encoder: any Encoder) throws {
        try result.asset.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(result.camera, forKey: .camera)
        try container.encode(result.asked, forKey: .asked)
        try container.encode(result.granted, forKey: .granted)
        try container.encodeIfPresent(result.frames, forKey: .frames)
        try container.encodeIfPresent(result.droppedFrames, forKey: .droppedFrames)
    }
}
