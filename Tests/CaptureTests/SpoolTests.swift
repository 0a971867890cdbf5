import Cameras
import Consent
import Foundation
import Media
import MessageSchema
import Movies
import TestSupport
import Testing
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct SpoolTests {
    private static func note(_ recording: String) -> Spool.Note {
        Spool.Note(
            recording: recording,
            filename: "MOV_20261130_034500.MOV",
            delegation: Delegation(principal: .user(1000), label: "booth", grant: "g-1")
        )
    }

    /// Begins a film and leaves it as a kill would.
    private static func leave(_ recording: String, frames: Int, in spool: Spool) async throws {
        try spool.write(note(recording))
        let film = FilmWriter(path: spool.filmPath(recording))
        if frames > 0 { try await film.begin(Frames.raw(0, at: 1_000_000)) { _ in Frames.description } }
        for index in 0..<frames {
            try await film.add(Frames.raw(index, at: 1_000_000 + Int64(index) * 500_000))
        }
    }

    @Test func `a film that a crash left behind is found with its owner, and finished`() async throws {
        try await withTemporaryDirectory { path in
            try await Self.leave("aa", frames: 6, in: Spool(path + "/capture/spool"))
            let spool = try Spool(path + "/capture/spool")
            let notes = try spool.notes()
            #expect(notes == [Self.note("aa")])
            guard case .recovered(let film) = try spool.recover("aa") else {
                Issue.record("The film was complete already.")
                return
            }
            // The newest frame was in memory, and those of the fragment that was not full.
            #expect(film.frames == 4)
            #expect(try spool.recover("aa") == .complete)
            try spool.remove("aa")
            #expect(try spool.notes().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/capture/spool").isEmpty)
        }
    }

    @Test func `notes that can not be read, and other files, are left alone`() async throws {
        try await withTemporaryDirectory { path in
            let spool = try Spool(path + "/spool")
            try await Self.leave("aa", frames: 3, in: spool)
            let files = FileManager.default
            for name in ["bb.json", "bb.mov", "cc.mov", "notes.txt"] {
                #expect(files.createFile(atPath: path + "/spool/" + name, contents: Data("{not json".utf8)))
            }
            #expect(try spool.notes().map(\.recording) == ["aa"])
            #expect(try files.contentsOfDirectory(atPath: path + "/spool").count == 6)
        }
    }

    @Test func `what a crash left before the first frame is nothing to recover`() async throws {
        try await withTemporaryDirectory { path in
            let spool = try Spool(path + "/spool")
            try await Self.leave("aa", frames: 0, in: spool)
            try await Self.leave("bb", frames: 1, in: spool)
            #expect(try spool.notes().map(\.recording) == ["aa", "bb"])
            for recording in ["aa", "bb"] {
                let error = #expect(throws: MovieError.self) { try spool.recover(recording) }
                #expect(error?.code == .nothingToRecover)
            }
        }
    }

    @Test func `a spool that can not be made is an error and no crash`() {
        #expect(throws: (any Error).self) { try Spool("/proc/no/such/place") }
    }

    @Test func `a spool is one process's own until it is done with it`() async throws {
        try await withTemporaryDirectory { path in
            do {
                let spool = try Spool(path + "/spool")
                let error = #expect(throws: ErrorReply.self) { _ = try Spool(path + "/spool") }
                #expect(error?.code == .alreadyRunning)
                #expect(error?.reason?.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
                _ = try spool.notes()
            }
            _ = try Spool(path + "/spool")
        }
    }
}
