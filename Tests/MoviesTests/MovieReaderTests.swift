import Containers
import Media
import Movies
import Testing

/// A film of one track of pictures, box by box, with what a test wants to be different.
private struct Film {
    var created: UInt32 = 3_206_613_834
    var duration: UInt32 = 3000
    var matrix: [Int32] = [65536, 0, 0, 0, 65536, 0, 0, 0, 0x4000_0000]
    var mediaByteCount = 100
    var chunkOffset: UInt32 = 8
    var sampleSizes: [UInt32] = [40, 60]
    var extra: @Sendable (inout BoxBuilder) -> Void = { _ in }
    var fragments: (@Sendable (inout BoxBuilder) -> Void)?

    var bytes: [UInt8] {
        var builder = BoxBuilder()
        builder.box("mdat") { $0.appendZeros(mediaByteCount) }
        builder.box("moov") { movie in
            movie.fullBox("mvhd") { header in
                for number: UInt32 in [created, created, 600, duration] { header.append(number) }
                header.appendZeros(80)
            }
            movie.box("trak") { track in
                track.fullBox("tkhd", flags: 1) { header in
                    for number: UInt32 in [created, created, 1, 0, duration] { header.append(number) }
                    header.appendZeros(16)
                    for number in matrix { header.append(number) }
                    header.append(UInt32(640) << 16)
                    header.append(UInt32(480) << 16)
                }
                track.box("mdia") { addMedia(to: &$0) }
            }
            if fragments != nil {
                movie.box("mvex") { extends in
                    extends.fullBox("trex") { defaults in
                        for number: UInt32 in [1, 1, 20, 0, 0] { defaults.append(number) }
                    }
                }
            }
            extra(&movie)
        }
        fragments?(&builder)
        return builder.bytes
    }

    private func addMedia(to media: inout BoxBuilder) {
        media.fullBox("mdhd") { header in
            for number: UInt32 in [created, created, 600, duration, 0] { header.append(number) }
        }
        media.fullBox("hdlr") { handler in
            handler.append(UInt32(0))
            handler.append("vide")
            handler.appendZeros(12)
        }
        media.box("minf") { information in
            information.box("stbl") { table in
                table.fullBox("stsd") { descriptions in
                    descriptions.append(UInt32(1))
                    descriptions.box("jpeg") { entry in
                        entry.appendZeros(24)
                        entry.append(UInt16(640))
                        entry.append(UInt16(480))
                        entry.appendZeros(50)
                    }
                }
                table.fullBox("stsc") { for number: UInt32 in [1, 1, 2, 1] { $0.append(number) } }
                table.fullBox("stsz") { sizes in
                    sizes.append(UInt32(0))
                    sizes.append(UInt32(sampleSizes.count))
                    for size in sampleSizes { sizes.append(size) }
                }
                table.fullBox("stco") { for number: UInt32 in [1, chunkOffset] { $0.append(number) } }
            }
        }
    }

    var metadata: MovieMetadata? { MovieReader.read(RandomAccessBytes(bytes)) }
}

@Suite(.timeLimit(.minutes(1)))
struct `The movie reader` {
    @Test func `reads size, duration, rate and the container's time`() throws {
        let found = try #require(Film().metadata)
        #expect(found.duration == 5)
        #expect(found.frameRate == 0.4)
        #expect(found.picture?.width == 640)
        #expect(found.picture?.height == 480)
        #expect(found.picture?.codec == "jpeg")
        #expect(found.picture?.orientation == .up)
        #expect(found.date?.utc == "2005-08-11T14:03:54Z")
        #expect(found.date?.raw == "3206613834")
        #expect(found.date?.offsetSource == .container)
        #expect(found.hasIndex && !found.isFragmented && !found.isCutShort)
    }

    @Test func `takes a time of zero as not known, and one before 1970 as counted from 1970`() {
        #expect(Film(created: 0).metadata?.date == nil)
        #expect(Film(created: 1_123_769_034).metadata?.date?.utc == "2005-08-11T14:03:54Z")
    }

    @Test(arguments: [
        ([0, 1, -1, 0], Orientation.right), ([-1, 0, 0, -1], .down), ([0, -1, 1, 0], .left),
        ([-1, 0, 0, 1], .upMirrored), ([1, 0, 0, 1], .up),
    ])
    func `reads the turn from the matrix`(signs: [Int32], expected: Orientation) {
        let one: Int32 = 65536
        let matrix = [signs[0] * one, signs[1] * one, 0, signs[2] * one, signs[3] * one, 0, 0, 0, 0x4000_0000]
        #expect(Film(matrix: matrix).metadata?.picture?.orientation == expected)
    }

    @Test func `sees that samples lie beyond the end`() {
        #expect(Film(chunkOffset: 1_000_000).metadata?.isCutShort == true)
        #expect(Film(sampleSizes: [40, 100_000]).metadata?.isCutShort == true)
    }

    @Test func `sees a box that is cut short, and a film without an index`() {
        let whole = Film().bytes
        #expect(MovieReader.read(RandomAccessBytes(Array(whole.dropLast(4))))?.isCutShort == true)
        let media = MovieReader.read(RandomAccessBytes(Array(whole.prefix(90))))
        #expect(media?.hasIndex == false)
        #expect(media?.isCutShort == true)
    }

    @Test func `prefers Apple's date with its offset and reads its place`() throws {
        let film = Film(extra: { movie in
            movie.box("meta") { meta in
                meta.fullBox("hdlr") { $0.appendZeros(20) }
                meta.fullBox("keys") { keys in
                    keys.append(UInt32(3))
                    for name in ["creationdate", "location.ISO6709", "make"] {
                        keys.box("mdta") { $0.append(contentsOf: "com.apple.quicktime.\(name)".utf8) }
                    }
                }
                meta.box("ilst") { list in
                    let values = ["2017-05-01T10:00:00+0200", "+37.3318-122.0312+010.000/", "Apple"]
                    for (index, value) in values.enumerated() {
                        list.box(FourCharacterCode(rawValue: UInt32(index + 1))) { item in
                            item.box("data") { data in
                                data.append(UInt32(1))
                                data.append(UInt32(0))
                                data.append(contentsOf: value.utf8)
                            }
                        }
                    }
                }
            }
        })
        let found = try #require(film.metadata)
        #expect(found.date?.utc == "2017-05-01T08:00:00Z")
        #expect(found.date?.offsetMinutes == 120)
        #expect(found.date?.offsetSource == .tag)
        #expect(found.containerDate?.utc == "2005-08-11T14:03:54Z")
        #expect(found.location == Location(latitude: 37.3318, longitude: -122.0312, altitude: 10))
        #expect(found.cameraMake == "Apple")
    }

    @Test func `reads user data`() {
        let film = Film(extra: { movie in
            movie.box("udta") { user in
                for (name, text) in [(UInt32(0xA978_797A), "+05.5000-000.2500/"), (0xA964_6179, "2020-02-03")] {
                    user.box(FourCharacterCode(rawValue: name)) { item in
                        item.append(UInt16(text.utf8.count))
                        item.append(UInt16(0))
                        item.append(contentsOf: text.utf8)
                    }
                }
                user.append(UInt32(0))
            }
        })
        #expect(film.metadata?.location == Location(latitude: 5.5, longitude: -0.25))
        // A day alone is no time: the container's stays.
        #expect(film.metadata?.date?.offsetSource == .container)
    }

    @Test func `adds up fragments`() throws {
        var film = Film()
        film.duration = 0
        film.sampleSizes = []
        film.fragments = { file in
            for fragment in 0..<3 {
                file.box("moof") { moof in
                    moof.box("traf") { track in
                        track.fullBox("tfhd") { $0.append(UInt32(1)) }
                        track.fullBox("tfdt") { $0.append(UInt32(fragment * 600)) }
                        track.fullBox("trun") { $0.append(UInt32(30)) }
                    }
                }
                file.box("mdat") { $0.appendZeros(10) }
            }
        }
        let found = try #require(film.metadata)
        #expect(found.isFragmented)
        #expect(found.duration == 3)
        #expect(found.picture?.sampleCount == 90)
        #expect(found.frameRate == 30)
    }

    @Test(arguments: [
        ("+37.3318-122.0312/", 37.3318, -122.0312), ("+1234.5-09854.0/", 12.575, -98.9),
        ("+123456.0+0985432.4/", 12.582222222222222, 98.909),
    ])
    func `reads the three forms of ISO 6709`(text: String, latitude: Double, longitude: Double) throws {
        let found = try #require(GeographicPoint.read(text))
        #expect(abs(found.latitude - latitude) < 1e-9)
        #expect(abs(found.longitude - longitude) < 1e-9)
    }

    @Test func `survives every shorter piece and every changed byte`() {
        let whole = Film().bytes
        for length in whole.indices { _ = MovieReader.read(RandomAccessBytes(Array(whole.prefix(length)))) }
        for index in whole.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = whole
                changed[index] = value
                _ = MovieReader.read(RandomAccessBytes(changed))
            }
        }
        #expect(MovieReader.read(RandomAccessBytes(whole)) != nil)
    }
}
