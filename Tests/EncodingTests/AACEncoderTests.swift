import Encoding
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AACEncoderTests {
    private static func tone(_ frequency: Double, rate: Int, channels: Int, frames: Int) -> [Int16] {
        (0..<frames).flatMap { index -> [Int16] in
            let sample = Int16(8_000 * sin(2 * .pi * frequency * Double(index) / Double(rate)))
            return [Int16](repeating: sample, count: channels)
        }
    }

    /// FFmpeg's samples of packets, with headers of ADTS (ISO/IEC 14496-3, 1.A.2.2) made from the configuration.
    private static func decoded(_ packets: [[UInt8]], _ configuration: [UInt8]) throws -> [Int16] {
        let object = Int(configuration[0]) >> 3
        let index = (Int(configuration[0]) & 7) << 1 | Int(configuration[1]) >> 7
        let channels = Int(configuration[1]) >> 3 & 15
        var stream: [UInt8] = []
        for packet in packets {
            let size = packet.count + 7
            stream += [
                0xFF, 0xF1, UInt8((object - 1) << 6 | index << 2 | channels >> 2),
                UInt8((channels & 3) << 6 | size >> 11), UInt8(size >> 3 & 0xFF), UInt8((size & 7) << 5 | 0x1F), 0xFC,
            ]
            stream += packet
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "obscura-\(UUID().uuidString).aac")
        try Data(stream).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = ["-v", "error", "-i", path.path, "-f", "s16le", "-"]
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    @Test(arguments: [(48_000, 1), (48_000, 2), (44_100, 2), (16_000, 1), (8_000, 1)])
    func `what goes in comes out after the priming, in packets that are no larger than is promised`(
        rate: Int,
        channels: Int
    ) throws {
        let frames = rate * 2 + 333
        let samples = Self.tone(440, rate: rate, channels: channels, frames: frames)
        var encoder = try AACEncoder(rate: rate, channels: channels)
        let foreseen = encoder.packetCount(adding: frames)
        var packets: [[UInt8]] = []
        // In pieces that are no whole packets.
        var position = 0
        while position < samples.count {
            let piece = Array(samples[position...].prefix(960 * channels))
            packets += try encoder.encode(piece)
            position += piece.count
        }
        packets += try encoder.finish()
        #expect(packets.count <= foreseen && packets.count >= foreseen - 2)
        #expect(packets.allSatisfy { $0.count <= AACEncoder.mostByteCountOfChannel * channels && $0.last != 0 })
        let heard = try Self.decoded(packets, encoder.configuration)
        #expect(encoder.priming == 1024)
        #expect(heard.count / channels >= frames)
        let first = stride(from: 0, to: heard.count, by: channels).map { heard[$0] }
        let middle = first[(rate / 2)..<(rate * 3 / 2)]
        let crossings = zip(middle, middle.dropFirst()).filter { ($0 < 0) != ($1 < 0) }.count
        #expect(abs(Double(crossings) / 2 - 440) < 2)
    }

    @Test func `packets of silence do not end in zeros either`() throws {
        var encoder = try AACEncoder(rate: 48_000, channels: 1)
        let packets = try encoder.encode([Int16](repeating: 0, count: 48_000)) + encoder.finish()
        #expect(packets.count > 40)
        #expect(packets.allSatisfy { $0.last != 0 })
    }

    @Test(arguments: [(7_000, 1), (200_000, 1), (48_000, 3), (48_000, 0)])
    func `what AAC does not have is refused`(rate: Int, channels: Int) {
        #expect(throws: EncodingError(.codec)) { _ = try AACEncoder(rate: rate, channels: channels) }
    }
}
