private import CLinux
package import EventLoop
import Files
private import Glibc
package import MessageSchema
private import Timekeeping

/// Runs the services of a cluster and keeps them running; the machine decides, this actor does.
///
/// Pinned to an event loop, on which it waits for the ends of its children, for what they say, and for time to pass.
package actor Supervisor {
    /// What the supervisor tells whoever runs it.
    package enum Report: Sendable {
        case line(ServiceName, SupervisorMachine.Line)
        case allReady
    }

    private let loop: EventLoop
    private let launcher: ServiceLauncher
    private let report: @Sendable (Report) -> Void
    private var machine: SupervisorMachine
    private var children: [ServiceName: Child] = [:]
    private var sockets: [ServiceName: NotifySocket] = [:]
    private var logging: Task<Void, Never>?
    private var finished: CheckedContinuation<Int32, Never>?
    private var outcome: Int32?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// - Parameters:
    ///   - options: What is run; the folders are there already.
    ///   - folders: Where, and as whom; held for as long as the supervisor lives.
    ///   - executables: The folder that holds them.
    ///   - loop: The loop to wait on.
    ///   - report: Told of every change, on the loop.
    package init(
        _ options: ClusterOptions,
        folders: ClusterFolders,
        executables: String,
        loop: EventLoop,
        report: @escaping @Sendable (Report) -> Void
    ) {
        self.loop = loop
        self.report = report
        launcher = ServiceLauncher(options: options, folders: folders, executables: executables)
        machine = SupervisorMachine(
            services: ServiceName.allCases.filter { !options.except.contains($0) },
            watchdog: options.watchdog
        )
    }

    isolated deinit {}

    /// Starts everything.
    ///
    /// - Throws: ``ClusterError`` if not even the files for log lines and the sockets for readiness can be made.
    package func start() throws {
        for service in ServiceName.allCases {
            try launcher.leaveKey(for: service, isWanted: !machine.services.contains(service))
        }
        // Before anything runs: what is in the way there is said at once, and not by each service in its turn.
        for service in machine.services { _ = try launcher.logs?.open(service) }
        for service in machine.services {
            let socket = NotifySocket(try launcher.notifySocket(for: service))
            sockets[service] = socket
            let source = WaitSource.descriptor(socket.descriptor.rawValue, events: CShort(POLLIN))
            socket.token = loop.onReady(source) { [weak self] in
                self?.assumeIsolated { $0.readNotices(of: service) }
            }
        }
        handle(.start)
        if let logs = launcher.logs {
            let keeper = LogKeeper(logs, services: machine.services)
            // Ended when everything has: it belongs to the life of the cluster, and to no call.
            logging = Task { await keeper.run() }
        }
        if let interval = machine.lifeCheck { checkLife(each: interval) }
    }

    /// Has the services read their policy again.
    package func reload() { handle(.reload) }

    /// Ends everything; asked again, at once.
    package func stop() { handle(.stop) }

    /// Waits until everything has ended.
    ///
    /// - Returns: 0, or the exit code of the service that could not be kept running.
    package func waitUntilFinished() async -> Int32 {
        if let outcome { return outcome }
        return await withCheckedContinuation { finished = $0 }
    }

    private func handle(_ event: SupervisorMachine.Event) {
        for action in machine.handle(event, now: .now()) { perform(action) }
    }

    private func checkLife(each interval: Duration) {
        after(interval) { supervisor in
            guard supervisor.outcome == nil else { return }
            supervisor.handle(.checkLife)
            supervisor.checkLife(each: interval)
        }
    }

    private func perform(_ action: SupervisorMachine.Action) {
        switch action {
        case .spawn(let service):
            // The service before it in the same list may have ended everything.
            if !machine.isStopping { spawn(service) }
        case .scheduleRetry(let service, let delay): after(delay) { $0.handle(.retry(service)) }
        case .scheduleGrace(let delay): after(delay) { $0.handle(.graceOver) }
        case .terminate(let service, _): children[service]?.process.signal(SIGTERM)
        case .reload(let service, _): children[service]?.process.signal(SIGHUP)
        case .kill(let service, _): children[service]?.process.signal(SIGKILL)
        case .show(let service):
            if let line = machine.lines[service] { report(.line(service, line)) }
        case .allReady: report(.allReady)
        case .finished(let code): finish(code)
        }
    }

    private func after(_ delay: Duration, _ body: @escaping @Sendable (isolated Supervisor) -> Void) {
        _ = loop.schedule(at: .now().advanced(by: delay)) { [weak self] in
            self?.assumeIsolated { body($0) }
        }
    }

    private func spawn(_ service: ServiceName) {
        do {
            let child = Child(try launcher.launch(service))
            children[service] = child
            let pid = child.process.processID
            let source = WaitSource.descriptor(child.process.descriptor.rawValue, events: CShort(POLLIN))
            child.token = loop.onReady(source) { [weak self] in
                self?.assumeIsolated { $0.childEnded(service, pid: pid) }
            }
            handle(.spawned(service, pid: pid))
        } catch {
            handle(.spawnFailed(service, reason: "\(service.executable) can not be started: \(error)"))
        }
    }

    private func childEnded(_ service: ServiceName, pid: Int32) {
        guard let child = children[service], child.process.processID == pid else { return }
        readNotices(of: service)
        let status: ExitStatus?
        do {
            status = try child.process.exitStatus()
        } catch {
            status = .signaled(0)
        }
        guard let status else { return }
        if let token = child.token { loop.remove(token) }
        children[service] = nil
        switch status {
        case .exited(let code):
            let refusal = [64, 65, 66, 73, 75].contains(code) ? code : nil
            handle(.ended(service, "ended with code \(code)", refusal: refusal))
        case .signaled(let number):
            handle(.ended(service, "ended by signal \(number)", refusal: nil))
        }
    }

    private func readNotices(of service: ServiceName) {
        guard let socket = sockets[service] else { return }
        // A service that says too much does not keep the others from being heard.
        for _ in 0..<64 {
            guard let notice = socket.next() else { return }
            let lines = notice.split(separator: "\n")
            for line in lines {
                if line == "READY=1" { handle(.ready(service)) }
                if line == "WATCHDOG=1" { handle(.alive(service)) }
                if line.hasPrefix("STATUS="), line != "STATUS=ready" {
                    let text = String(line.dropFirst(7))
                    handle(lines.contains("STOPPING=1") ? .lastWords(service, text) : .status(service, text))
                }
            }
        }
    }

    private func finish(_ code: Int32) {
        for socket in sockets.values {
            if let token = socket.token { loop.remove(token) }
        }
        logging?.cancel()
        outcome = code
        finished?.resume(returning: code)
        finished = nil
    }
}

/// A running child and the loop's registration of its end.
private final class Child {
    var process: ChildProcess
    var token: EventLoop.Token?

    init(_ process: consuming ChildProcess) { self.process = process }
}

/// The socket on which one service tells how it is.
private final class NotifySocket {
    let descriptor: FileDescriptor
    var token: EventLoop.Token?

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    /// The next datagram's text; `nil` when there is none.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(descriptor.rawValue, &bytes, bytes.count, CInt(MSG_DONTWAIT))
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
