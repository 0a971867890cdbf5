import Foundation
import Media
import MessageSchema
import Movies
import Sound
import TestSupport
import Testing

@testable import CaptureService

/// Films on a disk that fills up.
@Suite(.timeLimit(.minutes(2)))
struct FilmDiskTests {
    /// Bytes of a film's file.
    private static func size(_ path: String) -> Int64 {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0
    }

    /// A film on a disk that has room for so many bytes, and needs none beside.
    private static func film(_ path: String, room: Int64, _ plan: FilmPlan = FilmPlan()) -> FilmWriter {
        FilmWriter(path: path, plan: plan, reserve: DiskReserve(byteCount: 0) { room - Self.size(path) })
    }

    /// Films ten pictures a second until one does not fit.
    ///
    /// - Returns: Whether one did not.
    private static func fill(_ film: FilmWriter, _ count: Int) async throws -> Bool {
        try await film.begin(Frames.raw(0, at: 1_000_000)) { _ in Frames.description }
        for index in 0..<count {
            do {
                try await film.add(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000))
            } catch let error as MovieError {
                #expect(error.code == .noSpace)
                return true
            }
        }
        return false
    }

    @Test(arguments: [3, 60])
    func `a film of which nothing reached the disk has no frames, and says that there was no room`(count: Int)
        async throws
    {
        try await withTemporaryDirectory { folder in
            // Room for the film's head and its copy, and not for a second of pictures.
            let film = Self.film(folder + "/film", room: 5_000)
            let isRefused = try await Self.fill(film, count)
            #expect(isRefused == (count > 3))
            #expect(await film.frames > 0)
            let error = await #expect(throws: MovieError.self) { try await film.finish() }
            #expect(error?.code == .noSpace)
            #expect(await film.frames == 0)
            #expect(await film.dropped > 0)
            let room = try #require(await film.room)
            #expect(room.available == 5_000 && room.needed > 5_000 && room.reserved == 0)
        }
    }

    @Test func `a full disk is told with its numbers, and nothing else is`() async throws {
        try await withTemporaryDirectory { folder in
            let film = FilmWriter(path: folder + "/film", reserve: DiskReserve(byteCount: 1_000_000) { 900_000 })
            let isRefused = try await Self.fill(film, 60)
            let room = try #require(await film.room)
            #expect(isRefused && room.reserved == 1_000_000 && room.needed >= 1_000_000)
            #expect((900_000..<1_000_000).contains(room.available))
            let full = ErrorReply(capture: MovieError(.noSpace), camera: ScriptedCamera().camera).telling(room)
            #expect(full.code == .diskFull && full.parameters?["bytesNeeded"] == String(room.needed))
            #expect(full.parameters?["bytesAvailable"] == String(room.available))
            #expect(full.parameters?["bytesReserved"] == "1000000")
            #expect(full.reason?.contains("at least \(room.needed) bytes are needed") == true)
            let broken = ErrorReply(capture: MovieError(.inputOutput), camera: ScriptedCamera().camera)
            #expect(broken.telling(room) == broken && full.telling(nil) == full)
        }
    }

    @Test func `frames that did not fit at the end are none of the film's, and there is room for a copy of it`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let whole = FilmWriter(path: folder + "/whole")
            let isWhole = try await !Self.fill(whole, 25)
            #expect(isWhole)
            let size = try await whole.finish()
            #expect(await !whole.isCutShort)
            // The second that is left when the film ends does not fit.
            let film = Self.film(folder + "/film", room: size * 2 - 4_000)
            let isTaken = try await !Self.fill(film, 25)
            #expect(isTaken)
            let finished = try await film.finish()
            #expect(finished < size)
            let (frames, dropped) = (await film.frames, await film.dropped)
            #expect(await film.isCutShort)
            #expect(frames < 25 && frames + dropped == 25)
            let counted = try Tool.text(
                "ffprobe",
                [
                    "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
                    folder + "/film",
                ]
            )
            #expect(Int64(counted.prefix { $0.isNumber }) == frames)
            #expect(size * 2 - 4_000 - Self.size(folder + "/film") >= finished)
        }
    }
}
