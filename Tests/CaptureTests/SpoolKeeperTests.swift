import Cameras
import Consent
import Foundation
import Logging
import Media
import MessageSchema
import Movies
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import CaptureService

/// A library that answers as the test says, by the keys it has seen.
private final class ScriptedLibrary: Sendable {
    private struct State {
        var refusals: [ErrorReply] = []
        var taken: Set<String> = []
        var keys: [String] = []
    }

    private let state = Mutex(State())
    private let (attempts, attempting) = AsyncStream<Void>.makeStream()

    init(refusing refusals: ErrorReply..., taken: Set<String> = []) {
        state.withLock {
            $0.refusals = refusals
            $0.taken = taken
        }
    }

    /// The keys of the attempts so far.
    var keys: [String] { state.withLock { $0.keys } }

    func save(_ note: Spool.Note, _ path: String) throws -> Asset {
        defer { attempting.yield() }
        return try state.withLock { state in
            state.keys.append(note.request.key)
            if !state.refusals.isEmpty { throw state.refusals.removeFirst() }
            if state.taken.contains(note.request.key) {
                throw ErrorReply(.idempotencyConflict, "The same key was used for another request")
            }
            return Asset(
                url: AssetURL(id: "00000000-0000-4000-8000-000000000001", fileExtension: "MOV"),
                kind: .video,
                uti: "com.apple.quicktime-movie",
                filename: note.filename,
                bytes: 1,
                sha256: nil,
                width: 128,
                height: 96,
                orientation: .up,
                state: .ok,
                representations: [],
                added: "2026-11-30T03:45:00Z"
            )
        }
    }

    /// Waits for so many attempts since the last wait.
    func attempted(_ count: Int) async {
        var iterator = attempts.makeAsyncIterator()
        for _ in 0..<count { _ = await iterator.next() }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct SpoolKeeperTests {
    private static let away = ErrorReply(.serviceUnavailable, "The library is away")

    private static func note(_ recording: String, _ request: RequestKey? = nil) -> Spool.Note {
        Spool.Note(
            recording: recording,
            filename: "MOV_1.MOV",
            delegation: Delegation(principal: .user(1000)),
            request: request
        )
    }

    /// Leaves a film, finished or not.
    private static func leave(_ note: Spool.Note, in spool: Spool, isFinished: Bool = true) async throws {
        try spool.write(note)
        let film = FilmWriter(path: spool.filmPath(note.recording))
        try await film.begin(Frames.raw(0, at: 1_000_000)) { _ in Frames.description }
        for index in 0..<4 { try await film.add(Frames.raw(index, at: 1_000_000 + Int64(index) * 500_000)) }
        if isFinished { _ = try await film.finish() }
    }

    private static func keeper(
        _ spool: Spool,
        left: [Spool.Note] = [],
        _ library: ScriptedLibrary,
        _ clock: ManualClock = ManualClock(),
        told: @escaping @Sendable (String?) -> Void = { _ in }
    ) -> SpoolKeeper {
        let log = Logger(service: "capture", sink: .discard)
        return SpoolKeeper(spool, left: left, log: log, clock: clock, told: told) { try library.save($0, $1) }
    }

    @Test func `how many films are kept here, and why, is told until none is`() async throws {
        try await withTemporaryDirectory { path in
            let spool = try Spool(path + "/spool")
            let library = ScriptedLibrary(
                refusing: ErrorReply(.serviceUnavailable, "The library is away", reason: "Nobody answers."),
                ErrorReply(.diskFull, "Disk full", reason: "9 bytes are needed."),
                ErrorReply(.invalidData, "No film", reason: "It is a photo.")
            )
            let told = Notes<String?>()
            let keeper = Self.keeper(spool, library) { told.add($0) }
            for name in ["aa", "bb", "cc"] {
                try await Self.leave(Self.note(name), in: spool)
                await #expect(throws: ErrorReply.self) { _ = try await keeper.deliver(Self.note(name)) }
            }
            for name in ["bb", "aa"] { _ = try await keeper.deliver(Self.note(name)) }
            let stuck = "1 film waits in the spool until the next start, or for a person: No film: It is a photo."
            let away = "1 film waits in the spool for the library: The library is away: Nobody answers"
            let full = "2 films wait in the spool for the library: Disk full: 9 bytes are needed"
            #expect(told.all == [away + ".", full + ".", "\(full); \(stuck)", "\(away); \(stuck)", stuck])
        }
    }

    @Test func `a film that the library can not take is tried again, later and later, until it has it`() async throws {
        try await withTemporaryDirectory { path in
            let spool = try Spool(path + "/spool")
            let library = ScriptedLibrary(
                refusing: Self.away,
                ErrorReply(.diskFull, "full"),
                Self.away,
                Self.away
            )
            let clock = ManualClock()
            let keeper = Self.keeper(spool, library, clock)
            let running = Task { await keeper.run() }
            try await Self.leave(Self.note("aa"), in: spool)
            await #expect(throws: ErrorReply.self) { _ = try await keeper.deliver(Self.note("aa")) }
            await library.attempted(2)
            for wait in [1, 2] {
                await clock.nextTimerScheduled()
                clock.advance(by: .seconds(wait) - .nanoseconds(1))
                #expect(clock.pendingTimers == 1)
                clock.advance(by: .nanoseconds(1))
                await library.attempted(1)
            }
            await clock.nextTimerScheduled()
            clock.advance(by: .seconds(4))
            await library.attempted(1)
            #expect(library.keys.count == 5)
            running.cancel()
            await running.value
            #expect(try spool.notes().isEmpty)
        }
    }

    @Test func `a film that found no room for its end is finished and delivered later`() async throws {
        try await withTemporaryDirectory { path in
            let spool = try Spool(path + "/spool")
            let library = ScriptedLibrary()
            let keeper = Self.keeper(spool, library)
            let running = Task { await keeper.run() }
            try await Self.leave(Self.note("aa"), in: spool, isFinished: false)
            await keeper.leave(Self.note("aa"))
            await library.attempted(1)
            running.cancel()
            await running.value
            #expect(try spool.notes().isEmpty)
        }
    }

    @Test func `what an earlier run left is delivered under its own request, and under a new one where that is taken`()
        async throws
    {
        try await withTemporaryDirectory { path in
            let spool = try Spool(path + "/spool")
            let request = RequestKey(key: "camera.record/k", requestHash: "00")
            let notes = [Self.note("aa", request), Self.note("bb")]
            for note in notes { try await Self.leave(note, in: spool) }
            let library = ScriptedLibrary(taken: [request.key])
            let keeper = Self.keeper(spool, left: notes, library)
            let running = Task { await keeper.run() }
            await library.attempted(3)
            running.cancel()
            await running.value
            #expect(library.keys == ["camera.record/k", "recording/aa", "recording/bb"])
            #expect(try spool.notes().isEmpty)
        }
    }

    @Test func `a request that is repeated gets the film that a crash left, and not another program's`() async throws {
        try await withTemporaryDirectory { path in
            let asked = CaptureSettings(camera: "back")
            let request = try RequestKey("camera.record", key: "k", asked: asked)
            let spool = try Spool(path + "/spool")
            try await Self.leave(Self.note("aa", request), in: spool)
            let library = ScriptedLibrary()
            let keeper = Self.keeper(spool, left: try spool.notes(), library)
            #expect(try await keeper.asset(for: request, of: .user(1001)) == nil)
            let other = try RequestKey("camera.record", key: "k", asked: CaptureSettings(camera: "front"))
            let conflict = await #expect(throws: ErrorReply.self) {
                _ = try await keeper.asset(for: other, of: .user(1000))
            }
            #expect(conflict?.code == .idempotencyConflict)
            #expect(try await keeper.asset(for: request, of: .user(1000)) != nil)
            #expect(library.keys == ["camera.record/k"])
            #expect(try await keeper.asset(for: request, of: .user(1000)) == nil)
            #expect(try spool.notes().isEmpty)
        }
    }

    @Test func `a film that the person refuses is discarded, and one that is refused for itself stays`() async throws {
        try await withTemporaryDirectory { path in
            let spool = try Spool(path + "/spool")
            let library = ScriptedLibrary(
                refusing: ErrorReply(.dataUnavailable, "no", cause: "accessDenied"),
                ErrorReply(.invalidData, "no film")
            )
            let keeper = Self.keeper(spool, library)
            for name in ["aa", "bb"] {
                try await Self.leave(Self.note(name), in: spool)
                await #expect(throws: ErrorReply.self) { _ = try await keeper.deliver(Self.note(name)) }
            }
            #expect(try spool.notes().map(\.recording) == ["bb"])
        }
    }

    @Test func `a key is one for each message, and bound to what is asked`() throws {
        let asked = CaptureSettings(camera: "back")
        let photo = try RequestKey("camera.photo", key: "k", asked: asked)
        #expect(photo.key == "camera.photo/k")
        #expect(try RequestKey("camera.photo", key: "k", asked: asked) == photo)
        #expect(try RequestKey("camera.record", key: "k", asked: asked) != photo)
        var other = asked
        other.flash = .on
        #expect(try RequestKey("camera.photo", key: "k", asked: other).requestHash != photo.requestHash)
    }
}
