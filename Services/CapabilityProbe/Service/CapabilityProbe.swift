private import CameraSettings
package import Cameras
private import Consent
private import HotPlug
private import Logging
private import MessageSchema
private import Messaging
package import ServiceRuntime
private import Timekeeping

/// The probe's messages: what there is, in answers that need no permission.
package struct CapabilityProbe: Sendable {
    /// What the probe can be told beside what every service can.
    package static let settings = CameraConfiguration.settings

    private let host: ServiceHost
    private let desk: CameraDesk
    private let monitor: PlugMonitor?
    private let microphones: MicrophoneDesk
    private let unheard: [String]
    private let unusableFiles: [String]

    /// Reads the settings and begins to hear of devices; looks at nothing yet.
    ///
    /// - Throws: `ErrorReply` with code `usage`.
    package init(host: ServiceHost, scanner: CameraScanner = CameraScanner()) throws {
        self.host = host
        (monitor, unheard) = PlugMonitor.machine()
        let configuration = try CameraConfiguration(host.settings)
        unusableFiles = configuration.unusableFiles
        let desk = CameraDesk(
            scanner: scanner,
            builtIn: configuration.builtIn,
            positions: configuration.positions,
            files: configuration.files,
            whyForbidden: { host.whyForbidden(.camera($0)) },
            health: { await Self.troubles(host) },
            looked: { [log = host.log] look in
                log.debug(
                    "looked at the cameras",
                    [
                        "milliseconds": .double(look.duration / .milliseconds(1)),
                        "since_event": look.sinceEvent.map { .double($0 / .milliseconds(1)) } ?? .string(""),
                        "news": .boolean(look.hasNews),
                    ]
                )
            },
            library: { await Self.contents(host) }
        )
        self.desk = desk
        microphones = MicrophoneDesk(
            builtIn: configuration.builtIn,
            whyForbidden: { host.whyForbidden(.microphone($0)) },
            hasBuiltInCamera: { await desk.cameras().catalogue.showsBuiltIn }
        )
    }

    /// Registers the messages on the host's server.
    package func register() async {
        let server = host.server
        await server.register(ListSources.self) { [desk] _, _ in
            ListSources.Reply(sources: await desk.everything().sources)
        }
        await server.register(ListCameras.self) { [desk] _, _ in
            let catalogue = await desk.cameras().catalogue
            return ListCameras.Reply(cameras: catalogue.cameras, problem: catalogue.problem)
        }
        await server.register(ShowCamera.self) { [desk] request, _ in
            guard let camera = await desk.cameras().catalogue.camera(request.camera) else {
                return ShowCamera.Reply(camera: nil)
            }
            return ShowCamera.Reply(camera: camera, controls: await desk.controls(of: camera))
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
        await server.register(ListMicrophones.self) { [microphones] _, _ in await microphones.list() }
        await server.registerStream(WatchCameras.self) { [desk] _, _, sink in
            try await Self.watch(desk, sink)
        }
    }

    /// Puts the report of the machine into the log, and what is wrong with file cameras there and into what is told of this
    /// service.
    package func logReport() async {
        for line in unusableFiles { host.log.warning("a file camera", ["reason": .string(line)]) }
        host.report(remark: unusableFiles.isEmpty ? nil : ErrorWords.joined(unusableFiles, by: "; "))
        if let problem = await desk.problem() { host.log.warning("no V4L2", ["reason": .string(problem)]) }
        for line in MachineReport.lines(for: await desk.cameras()) {
            host.log.info("report", ["line": .string(line)])
        }
    }

    private static func needsLibrary(_ request: AskCameras) -> Bool {
        request.source == .photoLibrary || request.source == .savedPhotosAlbum
    }

    /// Follows devices as they come and go, until the task is cancelled; without it there is only the look now and then.
    package func followDevices() async {
        for what in unheard { host.log.warning("events of devices are not heard", ["what": .string(what)]) }
        while let news = try? await monitor?.next() {
            host.log.debug(
                "devices changed",
                [
                    "nodes": .string(news.nodes.sorted().joined(separator: " ")),
                    "incomplete": .boolean(news.isIncomplete),
                ]
            )
            await desk.hear(news)
        }
    }

    /// Looks again whenever what is forbidden to everybody has changed, until the task is cancelled.
    package func followRestrictions() async {
        let decisions = host.gate.decisions
        var known = decisions.restrictions
        while !Task.isCancelled {
            let version = decisions.version
            let now = decisions.restrictions
            if now != known {
                known = now
                await desk.reconsider()
            } else {
                await decisions.change(after: version)
            }
        }
    }

    private static func watch(_ desk: CameraDesk, _ sink: ItemSink<CameraEvent>) async throws -> Empty {
        let first = await desk.startWatching()
        do {
            try await watch(from: first, on: desk.board, sink)
        } catch {
            await desk.stopWatching()
            throw error
        }
    }

    private static func watch(
        from first: Bulletin<CameraCatalogue>.Entry,
        on board: Bulletin<CameraCatalogue>,
        _ sink: ItemSink<CameraEvent>
    ) async throws -> Never {
        var known: [String: Camera] = [:]
        for camera in first.value.cameras {
            known[camera.id] = camera
            try await sink.send(CameraEvent(kind: .present, camera: camera))
        }
        var number = first.number
        while true {
            let entry = try await board.next(after: number)
            number = entry.number
            for event in ProbeMachine(catalogue: entry.value, library: .unavailable).events(since: known) {
                known[event.camera.id] = event.kind == .removed ? nil : event.camera
                try await sink.send(event)
            }
        }
    }

    /// The cameras that capture finds something wrong with; a capture that does not answer in time finds nothing.
    private static func troubles(_ host: ServiceHost) async -> [CameraTrouble] {
        do {
            let client = try host.client(of: .capture)
            return try await client.call(ServiceHealth(), CallOptions(timeout: .milliseconds(500))).cameras ?? []
        } catch {
            return []
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
