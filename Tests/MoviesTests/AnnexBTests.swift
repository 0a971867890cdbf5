import Foundation
import Media
import Movies
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AnnexBTests {
    static let streams: [([UInt8], [[UInt8]])] = [
        ([], []),
        ([1, 2, 3, 4], []),
        ([0, 0, 1], []),
        ([0, 0, 1, 0x67], [[0x67]]),
        ([0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 2], [[0x67, 1], [0x68, 2]]),
        // Zeros before, between and after belong to no unit.
        ([0, 0, 0, 0, 0, 1, 0x67, 0, 0, 0, 0, 1, 0x68, 0, 0], [[0x67], [0x68]]),
        // Bytes before the first start code are none of a unit's.
        ([9, 9, 0, 0, 1, 0x65, 0, 0, 3, 1], [[0x65, 0, 0, 3, 1]]),
        ([0, 0, 1, 0, 0, 1, 0, 0, 1, 0x41], [[0x41]]),
        ([0, 0, 1, 0x41, 0, 1, 0, 0, 2, 7], [[0x41, 0, 1, 0, 0, 2, 7]]),
    ]

    @Test(arguments: streams)
    func `a stream is units after start codes`(bytes: [UInt8], units: [[UInt8]]) {
        #expect(AnnexB.units(of: bytes).map { Array(bytes[$0]) } == units)
        let again = AnnexB.stream(of: units)
        #expect(AnnexB.units(of: again).map { Array(again[$0]) } == units)
    }

    @Test func `a picture is a key with parameter sets, or one of neither`() throws {
        let units = Films.units(try Films.stream(6, keys: 3)).compactMap { H264AccessUnit(annexB: $0) }
        #expect(units.map(\.isKey) == [true, false, false, true, false, false])
        #expect(units.map { $0.configuration != nil } == [true, false, false, true, false, false])
        #expect(units.allSatisfy { !$0.isBidirectional && !$0.sample.isEmpty })
        #expect(units[0].configuration == units[3].configuration)
    }

    @Test func `pictures out of order are known by their kind`() throws {
        let stream = try Films.stream(12, keys: 12, options: ["-preset", "medium", "-bf", "2", "-b_strategy", "0"])
        let units = Films.units(stream).compactMap { H264AccessUnit(annexB: $0) }
        #expect(units.count == 12)
        #expect(units.contains { $0.isBidirectional })
        #expect(units[0].configuration?.parameters.isInOrder == false)
    }

    @Test(arguments: ["64x48", "322x242", "640x360", "1920x1080", "130x98"], ["baseline", "main", "high"])
    func `the size and profile in the parameter sets are what FFmpeg encoded`(size: String, profile: String) throws {
        let stream = try Films.stream(
            1,
            size: size,
            options: ["-bf", "0", "-preset", "veryfast", "-profile:v", profile]
        )
        let unit = try #require(H264AccessUnit(annexB: stream))
        let parameters = try #require(unit.configuration?.parameters)
        #expect("\(parameters.width)x\(parameters.height)" == size)
        #expect(parameters.profile == ["baseline": 66, "main": 77, "high": 100][profile])
        #expect(parameters.chromaFormat == 1 && parameters.lumaBitDepth == 8)
    }

    @Test func `the configuration record is byte for byte what FFmpeg writes`() throws {
        try Recording.withPath { path in
            let stream = try Films.stream(3, options: ["-bf", "0", "-preset", "veryfast", "-profile:v", "high"])
            try Data(stream).write(to: URL(filePath: path + ".h264"))
            let words = try Films.run("ffmpeg", ["-v", "error", "-i", path + ".h264", "-c", "copy", path]).words
            #expect(words == "")
            let movie = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let record = try #require(H264AccessUnit(annexB: stream)?.configuration?.record)
            let box = Array("avcC".utf8) + record
            #expect(String(decoding: movie, as: UTF8.self).contains("avcC"))
            #expect(
                movie.indices.dropLast(box.count).contains { movie[$0] == box[0] && movie[$0...].starts(with: box) }
            )
        }
    }

    @Test func `a record reads back, whatever sets are in it`() throws {
        let configuration = try #require(H264AccessUnit(annexB: try Films.stream(1))?.configuration)
        let read = try #require(H264Configuration.read(record: configuration.record))
        #expect(read.configuration == configuration)
        #expect(read.lengthByteCount == 4)
        for count in 0..<configuration.record.count - 4 {
            // Cut short it is nil, or lacks what comes last.
            let part = H264Configuration.read(record: Array(configuration.record.prefix(count)))
            #expect(part == nil || part?.configuration.record.count ?? 0 <= configuration.record.count)
        }
    }

    @Test func `a sample becomes the stream again that it was made of`() throws {
        for picture in Films.units(try Films.stream(4, keys: 2)) {
            let unit = try #require(H264AccessUnit(annexB: picture))
            let stream = try #require(
                H264AccessUnit.annexB(sample: unit.sample, lengthByteCount: 4, preceding: unit.configuration)
            )
            #expect(H264AccessUnit(annexB: stream) == unit)
        }
        #expect(H264AccessUnit.annexB(sample: [0, 0, 0, 9, 1], lengthByteCount: 4, preceding: nil) == nil)
        #expect(H264AccessUnit.annexB(sample: [0, 0, 0, 0], lengthByteCount: 4, preceding: nil) == nil)
        #expect(H264AccessUnit.annexB(sample: [], lengthByteCount: 4, preceding: nil) == nil)
    }

    @Test func `single bytes changed anywhere never trap`() throws {
        let stream = try Films.stream(2, keys: 1)
        for index in stream.indices.prefix(400) {
            for value: UInt8 in [0, 1, 3, 0x7F, 0x80, 0xFF] {
                var bytes = stream
                bytes[index] = value
                guard let unit = H264AccessUnit(annexB: bytes), let configuration = unit.configuration else { continue }
                #expect(H264Configuration.read(record: configuration.record)?.configuration == configuration)
            }
        }
    }
}
