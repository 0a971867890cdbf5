private import Consent
private import Media
import MessageSchema

/// `obscura cameras list`.
struct ListCamerasCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "cameras list",
            "Lists the cameras and whether each can be used now",
            examples: [("cameras list", "a table"), ("cameras list --json", "one object a line, with all formats")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let reply = try await context.cluster(arguments).call(ListCameras())
        let cameras = reply.cameras
        if arguments[CommonParameters.json] {
            for camera in cameras { context.terminal.writeJSON(camera) }
            return .success
        }
        if let problem = reply.problem {
            context.terminal.writeError("note: \(EscapedText.shown(problem, limit: 512))")
        }
        var table = TextTable("camera", "position", "state", "flash", "films", "name")
        for camera in cameras {
            table.add(
                camera.id,
                camera.position.rawValue,
                [camera.availability.state.rawValue, camera.availability.reason].text,
                camera.flash ? "yes" : "no",
                camera.mediaTypes.contains(.movie) ? "yes" : "no",
                camera.name
            )
        }
        context.terminal.write(table, orSay: "no cameras")
        return .success
    }
}

/// `obscura cameras show`.
struct ShowCameraCommand: Command {
    private static let camera = Positional("CAMERA", "An identity, or front, back, external", as: .device)

    var signature: CommandSignature {
        CommandSignature(
            "cameras show",
            "Shows one camera with its formats and its controls",
            parameters: [Self.camera],
            examples: [
                ("cameras show front", "the camera that looks at the person"),
                ("cameras show front --json", "one object with all formats and controls"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let word = arguments.one(Self.camera)
        let reply = try await context.cluster(arguments).call(ShowCamera(camera: word))
        guard let camera = reply.camera else { throw ErrorReply.noCamera(word) }
        let terminal = context.terminal
        if arguments[CommonParameters.json] {
            terminal.writeJSON(ShownCamera(camera: camera, controls: reply.controls))
            return .success
        }
        var table = TextTable("is", "value")
        table.add("camera", camera.id)
        table.add("name", camera.name)
        table.add("position", camera.position.rawValue)
        table.add("driver", camera.driver + (camera.builtIn ? " (built in)" : ""))
        table.add("state", [camera.availability.state.rawValue, camera.availability.reason].text)
        table.add("media types", camera.mediaTypes.map(\.rawValue).joined(separator: ", "))
        table.add("flash", camera.flash ? "yes" : "no")
        table.add("torch", camera.torch ? "yes" : "no")
        table.add("modes", camera.captureModes.map(\.rawValue).joined(separator: ", "))
        if camera.rotation != 0 { table.add("rotation", "\(camera.rotation)°") }
        if let light = camera.light { table.add("light", light) }
        if let node = camera.node { table.add("node", node) }
        for format in camera.formats {
            for size in format.sizes {
                table.add(
                    "format",
                    "\(format.pixelFormat) \(size.text) (\(format.description)\(format.isConverted == true ? ", converted" : ""))"
                )
            }
        }
        for control in reply.controls ?? [] { table.add("control", control.text) }
        for line in table.lines.dropFirst() { terminal.writeLine(line) }
        return .success
    }
}

/// `obscura cameras watch`.
struct WatchCamerasCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "cameras watch",
            "Follows cameras as they come, go and change, until you interrupt",
            examples: [("cameras watch --json", "one object for each event")]
        )
    }

    func interruption(_ arguments: Arguments) -> InterruptionRule { .ends }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let asJSON = arguments[CommonParameters.json]
        let terminal = context.terminal
        _ = try await context.cluster(arguments).stream(WatchCameras(), CallRules(timeout: nil)) { event, _ in
            if asJSON {
                terminal.writeJSON(StreamLine(.item, event))
            } else {
                let camera = event.camera
                let line = TextRow.line(
                    (event.kind.rawValue, 8),
                    (camera.position.rawValue, 8),
                    (camera.availability.state.rawValue, 11),
                    (camera.id, 24),
                    last: camera.name
                )
                terminal.writeLine(line)
            }
        }
        return .success
    }
}

/// `obscura cameras report`.
struct ReportCamerasCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "cameras report",
            "Reports what the machine's cameras can do, in sentences",
            examples: [("cameras report", "availability, flash, photos and films, line by line")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let report = try await context.cluster(arguments).call(ReportCameras())
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(report)
        } else {
            for line in report.lines { context.terminal.writeLine(line) }
        }
        return .success
    }
}

extension ErrorReply {
    /// No camera is called that.
    static func noCamera(_ word: String) -> ErrorReply {
        ErrorReply(
            .cameraAbsent,
            "No such camera",
            reason: "No camera has the identity or position '\(word)'",
            recoverySuggestion: "see 'obscura cameras list'",
            parameters: ["camera": word]
        )
    }
}
