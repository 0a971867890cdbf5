import Foundation
import Media
import Movies
import Testing

/// Sound for films: a tone of 440 Hz, as PCM made here, and as AAC made by FFmpeg.
enum Sounds {
    static let rate = 16_000
    /// Frames of sound for a frame of a film of ten a second.
    static let perFrame = rate / 10

    static func description(_ container: FilmContainer) throws -> MovieSound {
        let coding: MovieSound.Coding =
            container == .mov ? .pcm : .aac(configuration: try stream(frames: 1).configuration, priming: 1024)
        return try #require(MovieSound(rate: rate, channels: 1, coding: coding))
    }

    /// What is given to a film with each of its frames.
    static func packets(_ container: FilmContainer, frames count: Int) throws -> [[[UInt8]]] {
        guard container == .mp4 else { return (0..<count).map { [pcm(from: $0 * perFrame, count: perFrame)] } }
        var rest = try stream(frames: count).packets
        return (0..<count).map { index in
            let wanted = index == count - 1 ? rest.count : min(rest.count, 2)
            defer { rest.removeFirst(wanted) }
            return Array(rest.prefix(wanted))
        }
    }

    static func pcm(from first: Int, count: Int) -> [UInt8] {
        (first..<first + count).flatMap { index -> [UInt8] in
            let sample = Int16(8_000 * sin(2 * .pi * 440 * Double(index) / Double(rate)))
            return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
    }

    /// AAC without the headers of ADTS (ISO/IEC 14496-3, 1.A.2.2), and the configuration that these say.
    static func stream(frames count: Int) throws -> (packets: [[UInt8]], configuration: [UInt8]) {
        let length = String(Double(count) / 10)
        let made = try Films.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=\(rate):duration=\(length)"]
                + ["-c:a", "aac", "-f", "adts", "-"]
        )
        try #require(made.words == "")
        let bytes = made.output
        var packets: [[UInt8]] = []
        var configuration: [UInt8] = []
        var position = 0
        while position + 7 <= bytes.count {
            let head = bytes[position..<position + 7].map { Int($0) }
            try #require(head[0] == 0xFF && head[1] & 0xF0 == 0xF0)
            let size = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
            let skip = head[1] & 1 == 1 ? 7 : 9
            packets.append(Array(bytes[position + skip..<position + size]))
            let (profile, index, channels) = (head[2] >> 6, head[2] >> 2 & 15, (head[2] & 1) << 2 | head[3] >> 6)
            configuration = [UInt8((profile + 1) << 3 | index >> 1), UInt8((index & 1) << 7 | channels << 3)]
            position += size
        }
        return (packets, configuration)
    }

    /// What is heard in a film: all samples of its first track of sound, as FFmpeg decodes them.
    static func heard(_ path: String) throws -> [Int16] {
        let made = try Films.run("ffmpeg", ["-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-"])
        try #require(made.words == "")
        return stride(from: 0, to: made.output.count - 1, by: 2).map { index in
            Int16(bitPattern: UInt16(made.output[index]) | UInt16(made.output[index + 1]) << 8)
        }
    }

    /// Hertz of a tone, by how often it crosses zero.
    static func frequency(_ samples: ArraySlice<Int16>) -> Double {
        let crossings = zip(samples, samples.dropFirst()).filter { ($0 < 0) != ($1 < 0) }.count
        return Double(crossings) / 2 / (Double(samples.count) / Double(rate))
    }
}
