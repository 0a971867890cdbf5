import Cameras
import Consent
import FoundationEssentials
import HotPlug
import MessageSchema
import Synchronization
import TestSupport
import Testing
import Timekeeping
import Video4Linux

@testable import CapabilityProbeService

/// A machine in a folder, whose nodes say what a test wants.
private final class Machine: Sendable {
    private struct State {
        var answers: [String: @Sendable (Int) -> Result<NodeFacts.Opened, VideoError>] = [:]
        var asked: [String: Int] = [:]
    }

    let root: String
    private let state = Mutex(State())

    init(_ root: String) throws {
        self.root = root
        try FileManager.default.createDirectory(
            atPath: root + "/sys/class/video4linux",
            withIntermediateDirectories: true
        )
    }

    var scanner: CameraScanner {
        CameraScanner(devices: root + "/dev", sysfs: root + "/sys", procfs: root + "/proc") { [self] path in
            let name = String(path.split(separator: "/").last ?? "")
            let (answer, count) = state.withLock { state in
                state.asked[name, default: 0] += 1
                return (state.answers[name], state.asked[name, default: 0])
            }
            return answer?(count) ?? .failure(VideoError(operation: "open", errorNumber: 2))
        }
    }

    /// How often a node was opened.
    func asked(_ node: String) -> Int { state.withLock { $0.asked[node] ?? 0 } }

    func plug(_ node: String, _ answer: @escaping @Sendable (Int) -> Result<NodeFacts.Opened, VideoError>) throws {
        state.withLock {
            $0.answers[node] = answer
            $0.asked[node] = 0
        }
        try FileManager.default.createDirectory(
            atPath: root + "/sys/class/video4linux/" + node,
            withIntermediateDirectories: true
        )
    }

    /// Says of which device a node is.
    func attach(_ node: String, to device: String) throws {
        let folder = root + "/sys/devices/" + device
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let link = root + "/sys/class/video4linux/\(node)/device"
        try? FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
    }

    func unplug(_ node: String) throws {
        try FileManager.default.removeItem(atPath: root + "/sys/class/video4linux/" + node)
    }

    static func works(inUse: Bool = false, bus: String = "") -> Result<NodeFacts.Opened, VideoError> {
        let sizes = VideoSizes(width: 640, height: 480, intervals: .unknown)
        let format = VideoFormatDescription(
            pixelFormat: .yuyv,
            text: "YUYV 4:2:2",
            isCompressed: false,
            isEmulated: false,
            sizes: [sizes]
        )
        let capabilities = VideoCapabilities(
            driver: "test",
            card: "Test",
            busInfo: bus,
            capabilities: 0x8420_0001,
            deviceCapabilities: 0x0420_0001
        )
        return .success(NodeFacts.Opened(capabilities: capabilities, formats: [format], isInUse: inUse))
    }

    static let denied: Result<NodeFacts.Opened, VideoError> = .failure(VideoError(operation: "open", errorNumber: 13))
}

@Suite("The camera desk", .timeLimit(.minutes(1)))
struct CameraDeskTests {
    private static func news(_ nodes: String...) -> PlugNews { PlugNews(of: Set(nodes), since: .now()) }

    private static func desk(
        _ machine: Machine,
        settling: Duration = .seconds(60),
        retry: Duration = .milliseconds(1),
        watching: Duration = .seconds(60),
        files: FileCameras = FileCameras(),
        whyForbidden: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> CameraDesk {
        var pace = LookPlan.Pace()
        pace.gathering = .milliseconds(1)
        pace.settling = settling
        pace.retry = retry
        pace.watching = watching
        return CameraDesk(
            scanner: machine.scanner,
            builtIn: .never,
            positions: [:],
            files: files,
            whyForbidden: whyForbidden,
            pace: pace,
            controls: { _ in nil },
            library: { .unavailable }
        )
    }

    private static func states(_ entry: Bulletin<CameraCatalogue>.Entry) -> [Availability.State] {
        entry.value.cameras.map(\.availability.state)
    }

    @Test func `who watches is told of a camera that came and of one that went, by the event alone`() async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            let desk = Self.desk(machine)
            var entry = await desk.startWatching()
            #expect(Self.states(entry) == [])
            try machine.plug("video0") { _ in Machine.works() }
            await desk.hear(Self.news("video0"))
            entry = try await desk.board.next(after: entry.number)
            #expect(Self.states(entry) == [.available])
            try machine.unplug("video0")
            await desk.hear(Self.news("video0"))
            entry = try await desk.board.next(after: entry.number)
            #expect(Self.states(entry) == [])
            await desk.stopWatching()
        }
    }

    @Test(arguments: [13, 2, 6] as [Int32])
    func `a new node whose permissions come late is shown when it can be opened`(errorNumber: Int32) async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            let desk = Self.desk(machine)
            let first = await desk.startWatching()
            try machine.plug("video0") { count in
                count < 5 ? .failure(VideoError(operation: "open", errorNumber: errorNumber)) : Machine.works()
            }
            await desk.hear(Self.news("video0"))
            let entry = try await desk.board.next(after: first.number)
            #expect(Self.states(entry) == [.available], "nothing was shown before")
            #expect(entry.number == first.number + 1)
            await desk.stopWatching()
        }
    }

    @Test func `a new node that stays closed is shown as denied when it has settled`() async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            let desk = Self.desk(machine, settling: .milliseconds(30))
            let first = await desk.startWatching()
            try machine.plug("video0") { _ in Machine.denied }
            await desk.hear(Self.news("video0"))
            let entry = try await desk.board.next(after: first.number)
            #expect(Self.states(entry) == [.denied])
            #expect(machine.asked("video0") > 1)
            await desk.stopWatching()
        }
    }

    @Test func `what capture finds wrong with a camera is told with it, and no longer than capture says so`()
        async throws
    {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            try machine.plug("video0") { _ in Machine.works(bus: "platform:a") }
            let wrong = Mutex([CameraTrouble(camera: "platform-a", availability: Availability(.stalled, reason: "r"))])
            let desk = CameraDesk(
                scanner: machine.scanner,
                builtIn: .never,
                positions: [:],
                controls: { _ in nil },
                health: { wrong.withLock { $0 } },
                library: { .unavailable }
            )
            let bad = await desk.cameras()
            #expect(bad.catalogue.cameras.map(\.availability) == [Availability(.stalled, reason: "r")])
            #expect(bad.sources.first { $0.source == .camera }?.available == false)
            wrong.withLock { $0 = [] }
            // Capture is asked again, and not at once.
            let deadline = BootInstant.now() + .seconds(20)
            var states: [Availability.State] = []
            repeat {
                try await turn()
                states = await desk.cameras().catalogue.cameras.map(\.availability.state)
            } while states != [.available] && BootInstant.now() < deadline
            #expect(states == [.available])
        }
    }

    @Test func `a camera whose node is hidden is changed at once, and keeps its identity`() async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            try machine.plug("video0") { $0 == 1 ? Machine.works(bus: "platform:test-007") : Machine.denied }
            let desk = Self.desk(machine)
            var entry = await desk.startWatching()
            #expect(Self.states(entry) == [.available])
            await desk.hear(Self.news("video0"))
            entry = try await desk.board.next(after: entry.number)
            #expect(Self.states(entry) == [.denied])
            #expect(entry.value.cameras.map(\.id) == ["platform-test-007"])
            await desk.stopWatching()
        }
    }

    @Test func `of two cameras of one device the one whose node is hidden keeps its identity`() async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            let desk = Self.desk(machine)
            for (node, bus) in [("video0", "platform:test-000"), ("video4", "platform:test-001")] {
                try machine.plug(node) { _ in Machine.works(bus: bus) }
                try machine.attach(node, to: "platform/test.0")
            }
            let before = await desk.startWatching()
            #expect(before.value.cameras.map(\.id) == ["platform-test-000", "platform-test-001"])
            try machine.plug("video0") { _ in .failure(VideoError(operation: "open", errorNumber: 2)) }
            try machine.attach("video0", to: "platform/test.0")
            await desk.hear(Self.news("video0"))
            let after = try await desk.board.next(after: before.number)
            #expect(after.value.cameras.map(\.id) == before.value.cameras.map(\.id))
            #expect(Self.states(after) == [.absent, .available])
            await desk.stopWatching()
        }
    }

    @Test func `who asks is told the truth at once, also of a node that has not settled`() async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            let desk = Self.desk(machine)
            #expect(await desk.cameras().cameras.isEmpty)
            try machine.plug("video0") { _ in Machine.denied }
            await desk.hear(Self.news("video0"))
            #expect(await desk.cameras().cameras.map(\.availability.state) == [.denied])
        }
    }

    @Test func `a camera that somebody begins to use is seen now and then, without any event`() async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            try machine.plug("video0") { Machine.works(inUse: $0 > 3) }
            let desk = Self.desk(machine, watching: .milliseconds(2))
            var entry = await desk.startWatching()
            #expect(Self.states(entry) == [.available])
            entry = try await desk.board.next(after: entry.number)
            #expect(Self.states(entry) == [.busy])
            await desk.stopWatching()
        }
    }

    @Test func `while nobody watches no node is opened, and many askers cost one look`() async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            try machine.plug("video0") { _ in Machine.works() }
            let desk = Self.desk(machine, watching: .milliseconds(1))
            await desk.hear(Self.news("video0"))
            #expect(machine.asked("video0") == 0)
            for _ in 0..<20 { _ = await desk.cameras() }
            #expect(machine.asked("video0") < 20)
            _ = await desk.startWatching()
            while machine.asked("video0") < 30 { try await turn() }
            await desk.stopWatching()
        }
    }

    @Test func `a file camera is shown beside those of hardware, with the reason where its file is missing`()
        async throws
    {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            try machine.plug("video0") { _ in Machine.works() }
            let desk = Self.desk(machine, files: FileCameras(root + "/film.mov"))
            let entry = await desk.startWatching()
            #expect(Self.states(entry) == [.available, .absent])
            #expect(entry.value.cameras.last?.id == "file-film")
            await desk.stopWatching()
        }
    }

    @Test func `a built-in camera tells what can be set on it, also while nobody uses it`() async throws {
        try await withTemporaryDirectory { root in
            let desk = Self.desk(try Machine(root))
            let controls = try #require(await desk.controls(of: BuiltInCameras.back))
            #expect(
                !controls.isEmpty
                    && controls.allSatisfy { control in control.value == control.default.map { .number($0) } }
            )
        }
    }

    @Test func `a camera that the policy forbids is disabled, also a built-in one`() async throws {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            try machine.plug("video0") { _ in Machine.works() }
            let desk = Self.desk(machine) { _ in "the policy of this machine forbids it" }
            let cameras = await desk.cameras()
            #expect(cameras.cameras.map(\.availability.state) == [.disabled])
            #expect(cameras.status(of: .camera).reason == "disabled")
            #expect(cameras.status(of: .camera).detail == "the policy of this machine forbids it")
        }
    }

    @Test func `a camera that is switched off is disabled at once, for those who watch and those who ask`() async throws
    {
        try await withTemporaryDirectory { root in
            let machine = try Machine(root)
            try machine.plug("video0") { _ in Machine.works() }
            let reason = Mutex<String?>(nil)
            let desk = Self.desk(machine) { _ in reason.withLock { $0 } }
            var entry = await desk.startWatching()
            #expect(Self.states(entry) == [.available])
            reason.withLock { $0 = Restriction(.camera("*"), isSwitch: true).reason }
            await desk.reconsider()
            entry = try await desk.board.next(after: entry.number)
            #expect(Self.states(entry) == [.disabled])
            let asked = await desk.cameras().cameras.map(\.availability)
            #expect(asked.map(\.reason) == ["an operator has switched it off for everybody"])
            reason.withLock { $0 = nil }
            await desk.reconsider()
            #expect(await desk.cameras().cameras.map(\.availability.state) == [.available])
            await desk.stopWatching()
        }
    }
}
