package import Consent
package import EventLoop
private import Hashing
package import Logging
package import MessageSchema
package import ServiceRuntime
package import Timekeeping

/// The jobs of the exporter: begun, followed, paused, gone on with, kept.
///
/// Pinned to the socket loop; the work of a job is a task of its own that touches disk and library elsewhere.
package actor Exporter {
    /// A job's state is kept at once when it changes, and otherwise after so many files: a kill costs a recount, no file.
    private static let filesBetweenRecords = 64
    private static let mostRunningJobs = 8

    /// What surrounds the exporter.
    package struct Surroundings: Sendable {
        package var store: ExportStore
        package var roots: ExportRoots
        package var source: ExportSource
        package var permission: ExportPermission
        /// The loop that may wait for the disk.
        package var disk: EventLoop
        package var clock: any Clock<Duration> = ContinuousClock()
        package var now: @Sendable () -> Timestamp = { .now() }
        package var log: Logger

        package init(
            store: ExportStore,
            roots: ExportRoots,
            source: ExportSource,
            permission: ExportPermission,
            disk: EventLoop,
            log: Logger
        ) {
            self.store = store
            self.roots = roots
            self.source = source
            self.permission = permission
            self.disk = disk
            self.log = log
        }
    }

    private let surroundings: Surroundings
    private let loop: EventLoop
    private var machines: [String: ExportJobMachine] = [:]
    private var tasks: [String: Task<Void, Never>] = [:]
    private var sinceRecord: [String: Int] = [:]
    /// Jobs that are allowed and not kept yet: they count among the running ones.
    private var reserved: Set<String> = []
    private var feed = ExportFeed()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    package init(_ surroundings: Surroundings, loop: EventLoop) {
        self.surroundings = surroundings
        self.loop = loop
    }

    /// Goes on with the jobs that ran when the process before this one ended, as far as nobody has to be asked.
    package func resumeInterrupted() async throws {
        for record in try await surroundings.store.interrupted() {
            surroundings.log.info("job goes on", ["job": .string(record.job.job)])
            start(record, Asker(principal: record.principal, label: record.label, mayPrompt: false))
        }
    }

    /// Begins a job; returns when it is allowed and kept.
    ///
    /// Repeated with its key within a day, also after a restart, it gives the job that it began.
    ///
    /// - Throws: `destinationRefused`, `tooManyRequests`, `idempotencyConflict`, and what the gate answers.
    package func start(_ request: StartExport, for asker: Asker, key: String? = nil) async throws -> ExportJob {
        let destination = try surroundings.roots.path(of: request.destination)
        let names = try request.nameTemplate()
        let key = try ExportKey(key, of: request)
        if let key, let earlier = try await surroundings.store.record(of: key, asker.principal, at: surroundings.now())
        {
            return machines[earlier.job.job]?.job ?? earlier.job
        }
        try checkRoom()
        // Asked before it is told whose a destination is.
        let pass = try await surroundings.permission.pass(asker)
        let job = ExportJob(job: randomBytes(16).hexadecimal, state: .running, destination: destination)
        let record = ExportRecord(
            principal: asker.principal,
            label: asker.label,
            purpose: asker.purpose,
            selection: request.selection,
            privacy: request.privacy ?? PrivacyProfile.none,
            names: names,
            job: job
        )
        do {
            // The person took a while.
            try checkRoom()
            reserved.insert(job.job)
            defer { reserved.remove(job.job) }
            switch try await surroundings.store.add(record, key: key, at: surroundings.now()) {
            case .kept: break
            case .taken: throw Self.taken
            case .repeated(let earlier):
                pass.end()
                return machines[earlier.job.job]?.job ?? earlier.job
            }
        } catch {
            pass.end()
            throw error
        }
        surroundings.log.info("job begins", ["job": .string(job.job), "principal": .string("\(asker.principal)")])
        // The job goes on without the process that asked for it.
        var owner = asker
        owner.caller = nil
        start(record, owner, pass: pass)
        return job
    }

    /// The jobs of a principal, or all of them; running ones as they stand this moment.
    package func jobs(of principal: Principal?, id: String?) async throws -> [ExportJob] {
        let found = try await surroundings.store.records(of: principal)
        return found.map { machines[$0.job.job]?.job ?? $0.job }.filter { id == nil || $0.job == id }
    }

    /// Pauses, goes on with or cancels a job.
    ///
    /// - Throws: `noSuchJob`, also for another program's; what the gate answers.
    package func control(
        _ request: ControlExport,
        for asker: Asker,
        mayControlAll: Bool
    ) async throws -> ExportJob {
        let record = try await record(request.job, of: asker.principal, mayControlAll: mayControlAll)
        if request.action == .resume { return try await resume(record, for: asker) }
        var machine = machines[request.job] ?? ExportJobMachine(record.job)
        let action = machine.apply(.controlled(request.action))
        machines[request.job] = machines[request.job] == nil ? nil : machine
        if action == .stop {
            tasks[request.job]?.cancel()
            await tasks[request.job]?.value
        }
        await keep(machine.job)
        feed.publish(machine.job)
        return machine.job
    }

    private func resume(_ before: ExportRecord, for asker: Asker) async throws -> ExportJob {
        let id = before.job.job
        let standing = machines[id]?.job ?? before.job
        guard Self.resumed(standing) != nil else { return standing }
        try checkRoom()
        // Whose job it is decides what is allowed, whoever asks for it to go on.
        let owner = Asker(
            principal: before.principal,
            label: before.label,
            purpose: before.purpose,
            mayPrompt: asker.mayPrompt && asker.principal == before.principal,
            patience: asker.patience
        )
        let pass = try await surroundings.permission.pass(owner)
        do {
            // The person took a while: the job may run by now, or be cancelled.
            let record = try await record(id, of: before.principal, mayControlAll: false)
            guard tasks[id] == nil, let job = Self.resumed(record.job) else {
                pass.end()
                return machines[id]?.job ?? record.job
            }
            try checkRoom()
            start(record, owner, pass: pass)
            await keep(job)
            return job
        } catch {
            pass.end()
            throw error
        }
    }

    /// The job when it goes on; nil when it can not.
    private static func resumed(_ job: ExportJob) -> ExportJob? {
        var machine = ExportJobMachine(job)
        return machine.apply(.controlled(.resume)) == .start ? machine.job : nil
    }

    private func checkRoom() throws {
        guard tasks.count + reserved.count < Self.mostRunningJobs else {
            throw ErrorReply(.tooManyRequests, "Too many exports are running", retryAfter: 5000)
        }
    }

    private static var taken: ErrorReply {
        ErrorReply(
            .destinationRefused,
            "The destination is another program's export",
            reason: "It is the folder of one, lies in one, or has one in it.",
            recoverySuggestion: "Name another folder."
        )
    }

    /// The states of a job from now on.
    ///
    /// - Throws: `noSuchJob`, also for another program's.
    package func follow(_ id: String, for principal: Principal, mayFollowAll: Bool) async throws -> AsyncStream<
        ExportJob
    > {
        _ = try await record(id, of: principal, mayControlAll: mayFollowAll)
        let (number, states) = feed.follow(id) { [weak self] number in
            // The stream is over; its place is given up when the actor gets to it.
            Task { await self?.leave(id, number) }
        }
        // Read when nothing can be missed any more: what happens meanwhile is published, and is newer.
        let stored = try await record(id, of: principal, mayControlAll: mayFollowAll).job
        feed.begin(number, with: machines[id]?.job ?? stored)
        return states
    }

    /// Ends all work; running jobs stay running in the store, and go on with the next start.
    package func stop() async {
        let running = tasks
        tasks = [:]
        machines = [:]
        for task in running.values { task.cancel() }
        for task in running.values { await task.value }
        feed.end()
        await surroundings.store.close()
    }

    // MARK: Inside

    private func leave(_ id: String, _ number: Int) { feed.leave(id, number) }

    private func record(_ id: String, of principal: Principal, mayControlAll: Bool) async throws -> ExportRecord {
        let found = try await surroundings.store.record(id)
        guard let record = found, mayControlAll || record.principal == principal else {
            if found != nil {
                // The program is told that there is none; a log shows who tried.
                surroundings.log.warning(
                    "another program's job was asked for",
                    ["job": .string(id), "principal": .string("\(principal)")]
                )
            }
            throw ErrorReply(.noSuchJob, "There is no such export", parameters: ["job": id])
        }
        return record
    }

    private func start(_ record: ExportRecord, _ asker: Asker, pass: ExportPass? = nil) {
        let id = record.job.job
        var job = record.job
        job.state = .running
        job.reason = nil
        job.error = nil
        machines[id] = ExportJobMachine(job)
        let first = FirstPass(pass)
        let run = ExportRun(
            id: id,
            record: record,
            asker: asker,
            store: surroundings.store,
            roots: surroundings.roots,
            source: surroundings.source,
            permission: ExportPermission { [permission = surroundings.permission] asker in
                if let pass = await first.take() { return pass }
                return try await permission.pass(asker)
            },
            disk: surroundings.disk,
            clock: surroundings.clock,
            now: surroundings.now
        ) { [weak self] event in await self?.apply(event, to: id) }
        // The job's own life is its scope: it ends by itself, by control, or with the exporter.
        tasks[id] = Task { [weak self] in
            do {
                try await run.perform()
            } catch is CancellationError {
                // Whoever cancelled it has said what the job is now.
            } catch {
                let reply = error as? ErrorReply ?? ErrorReply(.exportFailed, "The export failed", reason: "\(error)")
                if !Task.isCancelled { await self?.apply(.broke(reply), to: id) }
            }
            await self?.ended(id)
        }
    }

    private func ended(_ id: String) {
        tasks[id] = nil
        machines[id] = nil
        sinceRecord[id] = nil
    }

    private func apply(_ event: ExportJobMachine.Event, to id: String) async {
        guard var machine = machines[id] else { return }
        let before = machine.job.state
        _ = machine.apply(event)
        machines[id] = machine
        let files = (sinceRecord[id] ?? 0) + 1
        sinceRecord[id] = files
        if machine.job.state != before || files >= Self.filesBetweenRecords {
            sinceRecord[id] = 0
            await keep(machine.job)
        }
        if machine.job.state != before {
            surroundings.log.info("job", ["job": .string(id), "state": .string(machine.job.state.rawValue)])
        }
        feed.publish(machine.job)
    }

    private func keep(_ job: ExportJob) async {
        do {
            try await surroundings.store.update(job, at: surroundings.now())
        } catch {
            surroundings.log.error("a job's state can not be kept", ["reason": .string("\(error)")])
        }
    }
}

/// The permission that was given when the job was asked for; a run that begins again asks anew.
private actor FirstPass {
    private var pass: ExportPass?

    init(_ pass: ExportPass?) { self.pass = pass }

    func take() -> ExportPass? { pass.take() }
}
