import Containers
import Imaging
import Media
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The EXIF reader` {
    private static func read(_ block: MetadataBlock) -> PictureMetadata? {
        EXIFReader.read(RandomAccessBytes(block.bytes))
    }

    private static func place(
        north: [(UInt32, UInt32)] = [(10, 1), (30, 1), (0, 1)],
        northReference: String? = "N",
        east: [(UInt32, UInt32)] = [(20, 1), (15, 1), (36, 1)],
        eastReference: String? = "E",
        altitude: (UInt32, UInt32)? = nil,
        below: Bool = false
    ) -> MetadataBlock {
        var block = MetadataBlock()
        block.place[2] = .fractions(north)
        block.place[4] = .fractions(east)
        if let northReference { block.place[1] = .text(northReference) }
        if let eastReference { block.place[3] = .text(eastReference) }
        if let altitude { block.place[6] = .fractions([altitude]) }
        if below { block.place[5] = .byte(1) }
        return block
    }

    @Test func `reads a place with its references`() throws {
        let found = try #require(
            Self.read(Self.place(northReference: "S", eastReference: "W", altitude: (7, 2), below: true))?.location
        )
        #expect(found.latitude == -10.5)
        #expect(abs(found.longitude + 20.26) < 1e-9)
        #expect(found.altitude == -3.5)
    }

    @Test func `takes zero for a coordinate like any other`() throws {
        let greenwich = try #require(Self.read(Self.place(east: [(0, 1), (0, 1), (0, 1)]))?.location)
        #expect(greenwich.longitude == 0)
        let equator = try #require(Self.read(Self.place(north: [(0, 1), (0, 1), (0, 1)]))?.location)
        #expect(equator.latitude == 0)
    }

    @Test(arguments: [
        Self.place(north: [(0, 0), (0, 0), (0, 0)]),
        Self.place(north: [(10, 1), (0, 0), (0, 1)]),
        Self.place(northReference: nil),
        Self.place(eastReference: "?"),
        Self.place(north: [(17_056_881, 1)]),
        Self.place(north: [(0, 1)], east: [(0, 1)]),
    ])
    func `has no place where the numbers are unknown, without hemisphere, off the Earth or both zero`(
        block: MetadataBlock
    ) {
        #expect(Self.read(block) != nil)
        #expect(Self.read(block)?.location == nil)
    }

    @Test func `clamps a tiny overshoot`() {
        #expect(Self.read(Self.place(north: [(90_000_003, 1_000_000)]))?.location?.latitude == 90)
    }

    @Test func `prefers the date taken, with its fraction and its offset`() {
        var block = MetadataBlock()
        block.main[0x0132] = .text("2020:01:01 00:00:00")
        block.exposure[0x9003] = .text("2019:07:04 23:00:10")
        block.exposure[0x9291] = .text("813 ")
        block.exposure[0x9011] = .text("-05:30")
        let date = Self.read(block)?.date
        #expect(date?.raw == "2019:07:04 23:00:10")
        #expect(date?.local == "2019-07-04T23:00:10.813")
        #expect(date?.offsetMinutes == -330)
        #expect(date?.offsetSource == .tag)
        #expect(date?.utc == "2019-07-05T04:30:10.813Z")
    }

    @Test func `passes over dates that are not known`() {
        var block = MetadataBlock()
        block.exposure[0x9003] = .text("    :  :     :  :  ")
        block.exposure[0x9004] = .text("0000:00:00 00:00:00")
        block.main[0x0132] = .text("2019:07:04 23:00:10")
        #expect(Self.read(block)?.date?.local == "2019-07-04T23:00:10")
        #expect(Self.read(block)?.date?.utc == nil)
        block.main[0x0132] = nil
        #expect(Self.read(block)?.date == AssetDate(raw: "0000:00:00 00:00:00", local: nil))
        block.exposure[0x9004] = nil
        #expect(Self.read(block)?.date == nil)
    }

    @Test(arguments: [("17:45:03", 345), ("12:00:10", 0), ("11:48:00", nil)])
    func `takes the offset from the satellites' time when it is a clear quarter of an hour`(
        local: String,
        expected: Int?
    ) {
        var block = MetadataBlock()
        block.exposure[0x9003] = .text("2019:07:04 " + local)
        block.place[0x1D] = .text("2019:07:04")
        block.place[7] = .fractions([(12, 1), (0, 1), (500, 100)])
        let date = Self.read(block)?.date
        #expect(date?.offsetMinutes == expected)
        #expect(date?.offsetSource == (expected == nil ? .unknown : .gps))
    }

    @Test func `reads back what the writer wrote`() throws {
        var fields = EXIFFields(
            time: CaptureTime(microsecondsSince1970: 1_700_000_000_250_000, offsetMinutes: 60),
            make: "Obscura",
            model: "Pattern",
            software: "obscura",
            orientation: .right,
            width: 64,
            height: 48
        )
        fields.location = Location(latitude: -33.9, longitude: 151.2, altitude: 12)
        let jpeg = try EXIFWriter.written(fields, into: Pictures.jpeg(width: 64, height: 48))
        let found = try #require(PictureReader.read(RandomAccessBytes(jpeg), type: .jpeg))
        #expect(found.width == 64)
        #expect(found.height == 48)
        #expect(found.orientation == .right)
        #expect(found.cameraMake == "Obscura")
        #expect(found.date?.utc == "2023-11-14T22:13:20.250000Z")
        #expect(found.date?.offsetMinutes == 60)
        #expect(abs((found.location?.latitude ?? 0) + 33.9) < 1e-6)
        #expect(abs((found.location?.longitude ?? 0) - 151.2) < 1e-6)
        #expect(found.location?.altitude == 12)
    }

    @Test func `survives every shorter piece and every changed byte of a block`() {
        var block = Self.place(altitude: (7, 2))
        block.main[0x0112] = .short(6)
        block.exposure[0x9003] = .text("2019:07:04 23:00:10")
        let whole = block.bytes
        for length in whole.indices { _ = EXIFReader.read(RandomAccessBytes(Array(whole.prefix(length)))) }
        for index in whole.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = whole
                changed[index] = value
                _ = TIFFPictureReader.read(RandomAccessBytes(changed))
            }
        }
        #expect(EXIFReader.read(RandomAccessBytes(whole))?.orientation == .right)
    }
}
