import Foundation
import Media
import MessageSchema
import Sound
import TestSupport

@testable import CaptureService

/// A film of ten frames a second, with a pump of its own, that the test drives.
struct AudibleTake {
    let film: FilmWriter
    let path: String
    let microphone = ScriptedMicrophone()
    private let asked: AsyncStream<Void>
    private let asking: AsyncStream<Void>.Continuation

    init(_ folder: String, _ plan: FilmPlan) {
        (asked, asking) = AsyncStream.makeStream()
        path = folder + "/film"
        film = FilmWriter(path: path, plan: plan)
    }

    /// A pump whose check the test may wait for.
    func pump(
        check: @escaping @Sendable () throws -> Void = {},
        revoked: @escaping @Sendable () async -> (any Error)? = { nil }
    ) -> SoundPump {
        SoundPump(
            device: microphone,
            film: film,
            check: {
                asking.yield()
                try check()
            },
            revoked: revoked
        )
    }

    func begin(maximum: Int64 = .max) async throws {
        // The check of the opening.
        var checks = asked.makeAsyncIterator()
        _ = await checks.next()
        try await film.begin(Frames.raw(0, at: 1_000_000), maximum: maximum) { _ in Frames.description }
    }

    /// The film goes on, and the pump's check was asked of what was kept.
    func resume() async {
        var checks = asked.makeAsyncIterator()
        await film.resume()
        _ = await checks.next()
    }

    /// Frames and sound of some tenths of a second in which the film is paused.
    func keep(_ tenths: Range<Int>, isHeard: Bool = true) async throws {
        var checks = asked.makeAsyncIterator()
        for index in tenths {
            try await film.keep(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000))
            guard isHeard else { continue }
            await microphone.send(Tone.block(at: 1_000_000 + Int64(index) * 100_000))
            _ = await checks.next()
        }
    }

    /// No more frames; the pump hears of it with the next sound.
    func end() async {
        await film.endPictures()
        await microphone.send(Tone.block(at: 900_000_000))
    }

    /// Frames and sound of some tenths of a second, each of which reaches the film before the next is sent.
    func go(_ tenths: Range<Int>, isHeard: Bool = true) async throws {
        var checks = asked.makeAsyncIterator()
        for index in tenths {
            try await film.add(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000))
            await microphone.send(Tone.block(at: 1_000_000 + Int64(index) * 100_000))
            if isHeard { _ = await checks.next() }
        }
    }
}

/// What is asked of films with sound, and what is in them.
enum AudibleFilm {
    static func plan(_ container: FilmContainer, bytes: Int64? = nil, preRoll: Int64? = nil) -> FilmPlan {
        var plan = FilmPlan()
        plan.container = container
        plan.codec = .jpeg
        plan.maximumByteCount = bytes
        plan.preRoll = preRoll
        return plan
    }

    /// All that is heard, as FFmpeg decodes it.
    static func heard(_ path: String) throws -> [Int16] {
        let raw = path + ".raw"
        _ = try Tool.text("ffmpeg", ["-v", "error", "-y", "-i", path, "-map", "0:a", "-f", "s16le", raw])
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: raw)))
        return stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    static func durations(_ path: String) throws -> [Double] {
        try Tool.text("ffprobe", ["-v", "error", "-show_entries", "stream=duration", "-of", "csv=p=0", path])
            .split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }
    }
}
