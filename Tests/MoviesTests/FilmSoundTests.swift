import Foundation
import Media
import Movies
import Testing

/// Films with a second track; ffprobe and FFmpeg are the judges.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Recording.hasProbe))
struct FilmSoundTests {
    @Test(arguments: Films.audible)
    func `ffprobe knows both tracks, which are as long as each other, and FFmpeg hears what was given`(
        kind: Films.Kind
    ) throws {
        try Recording.withPath { path in
            try Data(Films.written(kind, frames: 32, finishing: true)).write(to: URL(filePath: path))
            let values = try Recording.probe(path)
            #expect(values["format_nb_streams"] == "2")
            #expect(values["streams_stream_0_nb_read_frames"] == "32")
            #expect(values["streams_stream_1_codec_type"] == "audio")
            #expect(values["streams_stream_1_codec_name"] == (kind.container == .mov ? "pcm_s16le" : "aac"))
            #expect(values["streams_stream_1_codec_tag_string"] == (kind.container == .mov ? "sowt" : "mp4a"))
            #expect(values["streams_stream_1_sample_rate"] == "16000" && values["streams_stream_1_channels"] == "1")
            let picture = try #require(values["streams_stream_0_duration"].flatMap { Double($0) })
            let sound = try #require(values["streams_stream_1_duration"].flatMap { Double($0) })
            #expect(picture == 3.2 && abs(sound - picture) < 0.1)
            #expect(values["format_duration"] == "3.200000")
            #expect(try Films.complaints(path) == "")

            let heard = try Sounds.heard(path)
            #expect(abs(heard.count - 32 * Sounds.perFrame) <= 1024)
            #expect(abs(Sounds.frequency(heard[8_000..<40_000]) - 440) < 1)
            if kind.container == .mov {
                let given = Sounds.pcm(from: 0, count: 32 * Sounds.perFrame)
                #expect(heard.count * 2 == given.count)
                let bytes = heard.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
                #expect(bytes == given)
            } else {
                // The encoder's own silence is not heard: the tone is there from the first samples on.
                #expect(heard.prefix(200).contains { abs(Int($0)) > 1_000 })
            }
        }
    }

    @Test(arguments: Films.audible)
    func `before it is finished, both tracks play up to the last fragment`(kind: Films.Kind) throws {
        try Recording.withPath { path in
            try Data(Films.written(kind, frames: 13, finishing: false)).write(to: URL(filePath: path))
            #expect(try Recording.probe(path)["streams_stream_0_nb_read_frames"] == "10")
            #expect(try Films.complaints(path) == "")
            let heard = try Sounds.heard(path)
            #expect(heard.count > 8 * Sounds.perFrame && heard.count <= 13 * Sounds.perFrame)
            #expect(abs(Sounds.frequency(heard[1_600..<11_200]) - 440) < 5)
        }
    }

    @Test(arguments: Films.audible)
    func `the size that is foreseen is that of the film at most, also with sound that is still to come`(
        kind: Films.Kind
    ) throws {
        let (description, frames) = try Films.film(kind, frames: 30)
        let sounds = try Sounds.packets(kind.container, frames: 30)
        for count in [1, 2, 3, 9, 10, 11, 12, 29, 30] {
            var writer = try MovieWriter(description, file: MemoryMovieFile())
            for index in 0..<count - 1 {
                try writer.append(frames[index].bytes, at: Int64(index) * 100_000, isKey: frames[index].isKey)
                try writer.append(sound: sounds[index])
            }
            let last = sounds[count - 1]
            let isPCM = kind.container == .mov
            let foreseen = writer.byteCount(
                adding: frames[count - 1].bytes.count,
                soundSamples: isPCM ? Sounds.perFrame : last.count,
                ofAtMost: isPCM ? 2 : 768
            )
            try writer.append(frames[count - 1].bytes, at: Int64(count - 1) * 100_000, isKey: frames[count - 1].isKey)
            try writer.append(sound: last)
            let size = try writer.finish().byteCount
            #expect(size <= foreseen)
            #expect(foreseen - size < 4_000 + (isPCM ? 0 : Int64(last.count) * 768))
        }
    }

    @Test(arguments: FilmContainer.allCases)
    func `sound that is none of the film's kind is refused and changes nothing`(container: FilmContainer) throws {
        let kind = Films.Kind(container: container, codec: .jpeg)
        let (silent, frames) = try Films.film(kind, frames: 2)
        var writer = try MovieWriter(silent, file: MemoryMovieFile())
        #expect(throws: MovieError(.badFrame)) { try writer.append(sound: [[1, 2]]) }
        var description = silent
        description.sound = try Sounds.description(container)
        writer = try MovieWriter(description, file: MemoryMovieFile())
        #expect(throws: MovieError(.badFrame)) { try writer.append(sound: [[]]) }
        if container == .mov {
            #expect(throws: MovieError(.badFrame)) { try writer.append(sound: [[1, 2, 3]]) }
        }
        for (index, frame) in frames.enumerated() { try writer.append(frame.bytes, at: Int64(index) * 100_000) }
        #expect(try writer.finish().frames == 2)
    }

    @Test func `a film that was to have sound and got none plays`() throws {
        for container in FilmContainer.allCases {
            try Recording.withPath { path in
                let kind = Films.Kind(container: container, codec: .jpeg, hasSound: true)
                let (description, frames) = try Films.film(kind, frames: 5)
                var writer = try MovieWriter(description, file: try DescriptorMovieFile(creating: path))
                for (index, frame) in frames.enumerated() { try writer.append(frame.bytes, at: Int64(index) * 100_000) }
                _ = try writer.finish()
                #expect(try Recording.probe(path)["streams_stream_0_nb_read_frames"] == "5")
            }
        }
    }

    @Test(arguments: FilmContainer.allCases)
    func `sound of a frame whose end is said may come after it`(container: FilmContainer) throws {
        try Recording.withPath { path in
            let kind = Films.Kind(container: container, codec: .jpeg, hasSound: true)
            let (description, frames) = try Films.film(kind, frames: 5)
            let sounds = try Sounds.packets(container, frames: 5)
            let file = try DescriptorMovieFile(creating: path)
            var writer = try MovieWriter(description, file: file, fragmentMicroseconds: 1)
            for (index, frame) in frames.enumerated() {
                try writer.append(frame.bytes, at: Int64(index) * 100_000)
                try writer.endFrame(at: Int64(index + 1) * 100_000)
                try writer.append(sound: sounds[index])
            }
            let duration = writer.durationIfFinished()
            #expect(duration == 500_000)
            _ = try writer.finish()
            #expect(try Recording.probe(path)["streams_stream_0_nb_read_frames"] == "5")
            #expect(abs(try Sounds.heard(path).count - 5 * Sounds.perFrame) <= (container == .mov ? 0 : 1024))
        }
    }

    @Test func `a rate or channels that can not be described make no sound`() {
        #expect(MovieSound(rate: 96_000, channels: 1, coding: .pcm) == nil)
        #expect(MovieSound(rate: 48_000, channels: 3, coding: .pcm) == nil)
        #expect(MovieSound(rate: 48_000, channels: 2, coding: .pcm) != nil)
    }
}
