import Movies
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct MovieRecoveryTests {
    /// Writes a film of ten frames a second in fragments of half a second until the process is "killed".
    private static func film(
        frames: Int,
        killedAfter limit: Int,
        finishing: Bool,
        hasSound: Bool = false
    ) throws -> MemoryMovieFile {
        var file = MemoryMovieFile()
        file.writtenLimit = limit
        var description = Recording.description
        if hasSound { description.sound = MovieSound(rate: 1_000, channels: 2, coding: .pcm) }
        var writer = try MovieWriter(description, file: file, fragmentMicroseconds: 500_000)
        for (index, frame) in Recording.tinyFrames(frames).enumerated() {
            try writer.append(frame, at: Int64(index) * 100_000)
            if hasSound { try writer.append(sound: [[UInt8](repeating: 7, count: 400)]) }
        }
        if finishing { _ = try writer.finish() }
        var left = writer.file
        left.writtenLimit = .max
        return left
    }

    @Test(arguments: [false, true])
    func `killed at any byte, a film keeps every whole frame and becomes an ordinary movie`(hasSound: Bool) throws {
        let whole = try Self.film(frames: 13, killedAfter: .max, finishing: true, hasSound: hasSound)
        var lastFrames = 0
        var reachedComplete = false
        for limit in TestExtent.indices(0...whole.written, every: 23) {
            var file = try Self.film(frames: 13, killedAfter: limit, finishing: true, hasSound: hasSound)
            let before = file.bytes.count
            do throws(MovieError) {
                switch try MovieRecovery.recover(&file) {
                case .complete:
                    #expect(file.bytes == whole.bytes)
                    reachedComplete = true
                case .recovered(let film):
                    #expect(!reachedComplete)
                    #expect(film.frames >= lastFrames)
                    #expect(film.durationMicroseconds == Int64(film.frames) * 100_000)
                    #expect(film.lostByteCount <= Int64(before))
                    lastFrames = film.frames
                    #expect(try MovieRecovery.recover(&file) == .complete)
                }
            } catch {
                #expect(error.code == .nothingToRecover)
                #expect(lastFrames == 0)
            }
        }
        #expect(lastFrames == 13)
        #expect(reachedComplete)
    }

    @Test(arguments: [false, true])
    func `killed at any byte of its recovery, a film can be recovered again`(hasSound: Bool) throws {
        let left = try Self.film(frames: 12, killedAfter: .max, finishing: false, hasSound: hasSound)
        var counted = left
        _ = try MovieRecovery.recover(&counted)
        let needed = counted.written - left.written
        #expect(needed > 0)
        for limit in TestExtent.indices(0...needed, every: 5) {
            var file = left
            file.writtenLimit = left.written + limit
            _ = try MovieRecovery.recover(&file)
            file.writtenLimit = .max
            let again = try MovieRecovery.recover(&file)
            if case .recovered(let film) = again { #expect(film.frames == 10) }
            #expect(file.bytes == counted.bytes)
        }
    }

    @Test func `a tail of zeros, as a power cut leaves it, is cut off and told`() throws {
        var file = try Self.film(frames: 12, killedAfter: .max, finishing: false)
        let sound = file.bytes.count
        try file.truncate(to: Int64(sound + 5000))
        guard case .recovered(let film) = try MovieRecovery.recover(&file) else {
            Issue.record("The film was not recovered.")
            return
        }
        #expect(film.frames == 10)
        #expect(film.lostByteCount == 5000)
        #expect(film.lostFrames == 0)
    }

    @Test func `frames whose bytes never reached the disk are not passed off as frames`() throws {
        var file = try Self.film(frames: 12, killedAfter: .max, finishing: false)
        // The last fragment's index is there, its last frames are zeros.
        for index in file.bytes.count - 8..<file.bytes.count { file.bytes[index] = 0 }
        guard case .recovered(let film) = try MovieRecovery.recover(&file) else {
            Issue.record("The film was not recovered.")
            return
        }
        #expect(film.frames == 8)
        #expect(film.lostFrames == 2)
        #expect(film.lostByteCount > 0)
    }

    @Test func `what is no film of ours is left as it is`() throws {
        for bytes in [[], Array("hello".utf8), [UInt8](repeating: 0, count: 1000)] as [[UInt8]] {
            var file = MemoryMovieFile(bytes)
            #expect(throws: MovieError(.nothingToRecover)) { try MovieRecovery.recover(&file) }
            #expect(file.bytes == bytes)
        }
    }

    @Test func `single bytes changed anywhere never trap`() throws {
        let left = try Self.film(frames: 7, killedAfter: .max, finishing: false)
        for index in TestExtent.indices(0...left.bytes.count - 1, every: 5) {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var file = left
                file.bytes[index] = value
                _ = try? MovieRecovery.recover(&file)
            }
        }
    }
}
