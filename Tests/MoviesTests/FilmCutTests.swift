import Foundation
import Media
import Movies
import TestSupport
import Testing

/// A film cut at every boundary of its boxes, as a crash or a power cut leaves it; ffprobe and FFmpeg are the judges.
@Suite(.timeLimit(.minutes(8)), .enabled(if: Recording.hasProbe))
struct FilmCutTests {
    private static let count = 13
    /// Boxes that have boxes in them.
    private static let parents: [FourCharacterCode] = [
        "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf",
    ]

    @Test(arguments: Films.kinds + Films.audible)
    func `cut at any boundary or a byte beside it, it keeps every whole fragment and is an ordinary film again`(
        kind: Films.Kind
    ) throws {
        let whole = try Films.written(kind, frames: Self.count, finishing: true)
        // The placeholder is changed by the last write alone: a cut file has it as it was.
        let unfinished = try Films.written(kind, frames: Self.count, finishing: false)
        let running = Array(unfinished.prefix(64)) + whole.dropFirst(64)
        let fragments = Self.fragments(of: unfinished)
        #expect(fragments.map(\.frames) == [5, 5])
        let cuts = Set(Self.boundaries(of: running).flatMap { [$0 - 1, $0, $0 + 1] }).filter { 0...running.count ~= $0 }
        #expect(cuts.count > 60)
        var seen: [[UInt8]: Int] = [:]
        for cut in cuts.sorted() {
            for tail in [0, 777] {
                var file = MemoryMovieFile(Array(running.prefix(cut)) + [UInt8](repeating: 0, count: tail))
                let least = fragments.filter { $0.end <= cut }.reduce(0) { $0 + $1.frames }
                do throws(MovieError) {
                    guard case .recovered(let film) = try MovieRecovery.recover(&file) else {
                        Issue.record("A film that was cut at \(cut) passes for a whole one.")
                        continue
                    }
                    #expect(film.frames >= least)
                    #expect(film.durationMicroseconds == Int64(film.frames) * 100_000)
                    seen[file.bytes] = film.frames
                    #expect(try MovieRecovery.recover(&file) == .complete)
                } catch {
                    #expect(error.code == .nothingToRecover)
                    #expect(least == 0)
                }
            }
        }
        // Many cuts end in the same film; each film is shown to the judges once.
        #expect(seen.values.max() == Self.count)
        for (bytes, frames) in seen {
            try Recording.withPath { path in
                try Data(bytes).write(to: URL(filePath: path))
                let values = try Recording.probe(path)
                #expect(values["streams_stream_0_nb_read_frames"] == "\(frames)")
                #expect(try Films.complaints(path) == "")
                guard kind.hasSound else { return }
                // Sound comes after the frames of its fragment, so that it is shorter by no more than these five.
                let picture = try #require(values["streams_stream_0_duration"].flatMap { Double($0) })
                let sound = values["streams_stream_1_duration"].flatMap { Double($0) } ?? 0
                #expect(sound > picture - 0.6 && sound < picture + 0.3)
            }
        }
    }

    @Test(arguments: Films.kinds + Films.audible)
    func `cut between fragments, or with zeros after them, it plays before anybody recovers it`(kind: Films.Kind) throws
    {
        let bytes = try Films.written(kind, frames: Self.count, finishing: false)
        var frames = 0
        for fragment in Self.fragments(of: bytes) {
            frames += fragment.frames
            for tail in [[], [UInt8](repeating: 0, count: 4096)] {
                try Recording.withPath { path in
                    try Data(bytes.prefix(fragment.end) + tail).write(to: URL(filePath: path))
                    #expect(try Recording.probe(path)["streams_stream_0_nb_read_frames"] == "\(frames)")
                }
            }
        }
        #expect(frames == 10)
    }

    @Test(arguments: FilmContainer.allCases)
    func `pictures of H.264 whose bytes never reached the disk are not passed off as pictures`(container: FilmContainer)
        throws
    {
        let kind = Films.Kind(container: container, codec: .h264)
        let bytes = try Films.written(kind, frames: 12, finishing: false)
        let (_, frames) = try Films.film(kind, frames: 12)
        let last = frames[9].bytes.count
        for zeros in [1, 3, last - 1, last, last + 1] {
            var file = MemoryMovieFile(Array(bytes.dropLast(zeros)) + [UInt8](repeating: 0, count: zeros))
            guard case .recovered(let film) = try MovieRecovery.recover(&file) else {
                Issue.record("The film was not recovered.")
                return
            }
            #expect(film.frames == (zeros > last ? 8 : 9))
            #expect(film.lostFrames == (zeros > last ? 2 : 1))
        }
    }

    @Test(arguments: Films.kinds + Films.audible)
    func `single bytes changed anywhere never trap`(kind: Films.Kind) throws {
        let left = try Films.written(kind, frames: 7, finishing: false)
        // The head, and the head of the first fragment.
        for index in TestExtent.indices(0...min(kind.hasSound ? 1_500 : 900, left.count - 1), every: 19) {
            for value: UInt8 in [0, 0xFF] {
                var file = MemoryMovieFile(left)
                file.bytes[index] = value
                _ = try? MovieRecovery.recover(&file)
            }
        }
    }

    /// Where every box begins and ends, those in others too.
    private static func boundaries(of bytes: [UInt8]) -> [Int] {
        func walk(_ range: Range<Int>) -> [Int] {
            BoxHeader.children(of: bytes[range]).flatMap { box in
                let start = range.lowerBound + Int(box.start)
                let inner = range.lowerBound + Int(box.payloadStart)..<range.lowerBound + Int(box.end)
                return [start, inner.upperBound] + (parents.contains(box.name) ? walk(inner) : [])
            }
        }
        return walk(0..<bytes.count)
    }

    /// Where each pair of `moof` and `mdat` ends, and its frames.
    private static func fragments(of bytes: [UInt8]) -> [(end: Int, frames: Int)] {
        let boxes = BoxHeader.children(of: bytes[...])
        return zip(boxes, boxes.dropFirst()).filter { $0.0.name == "moof" }.map { moof, data in
            let place = Int(moof.payloadStart) + 72
            return (Int(data.end), bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) })
        }
    }
}
