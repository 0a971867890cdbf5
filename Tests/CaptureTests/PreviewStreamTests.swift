import Cameras
import Consent
import Dispatch
import EventLoop
import Files
import Glibc
import Logging
import MessageSchema
import Messaging
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Timekeeping
import Video4Linux

@testable import CaptureService

/// A person whose decisions reach the gate at once.
private final class Person: Sendable {
    static let clock = ClockPair(wall: Moment(milliseconds: 1_796_000_000_000), uptime: .zero)
    static let program = Principal.user(geteuid())

    let gate = SharedGate(wallClock: { clock.wall }, bootClock: { BootInstant(nanoseconds: 0) })
    private let machine = Mutex(PermissionMachine())

    init() {
        gate.renewLease(until: BootInstant(nanoseconds: 1_000))
        gate.apply(machine.withLock { $0.snapshot(epoch: "e") })
    }

    func allow() throws {
        try take { machine in
            let selector = DecisionSelector(principal: Self.program, resource: .camera("scripted"), access: .use)
            return try machine.decide(selector, .allowed, .forever, by: .user(0), at: Self.clock)
        }
    }

    /// Returns when the gate has applied it.
    func revoke() throws {
        try take { machine in
            let selector = DecisionSelector(principal: Self.program, resource: .camera("scripted"))
            return try machine.revoke(selector, by: .user(7), at: Self.clock)
        }
    }

    private func take(_ body: (inout PermissionMachine) throws -> [PermissionAction]) throws {
        let actions = try machine.withLock { try body(&$0) }
        for case .record(let change) in actions { try gate.apply(change) }
    }
}

/// The preview of one camera on real sockets.
private final class Stage: Sendable {
    let person = Person()
    let preview: Preview
    let server: MessageServer
    private let endpoint: ServiceEndpoint
    private let folder: TemporaryFolder

    init(_ camera: any CameraDevice, silence: Duration = .seconds(3)) async throws {
        folder = try TemporaryFolder()
        endpoint = ServiceEndpoint(service: ServiceName.capture.rawValue, runtimeDirectory: folder.path)
        var configuration = ServerConfiguration(
            endpoint: endpoint,
            identity: IdentityRules(deployment: .personal, roleVerifiers: [:], serviceUser: 0)
        )
        configuration.liveness = Liveness.Intervals(heartbeat: .milliseconds(100), silence: silence)
        server = MessageServer(
            configuration,
            context: try MessagingContext(),
            loop: EventLoop(name: "capture"),
            log: Logger(service: "capture", sink: .discard)
        )
        preview = Preview(session: CameraSession(device: camera))
        let gate = ConsentGate(
            decisions: person.gate,
            coordinator: ConsentGate.Coordinator(
                request: { _, _ in throw ErrorReply(.dismissed, "Nobody is asked") },
                redeem: { _, _ in false },
                release: { _, _ in },
                forgo: { _, _ in }
            )
        )
        await server.registerStream(PreviewCamera.self) { [preview] request, call, sink in
            let authorization = try await gate.authorize([Need(.camera(request.camera), .use)], for: call)
            defer { authorization.end() }
            let stream = PreviewStream(
                preview: preview,
                owner: call.principal,
                check: { try authorization.check() },
                revoked: { await authorization.revoked() }
            )
            return try await stream.run(request, to: sink)
        }
        try await server.start()
    }

    /// A client as in another process, and the loop that its sockets are on.
    func client() throws -> (client: MessageClient, loop: EventLoop) {
        let loop = EventLoop(name: "program")
        var configuration = ClientConfiguration()
        configuration.liveness = Liveness.Intervals(heartbeat: .milliseconds(100), silence: .seconds(30))
        let client = try MessageClient(
            endpoint,
            context: try MessagingContext(),
            loop: loop,
            configuration: configuration
        )
        return (client, loop)
    }

    /// Pictures handed to sockets so far.
    var handed: Int {
        get async { Int(await server.statistics().items) }
    }

    func waitUntilIdle() async throws {
        while await server.statistics().exchanges > 0 { try await turn() }
    }
}

private final class TemporaryFolder: Sendable {
    private let directory: TemporaryDirectory

    var path: String { directory.path }

    init() throws(FilesError) { directory = try TemporaryDirectory() }
}

/// Keeps a loop busy until it is told otherwise, as a program does that hangs.
private actor Hang {
    private let loop: EventLoop
    private let end = DispatchSemaphore(value: 0)

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(_ loop: EventLoop) { self.loop = loop }

    func begin() { end.wait() }

    nonisolated func finish() { end.signal() }
}

@Suite(.timeLimit(.minutes(1)))
struct `A preview's stream` {
    private static let request = PreviewCamera(camera: "scripted")

    @Test func `sends pictures with their facts, one for each credit, to who may see them`() async throws {
        let camera = ScriptedCamera()
        let stage = try await Stage(camera)
        let (client, _) = try stage.client()
        await #expect(throws: ErrorReply.self) { _ = try await client.stream(Self.request).next() }
        try stage.person.allow()
        let stream = try await client.stream(Self.request)
        await camera.changed(1)
        let before = BootInstant.now().nanoseconds / 1_000_000
        for index in 0..<5 {
            await camera.send(Frames.raw(index, at: MonotonicTime.now()))
            let item = try #require(try await stream.next())
            #expect(item.value.number == Int64(index))
            #expect(item.value.width == 128 && item.value.height == 96)
            #expect((before - 1...before + 10_000).contains(item.value.captured))
            #expect(try Frames.index(in: try #require(item.attachments.first).bytes) == index)
        }
        await stream.cancel()
        await camera.changed(2)
        #expect(await !camera.isOpen)
    }

    @Test func `hands nothing more to the socket once a revocation is applied, and says so last`() async throws {
        let camera = ScriptedCamera()
        let stage = try await Stage(camera)
        try stage.person.allow()
        let (client, _) = try stage.client()
        let stream = try await client.stream(Self.request)
        await camera.changed(1)
        for index in 0..<3 {
            await camera.send(Frames.raw(index, at: MonotonicTime.now()))
            _ = try await stream.next()
        }
        try stage.person.revoke()
        let handed = await stage.handed
        #expect(handed == 3)
        for index in 3..<20 { await camera.send(Frames.raw(index, at: MonotonicTime.now())) }
        let error = await #expect(throws: ErrorReply.self) { _ = try await stream.next() }
        #expect(error?.code == .revoked)
        #expect(error?.parameters?["by"] == "uid:7")
        try await stage.waitUntilIdle()
        #expect(await stage.handed == handed)
        await camera.changed(2)
        #expect(await !camera.isOpen)
    }

    @Test func `a camera that is silent does not delay a revocation`() async throws {
        let camera = ScriptedCamera()
        let stage = try await Stage(camera)
        try stage.person.allow()
        let (client, _) = try stage.client()
        let stream = try await client.stream(Self.request)
        await camera.changed(1)
        try stage.person.revoke()
        let error = await #expect(throws: ErrorReply.self) { _ = try await stream.next() }
        #expect(error?.code == .revoked)
        await camera.changed(2)
    }

    @Test(arguments: 0..<28)
    func `at whatever moment it is revoked, every picture that was handed over came before it`(round: Int) async throws
    {
        let camera = PatternCamera(BuiltInCameras.front, clock: ContinuousClock(), rate: 500)
        let stage = try await Stage(camera)
        try stage.person.allow()
        let (client, _) = try stage.client()
        let stream = try await client.stream(PreviewCamera(camera: "scripted", width: 128, height: 96))
        let received = Mutex(0)
        async let end = { () async -> ErrorReply? in
            do {
                while try await stream.next() != nil { received.withLock { $0 += 1 } }
                return nil
            } catch {
                return error as? ErrorReply
            }
        }()
        while await stage.preview.viewerCount == 0 { try await turn() }
        while received.withLock({ $0 }) < round % 7 { try await turn() }
        try stage.person.revoke()
        // Asked on the socket loop after the revocation is in force: whatever was admitted before it is counted.
        let handed = await stage.handed
        #expect(await end?.code == .revoked)
        try await stage.waitUntilIdle()
        #expect(await stage.handed == handed)
        #expect(received.withLock { $0 } == handed)
    }

    @Test func `a viewer that hangs is let go of, and the camera with it`() async throws {
        let camera = ScriptedCamera()
        let stage = try await Stage(camera, silence: .milliseconds(600))
        try stage.person.allow()
        let (client, loop) = try stage.client()
        let stream = try await client.stream(Self.request)
        await camera.changed(1)
        await camera.send(Frames.raw(0, at: MonotonicTime.now()))
        _ = try await stream.next()
        let hang = Hang(loop)
        let hanging = Task { await hang.begin() }
        await camera.changed(2)
        #expect(await !camera.isOpen)
        #expect(await stage.preview.viewerCount == 0)
        hang.finish()
        await hanging.value
    }

    @Test func `many viewers see one camera, and the last to go closes it`() async throws {
        let camera = ScriptedCamera()
        let stage = try await Stage(camera)
        try stage.person.allow()
        let (client, _) = try stage.client()
        var streams: [ItemStream<PreviewCamera>] = []
        for _ in 0..<8 { streams.append(try await client.stream(Self.request)) }
        while await stage.preview.viewerCount < 8 { try await turn() }
        await camera.send(Frames.raw(1, at: MonotonicTime.now()))
        for stream in streams { #expect(try await stream.next()?.value.number == 0) }
        #expect(await stage.preview.counts.encoded == 1)
        #expect(await camera.openings == 1)
        for stream in streams { await stream.cancel() }
        await camera.changed(2)
        #expect(await camera.closings == 1)
    }
}
