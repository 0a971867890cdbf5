import Foundation
import Media
import Movies
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MovieWriterTests {
    /// Bytes behind the `mdat` box of a finished film, whose head is where the placeholder was, behind `ftyp`.
    private static func endByteCount(of bytes: [UInt8]) -> Int64 {
        func number(_ start: Int, _ count: Int) -> Int64 {
            bytes[start..<start + count].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        let start = Int(number(0, 4))
        return Int64(bytes.count - start) - number(start + 8, 8)
    }

    @Test(.enabled(if: Recording.hasProbe))
    func `ffprobe counts every frame and reads real durations, rotation and tags`() throws {
        try Recording.withPath { path in
            var description = Recording.description
            description.location = Location(latitude: -33.856784, longitude: 151.215297, altitude: -5.5)
            var writer = try MovieWriter(description, file: try DescriptorMovieFile(creating: path))
            // 10 frames a second that slow down to 5 in the middle, as a camera in low light does.
            var time: Int64 = 5_000_000_000
            for (index, frame) in try Recording.frames(40).enumerated() {
                try writer.append(frame, at: time)
                time += index < 20 ? 100_000 : 200_000
            }
            let summary = try writer.finish()
            #expect(summary.frames == 40)
            #expect(summary.durationMicroseconds == 6_000_000)
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
            #expect(summary.byteCount == size)

            let values = try Recording.probe(path)
            #expect(values["streams_stream_0_nb_read_frames"] == "40")
            #expect(values["streams_stream_0_nb_frames"] == "40")
            #expect(values["streams_stream_0_codec_name"] == "mjpeg")
            #expect(values["streams_stream_0_codec_tag_string"] == "jpeg")
            #expect(values["format_duration"] == "6.000000")
            #expect(values["streams_stream_0_side_data_list_side_data_0_rotation"] == "-90")
            #expect(values["format_tags_com_apple_quicktime_creationdate"] == "2026-11-30T03:45:00+0200")
            #expect(values["format_tags_com_apple_quicktime_make"] == "Obscura")
            #expect(values["format_tags_com_apple_quicktime_model"] == "Pattern camera, back")
            #expect(values["format_tags_com_apple_quicktime_location_ISO6709"] == "-33.856784+151.215297-005.500/")
            #expect(values["format_tags_creation_time"] == "2026-11-30T01:45:00.000000Z")
        }
    }

    @Test(.enabled(if: Recording.hasProbe))
    func `before it is finished, a film plays up to its last fragment`() throws {
        try Recording.withPath { path in
            var writer = try MovieWriter(Recording.description, file: try DescriptorMovieFile(creating: path))
            for (index, frame) in try Recording.frames(35).enumerated() {
                try writer.append(frame, at: Int64(index) * 100_000)
            }
            let values = try Recording.probe(path)
            #expect(values["streams_stream_0_nb_read_frames"] == "30")
            #expect(values["format_tags_com_apple_quicktime_make"] == "Obscura")
        }
    }

    @Test func `no location is written unless it is given`() throws {
        let bytes = try MovieWriter(Recording.description, file: MemoryMovieFile()).file.bytes
        #expect(!String(decoding: bytes, as: UTF8.self).contains("ISO6709"))
    }

    @Test func `each fragment is durable before the next frame is taken`() throws {
        var writer = try MovieWriter(Recording.description, file: MemoryMovieFile())
        for (index, frame) in Recording.tinyFrames(100).enumerated() {
            try writer.append(frame, at: Int64(index) * 50_000)
            #expect(writer.file.durableByteCount == writer.file.bytes.count)
        }
    }

    @Test func `a frame whose end is said is durable before the next one comes`() throws {
        var writer = try MovieWriter(Recording.description, file: MemoryMovieFile(), fragmentMicroseconds: 1)
        let frames = Recording.tinyFrames(4)
        for (index, frame) in frames.enumerated() {
            try writer.append(frame, at: Int64(index) * 33_333)
            if index == 3 { break }
            #expect(throws: MovieError.self) { try writer.endFrame(at: Int64(index) * 33_333) }
            try writer.endFrame(at: Int64(index + 1) * 33_333)
            // There is nothing to end any more, and none may begin before that end.
            try writer.endFrame(at: 0)
            #expect(throws: MovieError.self) { try writer.append(frame, at: Int64(index) * 33_333) }
            var left = MemoryMovieFile(writer.file.bytes)
            guard case .recovered(let found) = try MovieRecovery.recover(&left) else {
                throw MovieError(.nothingToRecover)
            }
            #expect(found.frames == index + 1)
        }
        let summary = try writer.finish()
        #expect(summary.frames == 4 && abs(summary.durationMicroseconds - 133_333) < 20)
        #expect(throws: MovieError.self) { try writer.endFrame(at: 1_000_000) }
    }

    @Test func `a film whose frames have all ended is finished with the last of them`() throws {
        var writer = try MovieWriter(Recording.description, file: MemoryMovieFile())
        for (index, frame) in Recording.tinyFrames(3).enumerated() {
            try writer.append(frame, at: Int64(index) * 50_000)
            try writer.endFrame(at: Int64(index + 1) * 50_000)
        }
        let summary = try writer.finish(within: 100_000)
        #expect(summary.frames == 3 && summary.durationMicroseconds == 150_000)
    }

    @Test func `a frame that is not later is refused and changes nothing`() throws {
        var writer = try MovieWriter(Recording.description, file: MemoryMovieFile())
        let frames = Recording.tinyFrames(3)
        try writer.append(frames[0], at: 1000)
        let error = #expect(throws: MovieError.self) { try writer.append(frames[1], at: 1000) }
        #expect(error?.code == .timeWentBack)
        try writer.append(frames[2], at: 34_333)
        #expect(try writer.finish().frames == 2)
    }

    @Test func `a film without frames can not be finished, and none twice`() throws {
        var empty = try MovieWriter(Recording.description, file: MemoryMovieFile())
        #expect(throws: MovieError.self) { try empty.finish() }
        var writer = try MovieWriter(Recording.description, file: MemoryMovieFile())
        try writer.append(Recording.tinyFrames(1)[0], at: 0)
        #expect(try writer.finish().frames == 1)
        #expect(throws: MovieError(.closed)) { try writer.finish() }
    }

    @Test func `when the disk fills up, what fitted is finished`() throws {
        var file = MemoryMovieFile()
        // Operations: write and sync of the head, then two for each fragment.
        file.failing = (7, .noSpace)
        var writer = try MovieWriter(Recording.description, file: file)
        var accepted = 0
        var failure: MovieError?
        for (index, frame) in Recording.tinyFrames(60).enumerated() {
            do throws(MovieError) {
                try writer.append(frame, at: Int64(index) * 100_000)
                accepted += 1
            } catch {
                failure = failure ?? error
            }
        }
        #expect(failure?.code == .noSpace)
        #expect(accepted == 30)
        #expect(try writer.finish().frames == 20)
        var finished = writer.file
        #expect(try MovieRecovery.recover(&finished) == .complete)
    }

    @Test(arguments: 1...16)
    func `whatever operation fails, the film is finished or can be recovered up to the last sync`(operation: Int) throws
    {
        var file = MemoryMovieFile()
        file.failing = (operation, .inputOutput)
        guard var writer = try? MovieWriter(Recording.description, file: file) else {
            #expect(operation <= 2)
            return
        }
        var isFailed = false
        for (index, frame) in Recording.tinyFrames(45).enumerated() where !isFailed {
            isFailed = (try? writer.append(frame, at: Int64(index) * 100_000)) == nil
        }
        let summary = try? writer.finish()
        var left = writer.file
        left.failing = nil
        let whole = (min(operation, 11) - 3) / 2 * 10
        if summary == nil, whole == 0, (try? MovieRecovery.recover(&left)) == nil { return }
        var recovered = writer.file
        recovered.failing = nil
        switch try MovieRecovery.recover(&recovered) {
        case .complete: #expect(summary != nil || operation == 16)
        case .recovered(let film): #expect(film.frames >= whole)
        }
        #expect(try MovieRecovery.recover(&recovered) == .complete)
    }

    @Test func `a file keeps free what it is told to, until the movie ends`() throws {
        try Recording.withPath { path in
            var file = try DescriptorMovieFile(creating: path, reserve: DiskReserve(byteCount: 1 << 60))
            var refusal: MovieError?
            do throws(MovieError) {
                try file.write([[1]], at: 0)
            } catch {
                refusal = error
            }
            #expect(refusal?.code == .noSpace)
            let before = try file.byteCount()
            #expect(before == 0)
            file.useReserve()
            try file.write([[1]], at: 0)
            let after = try file.byteCount()
            #expect(after == 1)
        }
    }

    @Test(arguments: [1, 9, 10, 200])
    func `a file is told of room for its end, which is never larger`(count: Int) throws {
        var writer = try MovieWriter(Recording.description, file: MemoryMovieFile())
        // Each is shown for another time: no two have an entry of the index in common.
        for (index, frame) in Recording.tinyFrames(count).enumerated() {
            try writer.append(frame, at: Int64(index) * 100_000 + Int64(index % 7 * index))
        }
        let size = try writer.finish().byteCount
        let file = writer.file
        let end = Self.endByteCount(of: file.bytes)
        #expect(size == Int64(file.bytes.count))
        #expect(file.endByteCount >= end)
        #expect(file.endByteCount <= end * 3 + 1000)
    }

    @Test func `on a disk that fills up a film ends while there is room for its index, and for a copy with it`() throws
    {
        try Recording.withPath { path in
            let disk: Int64 = 60_000
            let size = { @Sendable in
                (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0
            }
            let reserve = DiskReserve(byteCount: 0) { disk - size() }
            var writer = try MovieWriter(
                Recording.description,
                file: try DescriptorMovieFile(creating: path, reserve: reserve),
                fragmentMicroseconds: 500_000
            )
            var index: Int64 = 0
            var failure: MovieError?
            while failure == nil, index < 20_000 {
                do throws(MovieError) {
                    // Pictures that are smaller than what the index says of them.
                    try writer.append([1], at: index * 100_000 + index % 7 * index)
                } catch {
                    failure = error
                }
                index += 1
            }
            #expect(failure?.code == .noSpace)
            let whole = try writer.finish().byteCount
            #expect(whole == size())
            #expect(disk - whole >= whole, "no room for a copy")
            // Not long before it has to.
            #expect(whole > disk / 4)
        }
    }

    @Test func `a film of which nothing fits is full, and one that has nothing is none`() throws {
        for isFinishing in [true, false] {
            var file = MemoryMovieFile()
            file.failing = (3, .noSpace)
            var writer = try MovieWriter(Recording.description, file: file)
            for (index, frame) in Recording.tinyFrames(isFinishing ? 3 : 30).enumerated() {
                // The rest is refused.
                try? writer.append(frame, at: Int64(index) * 100_000)
            }
            let durable = writer.durableFrameCount
            #expect(durable == 0)
            let error = #expect(throws: MovieError.self) { try writer.finish() }
            #expect(error?.code == .noSpace)
            let duration = writer.durationIfFinished()
            #expect(duration == 0)
        }
    }
}
