package import Cameras
private import Logging
private import MessageSchema
private import Messaging
package import ServiceRuntime
private import Timekeeping

/// The probe's messages: what there is, in answers that need no permission.
package struct CapabilityProbe: Sendable {
    /// How often somebody who watches cameras is told of changes.
    private static let watchInterval = Duration.milliseconds(500)

    private let host: ServiceHost
    private let desk: CameraDesk

    /// Reads the settings; looks at nothing yet.
    ///
    /// - Throws: `ErrorReply` with code `usage`.
    package init(host: ServiceHost, scanner: CameraScanner = CameraScanner()) throws {
        self.host = host
        let configuration = try ProbeConfiguration(host.settings)
        desk = CameraDesk(
            scanner: scanner,
            builtIn: configuration.builtIn,
            positions: configuration.positions,
            library: { await Self.contents(host) }
        )
    }

    /// Registers the messages on the host's server.
    package func register() async {
        let server = host.server
        await server.register(ListSources.self) { [desk] _, _ in
            ListSources.Reply(sources: await desk.everything().sources)
        }
        await server.register(ListCameras.self) { [desk] _, _ in
            ListCameras.Reply(cameras: await desk.cameras().cameras)
        }
        await server.register(ShowCamera.self) { [desk] request, _ in
            ShowCamera.Reply(camera: await desk.cameras().catalogue.camera(request.camera))
        }
        await server.register(ReportCameras.self) { [desk] _, _ in
            ReportCameras.Reply(lines: MachineReport.lines(for: await desk.cameras()))
        }
        await server.register(AskCameras.self) { [desk, log = host.log] request, _ in
            let reply =
                await Self.needsLibrary(request) ? desk.everything().answer(request) : desk.cameras().answer(request)
            if reply.reason == "mediaTypeEmpty" { log.info("Media type is empty.") }
            return reply
        }
        await server.registerStream(WatchCameras.self) { [desk] _, _, sink in
            try await Self.watch(desk, sink)
        }
    }

    /// Puts the report of the machine into the log.
    package func logReport() async {
        if let problem = await desk.problem() { host.log.warning("no V4L2", ["reason": .string(problem)]) }
        for line in MachineReport.lines(for: await desk.cameras()) {
            host.log.info("report", ["line": .string(line)])
        }
    }

    private static func needsLibrary(_ request: AskCameras) -> Bool {
        request.source == .photoLibrary || request.source == .savedPhotosAlbum
    }

    private static func watch(_ desk: CameraDesk, _ sink: ItemSink<CameraEvent>) async throws -> Empty {
        var known: [String: Camera] = [:]
        for camera in await desk.cameras().cameras {
            known[camera.id] = camera
            try await sink.send(CameraEvent(kind: .present, camera: camera))
        }
        while true {
            try await Task.sleep(for: watchInterval, clock: BootClock())
            for event in await desk.cameras().events(since: known) {
                known[event.camera.id] = event.kind == .removed ? nil : event.camera
                try await sink.send(event)
            }
        }
    }

    /// What the library has; one that does not answer within a second is unavailable.
    private static func contents(_ host: ServiceHost) async -> ProbeMachine.Library {
        do {
            let client = try host.client(of: .library)
            let reply = try await client.call(LibraryContents(), CallOptions(timeout: .seconds(1)))
            return .contents(all: reply.all, saved: reply.saved)
        } catch {
            return .unavailable
        }
    }
}
