package import Cameras
private import EventLoop
package import HotPlug
private import Media
package import MessageSchema
private import Timekeeping
private import Video4Linux

/// Looks at the cameras when something happened and when somebody asks, on a thread that may wait for drivers.
///
/// A look serves everybody who asks within half a second of it, unless an event came: many askers cost no more than one.
package actor CameraDesk {
    /// Asks the library what it has.
    package typealias LibraryQuestion = @Sendable () async -> ProbeMachine.Library
    /// Asks capture which cameras something is wrong with.
    package typealias HealthQuestion = @Sendable () async -> [CameraTrouble]
    /// Asks a node for its controls; nil where it can not be asked.
    package typealias ControlQuestion = @Sendable (_ node: String) -> [CameraControl]?

    /// A look at the machine, for whoever keeps account of them.
    package struct Look: Hashable, Sendable {
        /// How long it took.
        package let duration: Duration
        /// From the first event that asked for it to its end; nil for one that no event asked for.
        package let sinceEvent: Duration?
        /// Whether those who watch were shown something new.
        package let hasNews: Bool
    }

    /// What those who watch are shown: a new node that can not be opened yet is held back while it settles.
    package nonisolated let board = Bulletin(CameraCatalogue(cameras: []))

    private let loop = EventLoop(name: "scan")
    private let scanner: CameraScanner
    private let builtIn: BuiltInChoice
    private let positions: CameraCatalogue.Positions
    private let files: FileCameras
    private let whyForbidden: @Sendable (String) -> String?
    private let library: LibraryQuestion
    private let controlsOfNode: ControlQuestion
    private let health: HealthQuestion
    /// What capture said last, and when it is asked again.
    private var troubles: [CameraTrouble] = []
    private var asksAgain = BootInstant.now()
    private let looked: @Sendable (Look) -> Void
    private var plan: LookPlan
    private var latest = CameraCatalogue(cameras: [])
    /// What each node said of where it is attached.
    private var busInfo: [Seat: String] = [:]
    private var alarm: (token: EventLoop.Token, at: BootInstant)?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// - Parameters:
    ///   - scanner: What finds the nodes.
    ///   - builtIn: When the built-in cameras appear.
    ///   - positions: Positions that the administrator gave, by identity.
    ///   - files: The cameras that replay files.
    ///   - whyForbidden: Why nobody may use the camera of an identity; nil where programs may be allowed to.
    ///   - pace: When the machine is looked at.
    ///   - controls: Asks a node for its controls.
    ///   - health: Asks capture.
    ///   - looked: Is told of each look.
    ///   - library: Asks the library.
    package init(
        scanner: CameraScanner,
        builtIn: BuiltInChoice,
        positions: CameraCatalogue.Positions,
        files: FileCameras = FileCameras(),
        whyForbidden: @escaping @Sendable (String) -> String? = { _ in nil },
        pace: LookPlan.Pace = LookPlan.Pace(),
        controls: @escaping ControlQuestion = { try? CameraControl.list(ofNode: $0) },
        health: @escaping HealthQuestion = { [] },
        looked: @escaping @Sendable (Look) -> Void = { _ in },
        library: @escaping LibraryQuestion
    ) {
        self.scanner = scanner
        self.builtIn = builtIn
        self.positions = positions
        self.files = files
        self.whyForbidden = whyForbidden
        self.library = library
        controlsOfNode = controls
        self.health = health
        self.looked = looked
        plan = LookPlan(pace: pace)
    }

    isolated deinit { if let alarm { loop.remove(alarm.token) } }

    /// The cameras as they are now, without the library.
    package func cameras() async -> ProbeMachine {
        await askCapture()
        return ProbeMachine(catalogue: current(), library: .unavailable)
    }

    /// The cameras and the library as they are now.
    package func everything() async -> ProbeMachine {
        let library = await library()
        await askCapture()
        return ProbeMachine(catalogue: current(), library: library)
    }

    /// What can be set on a camera; nil where it could not be asked.
    ///
    /// A built-in one is here as it starts.
    package func controls(of camera: Camera) -> [CameraControl]? {
        camera.builtIn ? BuiltInCameras.controls : camera.node.flatMap { controlsOfNode($0) }
    }

    /// Why there is no camera of hardware, where that is the machine's nature.
    package func problem() -> String? { current().problem }

    // MARK: Following

    /// Something may have come, gone or changed: looks soon.
    package func hear(_ news: PlugNews) {
        plan.hear(news, at: .now())
        setAlarm()
    }

    /// What is forbidden to everybody may be something else now: looks at once, for those who watch and those who ask.
    package func reconsider() { look() }

    /// Begins to look by itself, also for what no event tells; whoever begins also stops.
    ///
    /// - Returns: What there is, to go on from on the board.
    package func startWatching() -> Bulletin<CameraCatalogue>.Entry {
        plan.watch(by: 1)
        _ = current()
        setAlarm()
        return board.latest
    }

    /// One watcher less.
    package func stopWatching() {
        plan.watch(by: -1)
        setAlarm()
    }

    // MARK: Private

    /// Where a node is in the machine, and what it is called.
    private struct Seat: Hashable {
        let place, node: String
    }

    /// Hears what is wrong with cameras that are used, no more often than the machine is looked at; a capture that takes its
    /// time is asked seldom.
    private func askCapture() async {
        let start = BootInstant.now()
        guard start >= asksAgain else { return }
        asksAgain = start + .milliseconds(500)
        let found = await health()
        if start.duration(to: BootInstant.now()) > .milliseconds(200) { asksAgain = BootInstant.now() + .seconds(5) }
        guard found != troubles else { return }
        troubles = found
        look()
    }

    private func current() -> CameraCatalogue {
        if plan.isStale(at: .now()) { look() }
        return latest
    }

    private func look() {
        let start = BootInstant.now()
        let heard = plan.heardSince
        var scan = scanner.scan()
        remember(&scan.nodes)
        latest = CameraCatalogue(
            scan,
            builtIn: builtIn,
            positions: positions,
            files: files,
            whyForbidden: whyForbidden
        )
        .troubled(by: troubles)
        plan.look(at: .now(), unready: scan.nodes.filter(\.isUnready).map { Self.name(ofNode: $0.path) })
        let shown = shown()
        let hasNews = board.latest.number == 0 || board.latest.value != shown
        if hasNews { board.post(shown) }
        let end = BootInstant.now()
        looked(
            Look(duration: start.duration(to: end), sinceEvent: heard.map { $0.duration(to: end) }, hasNews: hasNews)
        )
        setAlarm()
    }

    /// Keeps where each node was attached, so that its camera keeps its identity while it can not be opened.
    ///
    /// A device can have several cameras, whose nodes only their names tell apart. A node that has another name by now
    /// is known by its place, where no other node has that.
    private func remember(_ nodes: inout [NodeFacts]) {
        let known = Dictionary(grouping: busInfo.filter { !$0.value.isEmpty }, by: \.key.place)
        var seen: [Seat: String] = [:]
        for index in nodes.indices {
            let seat = Seat(place: "\(nodes[index].devicePath)#\(nodes[index].index)", node: nodes[index].path)
            if case .success(let opened) = nodes[index].opened {
                seen[seat] = opened.capabilities.busInfo
            } else {
                let others = known[seat.place] ?? []
                nodes[index].knownBusInfo = busInfo[seat] ?? (others.count == 1 ? others.first?.value : nil)
                seen[seat] = nodes[index].knownBusInfo
            }
        }
        busInfo = seen
    }

    private func shown() -> CameraCatalogue {
        let known = Set(board.latest.value.cameras.map(\.id))
        let now = BootInstant.now()
        let cameras = latest.cameras.filter { camera in
            guard let node = camera.node, [.denied, .absent].contains(camera.availability.state) else { return true }
            return known.contains(camera.id) || !plan.isSettling(Self.name(ofNode: node), at: now)
        }
        return CameraCatalogue(cameras: cameras, problem: latest.problem, isComplete: latest.isComplete)
    }

    private func setAlarm() {
        let due = plan.due
        guard alarm?.at != due else { return }
        if let alarm { loop.remove(alarm.token) }
        alarm = due.map { due in
            let token = loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.ring() } }
            return (token, due)
        }
    }

    private func ring() {
        alarm = nil
        guard let due = plan.due, due <= .now() else { return setAlarm() }
        look()
        // Whoever watches is told of it by another look: this one waits for nobody.
        Task { await askCapture() }
    }

    private static func name(ofNode path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

extension NodeFacts {
    /// Whether it could not be opened for a reason that may pass by itself, soon after the node was made.
    fileprivate var isUnready: Bool {
        guard case .failure(let error) = opened else { return false }
        return error.code == .denied || error.code == .absent
    }
}
