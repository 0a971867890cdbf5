private import CLinux
package import EventLoop
package import Files
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
    private var failureCode: Int32?
    private var finished: CheckedContinuation<Int32, Never>?
    private var outcome: Int32?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// - Parameters:
    ///   - options: What is run; the folders are there already.
    ///   - identity: Whom the services run as.
    ///   - executables: The folder that holds them.
    ///   - loop: The loop to wait on.
    ///   - report: Told of every change, on the loop.
    package init(
        _ options: ClusterOptions,
        identity: ChildRequest.Identity?,
        executables: String,
        loop: EventLoop,
        report: @escaping @Sendable (Report) -> Void
    ) {
        self.loop = loop
        self.report = report
        launcher = ServiceLauncher(options: options, identity: identity, executables: executables)
        machine = SupervisorMachine(services: ServiceName.allCases.filter { !options.except.contains($0) })
    }

    isolated deinit {}

    /// Starts everything.
    ///
    /// - Throws: ``ClusterError`` if not even the sockets for readiness can be made.
    package func start() throws {
        for service in ServiceName.allCases where !machine.services.contains(service) {
            try launcher.leaveKey(for: service)
        }
        for service in machine.services {
            let socket = NotifySocket(try launcher.notifySocket(for: service))
            sockets[service] = socket
            let source = WaitSource.descriptor(socket.descriptor.rawValue, events: CShort(POLLIN))
            socket.token = loop.onReady(source) { [weak self] in
                self?.assumeIsolated { $0.readNotices(of: service) }
            }
        }
        handle(.start)
    }

    /// Ends everything; asked again, at once.
    package func stop() { handle(.stop) }

    /// Sends a signal to every service, such as SIGHUP to read the policy again.
    package func signal(_ number: Int32) {
        for child in children.values { child.process.signal(number) }
    }

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

    private func perform(_ action: SupervisorMachine.Action) {
        switch action {
        case .spawn(let service): spawn(service)
        case .scheduleRetry(let service, let delay): after(delay) { $0.handle(.retry(service)) }
        case .scheduleGrace(let delay): after(delay) { $0.handle(.graceOver) }
        case .terminate(let service, _): children[service]?.process.signal(SIGTERM)
        case .kill(let service, _): children[service]?.process.signal(SIGKILL)
        case .show(let service):
            if let line = machine.lines[service] { report(.line(service, line)) }
        case .allReady: report(.allReady)
        case .finished(let failed): finish(failed ? failureCode ?? 69 : 0)
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
            failureCode = failureCode ?? 69
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
        let hasServed = machine.lines[service]?.state == .ready
        switch status {
        case .exited(let code):
            let refuses = [64, 65, 66, 73, 75].contains(code) && !hasServed
            if refuses { failureCode = failureCode ?? code }
            handle(.ended(service, "ended with code \(code)", retries: !refuses))
        case .signaled(let number):
            handle(.ended(service, "ended by signal \(number)", retries: true))
        }
    }

    private func readNotices(of service: ServiceName) {
        guard let socket = sockets[service] else { return }
        while let notice = socket.next() {
            for line in notice.split(separator: "\n") {
                if line == "READY=1" { handle(.ready(service)) }
                if line.hasPrefix("STATUS="), line != "STATUS=ready" {
                    handle(.status(service, String(line.dropFirst(7))))
                }
            }
        }
    }

    private func finish(_ code: Int32) {
        for socket in sockets.values {
            if let token = socket.token { loop.remove(token) }
        }
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
