import ExporterService
import Files
import Foundation
import Media
import MessageSchema
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(2)))
struct `An export` {
    /// A world with two assets of the same name, and an exporter; everything is ended afterwards.
    private static func with(
        clock: (any Clock<Duration>)? = nil,
        _ body: (World, Exporter) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { path in
            let world = World(in: path)
            world.add("IMG.JPG", "first content", number: 1)
            world.add("img.jpg", "second", number: 2)
            let exporter = try world.exporter(clock: clock ?? ContinuousClock())
            do {
                try await body(world, exporter)
            } catch {
                await exporter.stop()
                throw error
            }
            await exporter.stop()
        }
    }

    @Test func `ends with a bag that holds every file`() async throws {
        try await Self.with { world, exporter in
            let begun = try await exporter.start(World.everything, for: World.asker())
            #expect(begun.state == .running && begun.destination == world.bag())
            let done = try await exporter.end(of: begun.job)
            #expect(done.state == .done)
            #expect(done.files == 2 && done.copied == 2 && done.skipped == 0 && done.failed.isEmpty)
            #expect(done.bytes == 19 && done.copiedBytes == 19 && done.verified == 2)
            #expect(try world.payload() == ["IMG.JPG", "img-00000002.jpg"])
            #expect(try world.isValid())
            let kept = try await exporter.jobs(of: World.program, id: nil)
            #expect(kept == [done])
        }
    }

    @Test func `to the same place copies only what is new`() async throws {
        try await Self.with { world, exporter in
            let first = try await exporter.start(World.everything, for: World.asker())
            _ = try await exporter.end(of: first.job)
            world.add("new.jpg", "third", number: 3)
            let second = try await exporter.start(World.everything, for: World.asker())
            let done = try await exporter.end(of: second.job)
            #expect(done.copied == 1 && done.skipped == 2)
            #expect(world.state.withLock(\.reads) == ["IMG.JPG", "img.jpg", "new.jpg"])
            #expect(try world.isValid())
        }
    }

    @Test func `goes on after its process is gone, with the assets it began with`() async throws {
        try await withTemporaryDirectory { path in
            let world = World(in: path)
            for number in 1...5 { world.add("\(number).jpg", "content \(number)", number: number) }
            let exporter = try world.exporter()
            let (reached, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            world.state.withLock {
                $0.beforeChunk = { count in
                    guard count == 9 else { return }
                    signal.yield()
                    // Held until the exporter's end cancels it.
                    try await Task.sleep(for: .seconds(60))
                }
            }
            let begun = try await exporter.start(World.everything, for: World.asker())
            for await _ in reached { break }
            await exporter.stop()

            world.state.withLock { $0.beforeChunk = nil }
            world.add("later.jpg", "later", number: 9)
            let next = try world.exporter()
            try await next.resumeInterrupted()
            let done = try await next.end(of: begun.job)
            #expect(done.state == .done)
            #expect(done.files == 5 && done.skipped >= 1 && done.copied + done.skipped == 5)
            #expect(try world.payload() == (1...5).map { "\($0).jpg" })
            #expect(try world.isValid())
            #expect(world.state.withLock(\.askers).last?.mayPrompt == false)
            await next.stop()
        }
    }

    @Test func `that nobody allows any more does not go on by itself, but when its program is allowed again`()
        async throws
    {
        try await Self.with { world, exporter in
            world.state.withLock { state in
                state.beforeChunk = { count in
                    if count == 3 { world.state.withLock { $0.isRevoked = true } }
                }
            }
            let begun = try await exporter.start(World.everything, for: World.asker())
            let failed = try await exporter.end(of: begun.job)
            #expect(failed.state == .failed)
            #expect(failed.reason?.hasPrefix("Taken away") == true && failed.error?.code == .revoked)
            #expect(!FileManager.default.fileExists(atPath: world.bag()), "nothing was copied, nothing is left")
            world.state.withLock { $0.isRevoked = false }
            let going = try await exporter.control(
                ControlExport(.resume, job: begun.job),
                for: World.asker(),
                mayControlAll: false
            )
            #expect(going.state == .running && going.error == nil)
            #expect(try await exporter.end(of: begun.job).state == .done)
            #expect(try world.isValid())
        }
    }

    @Test func `into a root where nothing may be written fails as one that can not be made, wherever that is met`()
        async throws
    {
        try await Self.with { world, exporter in
            for name in ["new", "empty"] {
                if name == "empty" { _ = try Directory(creating: world.bag(name)) }
                let failed = try await FileFaults.$current.withValue(FileFaults(at: 1, .failFromThere(EROFS))) {
                    let request = StartExport(selection: ExportSelection(), destination: name)
                    return try await exporter.end(of: exporter.start(request, for: World.asker()).job)
                }
                #expect(failed.state == .failed && failed.error?.code == .cannotCreate, "\(name): \(failed)")
            }
        }
    }

    @Test func `can be paused, gone on with and cancelled`() async throws {
        try await Self.with { world, exporter in
            let (reached, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            world.state.withLock {
                $0.beforeChunk = { count in
                    guard count == 2 else { return }
                    signal.yield()
                    // Held until the pause cancels it.
                    try await Task.sleep(for: .seconds(60))
                }
            }
            let begun = try await exporter.start(World.everything, for: World.asker())
            for await _ in reached { break }
            let paused = try await Self.control(.pause, begun.job, exporter)
            #expect(paused.state == .paused)
            #expect(try await exporter.jobs(of: nil, id: begun.job).first?.state == .paused)
            #expect(try await Self.control(.resume, begun.job, exporter).state == .running)
            #expect(try await exporter.end(of: begun.job).state == .done)
            #expect(try await Self.control(.cancel, begun.job, exporter).state == .done)
            #expect(try world.isValid())
        }
    }

    private static func control(_ action: ControlExport.Action, _ job: String, _ exporter: Exporter) async throws
        -> ExportJob
    {
        try await exporter.control(ControlExport(action, job: job), for: World.asker(), mayControlAll: false)
    }

    @Test func `waits for a library that is away`() async throws {
        let clock = ManualClock()
        try await Self.with(clock: clock) { world, exporter in
            world.state.withLock { $0.outages = 2 }
            let begun = try await exporter.start(World.everything, for: World.asker())
            await clock.nextTimerScheduled()
            clock.advance(by: .milliseconds(500))
            await clock.nextTimerScheduled()
            clock.advance(by: .seconds(1))
            #expect(try await exporter.end(of: begun.job).state == .done)
        }
    }

    @Test func `names the files it could not get, and has the others`() async throws {
        try await Self.with { world, exporter in
            let lost = world.add("lost.jpg", "lost", number: 3)
            let changed = world.add("changed.jpg", "changed", number: 4)
            world.state.withLock {
                $0.contents[lost.url.id] = nil
                $0.wrong[changed.url.id] = Array("CHANGED".utf8)
            }
            let begun = try await exporter.start(World.everything, for: World.asker())
            let done = try await exporter.end(of: begun.job)
            #expect(done.state == .done)
            #expect(done.failed.map(\.url) == [lost.url, changed.url])
            #expect(done.copied == 2)
            #expect(try world.payload() == ["IMG.JPG", "img-00000002.jpg"])
            #expect(try world.isValid())
        }
    }

    @Test(arguments: ["", "/etc/export", "../outside", "a/../../b", "/", "."])
    func `is written below its roots alone`(destination: String) async throws {
        try await Self.with { world, exporter in
            let error = await #expect(throws: ErrorReply.self) {
                try await exporter.start(
                    StartExport(selection: ExportSelection(), destination: destination),
                    for: World.asker()
                )
            }
            #expect(error?.code == .destinationRefused)
            #expect(world.state.withLock(\.askers).isEmpty)
        }
    }

    @Test func `does not leave its root through a link`() async throws {
        try await Self.with { world, exporter in
            try FileManager.default.createDirectory(
                atPath: world.folder + "/exports",
                withIntermediateDirectories: true
            )
            try FileManager.default.createDirectory(atPath: world.folder + "/out", withIntermediateDirectories: true)
            makeSymbolicLink(at: world.bag(), to: world.folder + "/out")
            let begun = try await exporter.start(World.everything, for: World.asker())
            #expect(try await exporter.end(of: begun.job).state == .failed)
            #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder + "/out").isEmpty)
        }
    }

    @Test func `is neither seen, controlled nor written into by another program`() async throws {
        try await Self.with { world, exporter in
            let begun = try await exporter.start(World.everything, for: World.asker())
            _ = try await exporter.end(of: begun.job)
            #expect(try await exporter.jobs(of: World.other, id: nil).isEmpty)
            let control = await #expect(throws: ErrorReply.self) {
                try await exporter.control(
                    ControlExport(.cancel, job: begun.job),
                    for: World.asker(World.other),
                    mayControlAll: false
                )
            }
            #expect(control?.code == .noSuchJob)
            let start = await #expect(throws: ErrorReply.self) {
                try await exporter.start(World.everything, for: World.asker(World.other))
            }
            #expect(start?.code == .destinationRefused)
        }
    }

    @Test(arguments: ["trip", "trip/data/x", "trip/data", "a", "a/b/c"])
    func `is neither in nor around another program's bag`(destination: String) async throws {
        try await Self.with { world, exporter in
            for own in ["trip", "a/b"] {
                let job = try await exporter.start(
                    StartExport(selection: ExportSelection(), destination: own),
                    for: World.asker()
                )
                _ = try await exporter.end(of: job.job)
            }
            let error = await #expect(throws: ErrorReply.self) {
                try await exporter.start(
                    StartExport(selection: ExportSelection(), destination: destination),
                    for: World.asker(World.other)
                )
            }
            #expect(error?.code == .destinationRefused)
            let beside = try await exporter.start(
                StartExport(selection: ExportSelection(), destination: "trip-other"),
                for: World.asker(World.other)
            )
            #expect(try await exporter.end(of: beside.job).state == .done)
        }
    }

    @Test func `that is asked for again with its key is the same, also by another process`() async throws {
        try await withTemporaryDirectory { path in
            let world = World(in: path)
            world.add("IMG.JPG", "content", number: 1)
            let exporter = try world.exporter()
            let first = try await exporter.start(World.everything, for: World.asker(), key: "k")
            _ = try await exporter.end(of: first.job)
            #expect(try await exporter.start(World.everything, for: World.asker(), key: "k").job == first.job)
            await exporter.stop()
            let next = try world.exporter()
            #expect(try await next.start(World.everything, for: World.asker(), key: "k").job == first.job)
            #expect(world.state.withLock(\.askers).count == 1, "nobody is asked for a repetition")
            let conflict = await #expect(throws: ErrorReply.self) {
                try await next.start(
                    StartExport(selection: ExportSelection(), destination: "elsewhere"),
                    for: World.asker(),
                    key: "k"
                )
            }
            #expect(conflict?.code == .idempotencyConflict)
            let other = try await next.start(
                StartExport(selection: ExportSelection(), destination: "other"),
                for: World.asker(World.other),
                key: "k"
            )
            #expect(other.job != first.job)
            _ = try await next.end(of: other.job)
            await next.stop()
        }
    }

    @Test func `that is over keeps no plan`() async throws {
        try await Self.with { world, exporter in
            let begun = try await exporter.start(World.everything, for: World.asker())
            _ = try await exporter.end(of: begun.job)
            await exporter.stop()
            let store = try ExportStore(in: world.folder)
            #expect(try await store.plan(of: begun.job)?.isEmpty == true)
            await store.close()
        }
    }

    @Test func `that is cancelled while the person is asked to go on stays cancelled`() async throws {
        try await Self.with { world, exporter in
            world.state.withLock { $0.isRevoked = true }
            let begun = try await exporter.start(World.everything, for: World.asker())
            #expect(try await exporter.end(of: begun.job).state == .failed)
            world.state.withLock { state in
                state.isRevoked = false
                state.beforePass = {
                    world.state.withLock { $0.beforePass = nil }
                    _ = try await Self.control(.cancel, begun.job, exporter)
                }
            }
            #expect(try await Self.control(.resume, begun.job, exporter).state == .cancelled)
            #expect(try await exporter.jobs(of: nil, id: begun.job).map(\.state) == [.cancelled])
            // The permission that came too late is given back.
            #expect(world.state.withLock { $0.ended == $0.askers.count })
        }
    }

    @Test func `counts among the eight when it goes on`() async throws {
        try await Self.with { world, exporter in
            world.state.withLock { $0.isRevoked = true }
            let failed = try await exporter.start(World.everything, for: World.asker())
            #expect(try await exporter.end(of: failed.job).state == .failed)
            world.state.withLock { state in
                state.isRevoked = false
                // Held until the exporter's end cancels it.
                state.beforeChunk = { _ in try await Task.sleep(for: .seconds(60)) }
            }
            for number in 1...8 {
                _ = try await exporter.start(
                    StartExport(selection: ExportSelection(), destination: "trip \(number)"),
                    for: World.asker()
                )
            }
            let error = await #expect(throws: ErrorReply.self) {
                try await Self.control(.resume, failed.job, exporter)
            }
            #expect(error?.code == .tooManyRequests)
        }
    }

    @Test func `goes on without the pictures whose place may not be seen`() async throws {
        try await Self.with { world, exporter in
            world.state.withLock { state in
                state.beforeRead = { name in
                    guard name == "IMG.JPG" else { return }
                    var error = ErrorReply(.dismissed, "Nobody has decided about location read")
                    error.parameters = ["resource": "location", "access": "read"]
                    throw error
                }
            }
            let begun = try await exporter.start(World.everything, for: World.asker())
            let done = try await exporter.end(of: begun.job)
            #expect(done.state == .done && done.failed.count == 1 && done.copied == 1)
        }
    }

    @Test func `is followed to its end, whenever that comes`() async throws {
        try await Self.with { world, exporter in
            for number in 1...50 {
                let begun = try await exporter.start(
                    StartExport(selection: ExportSelection(assets: []), destination: "trip \(number)"),
                    for: World.asker()
                )
                #expect(try await exporter.end(of: begun.job).state == .done)
            }
        }
    }

    @Test func `that ended before its follower was told how it stood is over for the follower too`() async throws {
        var feed = ExportFeed()
        let running = ExportJob(job: "j", state: .running, destination: "/trip")
        var done = running
        done.state = .done
        let (number, states) = feed.follow("j") { _ in }
        feed.publish(done)
        feed.begin(number, with: running)
        feed.end()
        var heard: [ExportState] = []
        for await job in states { heard.append(job.state) }
        #expect(heard == [.done])
    }

    @Test func `that is not allowed leaves nothing behind`() async throws {
        try await Self.with { world, exporter in
            world.state.withLock { $0.isDenied = true }
            let error = await #expect(throws: ErrorReply.self) {
                try await exporter.start(World.everything, for: World.asker())
            }
            #expect(error?.code == .accessDenied)
            let kept = try await exporter.jobs(of: nil, id: nil)
            #expect(kept.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: world.folder + "/exports"))
        }
    }

    @Test(arguments: [PrivacyProfile.location, .all])
    func `with a profile copies what is left, and its manifest is of that`(privacy: PrivacyProfile) async throws {
        try await Self.with { world, exporter in
            world.add("place.jpg", "pi[place]xels", number: 3)
            world.add("stuck.jpg", "no!", number: 4)
            let request = StartExport(selection: ExportSelection(), destination: "trip", privacy: privacy)
            let done = try await exporter.end(of: try await exporter.start(request, for: World.asker()).job)
            #expect(done.state == .done && done.copied == 3 && done.redacted == 3)
            #expect(done.failed.map(\.reason) == ["It can not be cleaned: It has a part"])
            #expect(try world.isValid())
            let name = privacy == .all ? "photo-00000003.jpg" : "place.jpg"
            #expect(try Data(contentsOf: URL(filePath: world.bag() + "/data/" + name)) == Data("pixels".utf8))
            let info = try String(contentsOfFile: world.bag() + "/bag-info.txt", encoding: .utf8)
            #expect(info.contains("Obscura-Privacy-Profile: \(privacy.rawValue)"))
            // What is there is not copied again.
            let again = try await exporter.end(of: try await exporter.start(request, for: World.asker()).job)
            #expect(again.copied == 0 && again.skipped == 3)
            // One bag has one profile.
            let other = StartExport(selection: ExportSelection(), destination: "trip")
            let refused = try await exporter.end(of: try await exporter.start(other, for: World.asker()).job)
            #expect(refused.state == .failed && refused.error?.code == .destinationExists && refused.copied == 0)
            #expect(refused.error?.reason?.contains(privacy.rawValue) == true)
            #expect(try world.isValid())
        }
    }

    @Test(arguments: [PrivacyProfile.none, .all])
    func `names its files by a template that its job keeps, and tells nothing by it`(privacy: PrivacyProfile)
        async throws
    {
        try await Self.with { world, exporter in
            world.add("dated.jpg", "pixels", number: 3)
            world.state.withLock {
                $0.assets[2].date = AssetDate(raw: "", local: "2026-11-30T03:45:00")
                $0.assets[2].cameraModel = "Q3"
            }
            var request = StartExport(selection: ExportSelection(), destination: "trip", privacy: privacy)
            request.names = "{date:%Y/%m}/{camera}-{name}"
            let done = try await exporter.end(of: try await exporter.start(request, for: World.asker()).job)
            #expect(done.state == .done && done.copied == 3)
            let name = privacy == .all ? "unknown/unknown-photo-00000003.jpg" : "2026/11/Q3-dated.jpg"
            #expect(FileManager.default.fileExists(atPath: world.bag() + "/data/" + name))
            #expect(try world.isValid())
            let again = try await exporter.end(of: try await exporter.start(request, for: World.asker()).job)
            #expect(again.copied == 0 && again.skipped == 3)
        }
    }

    @Test func `with the profile all a name tells what the file is now, whatever its URL says`() async throws {
        try await Self.with { world, exporter in
            world.add("edited.jpg", "pi[place]xels", number: 3)
            world.state.withLock { $0.assets[2].uti = "public.png" }
            let request = StartExport(selection: ExportSelection(), destination: "trip", privacy: .all)
            let done = try await exporter.end(of: try await exporter.start(request, for: World.asker()).job)
            #expect(done.copied == 3)
            #expect(FileManager.default.fileExists(atPath: world.bag() + "/data/photo-00000003.png"))
        }
    }

    @Test func `takes the place out of what is hidden, and goes on so after a restart`() async throws {
        try await Self.with { world, exporter in
            world.add("place.jpg", "pi[place]xels", number: 3)
            world.state.withLock { $0.assets[2].sha256 = nil }
            let begun = try await exporter.start(World.everything, for: World.asker())
            let done = try await exporter.end(of: begun.job)
            #expect(done.copied == 3 && done.redacted == 1 && done.failed.isEmpty)
            #expect(try Data(contentsOf: URL(filePath: world.bag() + "/data/place.jpg")) == Data("pixels".utf8))
        }
    }

    @Test func `gives back its permission when it is over`() async throws {
        try await Self.with { world, exporter in
            let begun = try await exporter.start(World.everything, for: World.asker())
            _ = try await exporter.end(of: begun.job)
            await exporter.stop()
            #expect(world.state.withLock(\.ended) == 1)
            #expect(world.state.withLock(\.askers).count == 1)
        }
    }
}
