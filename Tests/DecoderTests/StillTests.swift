import Containers
import DecoderService
import Imaging
import Media
import Movies
import TestSupport
import Testing

/// A HEIC file of two equal tiles side by side, coded by x265 and boxed here.
private struct Still {
    let tile: [UInt8]
    let configuration: [UInt8]
    var turn: UInt8 = 0
    var cut = 0

    init() throws {
        let film = try Tool.pattern(
            "a.mp4",
            ["-frames:v", "1", "-c:v", "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1", "-an"],
            size: "64x64"
        )
        let boxes = RandomAccessBytes(film).boxes()
        let media = try #require(boxes.first { $0.name == "mdat" }).payload
        tile = media.bytes(at: 0, count: Int(media.count))
        let place = try #require(film.indices.first { film[$0...].starts(with: "hvcC".utf8) })
        let size = film[(place - 4)..<place].reduce(0) { $0 << 8 | Int($1) }
        configuration = Array(film[(place + 4)..<(place - 4 + size)])
    }

    /// The file; its two tiles are the same bytes of `idat`.
    var bytes: [UInt8] {
        let grid: [UInt8] = [0, 0, 0, 1] + [0, 120, 0, 60]
        var file = BoxBuilder()
        file.box("ftyp") { $0.append(contentsOf: "heic\0\0\0\0mif1heic".utf8) }
        file.fullBox("meta") { meta in
            meta.fullBox("pitm") { $0.append(UInt16(1)) }
            meta.fullBox("iinf") { list in
                list.append(UInt16(3))
                for (id, type) in [(UInt16(1), "grid"), (2, "hvc1"), (3, "hvc1")] {
                    list.fullBox("infe", version: 2) { entry in
                        entry.append(id)
                        entry.append(UInt16(0))
                        entry.append(contentsOf: (type + "\0").utf8)
                    }
                }
            }
            meta.fullBox("iref") { references in
                references.box("dimg") { for number: UInt16 in [1, 2, 2, 3] { $0.append(number) } }
            }
            meta.box("iprp") { addProperties(to: &$0) }
            meta.box("idat") { $0.append(contentsOf: grid + tile) }
            meta.fullBox("iloc", version: 1) { table in
                table.append(UInt16(0x4400))
                table.append(UInt16(3))
                let places = [(UInt16(1), 0, grid.count), (2, grid.count, tile.count), (3, grid.count, tile.count)]
                for (id, offset, length) in places {
                    for number in [id, 1, 0, 1] { table.append(number) }
                    table.append(UInt32(offset))
                    table.append(UInt32(length + (id == 3 ? cut : 0)))
                }
            }
        }
        return file.bytes
    }

    private func addProperties(to box: inout BoxBuilder) {
        box.box("ipco") { all in
            for (width, height) in [(UInt32(120), UInt32(60)), (64, 64)] {
                all.fullBox("ispe") { size in
                    size.append(width)
                    size.append(height)
                }
            }
            all.box("hvcC") { $0.append(contentsOf: configuration) }
            all.box("irot") { $0.append(turn) }
        }
        box.fullBox("ipma") { list in
            list.append(UInt32(3))
            for (id, properties) in [(UInt16(1), [UInt8(1), 4]), (2, [2, 3]), (3, [2, 3])] {
                list.append(id)
                list.append(UInt8(properties.count))
                list.append(contentsOf: properties)
            }
        }
    }
}

@Suite(.enabled(if: Tool.isInstalled("ffmpeg")), .timeLimit(.minutes(2)))
struct `A HEIC still` {
    @Test func `of tiles is put together, cropped and turned`() throws {
        var still = try Still()
        still.turn = 3
        let bytes = RandomAccessBytes(still.bytes)
        let report = Inspector().inspect(bytes)
        #expect(report.uti == "public.heic")
        #expect(report.state == .ok && report.isUsable, "\(report.reason ?? "")")
        #expect(report.width == 120 && report.height == 60 && report.orientation == .right)

        let thumbnail = try Renderer.thumbnail(of: bytes, width: 1000, height: 1000)
        #expect(thumbnail.width == 60 && thumbnail.height == 120)
        let shown = try JPEGDecoder().decode(thumbnail.bytes)
        // Turned by a quarter, the second tile lies below the first and looks like it.
        var difference = 0
        for row in 0..<56 {
            for column in 0..<60 * 3 {
                let upper = Int(shown.bytes[row * 60 * 3 + column])
                let lower = Int(shown.bytes[(row + 64) * 60 * 3 + column])
                difference += abs(upper - lower)
            }
        }
        #expect(difference / (56 * 60 * 3) < 6)
        #expect(Set(shown.bytes).count > 50)
    }

    @Test func `whose last tile is cut short is damaged`() throws {
        var still = try Still()
        still.cut = 10_000_000
        let report = Inspector().inspect(RandomAccessBytes(still.bytes))
        #expect(report.state == .damaged && report.isUsable)
    }
}
