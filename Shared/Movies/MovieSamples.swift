package import Containers

/// Where the pictures of a finished movie lie and when they are shown, for whoever plays it.
///
/// Movies of one track of JPEG pictures, or of H.264 whose pictures are decoded in the order in which they are shown.
/// Fragments and edit lists are not read.
package struct MovieSamples: Hashable, Sendable {
    /// One picture.
    package struct Sample: Hashable, Sendable {
        /// Bytes from the start of the file.
        package let offset: Int64
        package let byteCount: Int
        /// Microseconds from the start of the movie.
        package let microseconds: Int64
        package let isKey: Bool
    }

    /// A day of film at sixty frames a second.
    private static let mostSamples = 5_184_000
    private static let mostSampleByteCount: Int64 = 64 << 20

    package let pictures: MoviePictures
    /// Bytes of the lengths before units of H.264.
    package let lengthByteCount: Int
    /// Stored pixels.
    package let width, height: Int
    /// In the order of their times, one at least.
    package let samples: [Sample]
    /// Microseconds from the first sample to the end of the last.
    package let durationMicroseconds: Int64

    /// Why a movie is not read here.
    package enum Refusal: Error, Hashable, Sendable {
        /// There is no `moov` box: it is another kind of file, or its end is missing.
        case noMovie
        case noPictures
        /// The pictures are of this kind, and neither JPEG nor H.264.
        case codec(FourCharacterCode)
        /// Pictures are decoded in another order than they are shown (B).
        case outOfOrder
        /// The pictures are in fragments (`moof`).
        case fragments
        /// Tables contradict each other, or make no sense.
        case badTables
        /// Pictures lie behind the end of the file.
        case cutShort
        /// The first picture needs others.
        case noFirstKey
    }

    /// Reads the tables of the first track of pictures.
    package init(_ bytes: RandomAccessBytes) throws(Refusal) {
        guard let movie = bytes.boxes().first(where: { $0.name == "moov" }) else { throw .noMovie }
        guard let media = movie.children().lazy.filter({ $0.name == "trak" }).compactMap({ Self.pictures($0) }).first
        else { throw .noPictures }
        guard let timescale = media.child("mdhd").flatMap({ BoxTimes($0.payload)?.timescale }), timescale > 0,
            let table = media.child("minf")?.child("stbl"), let entry = Self.entry(table),
            let size = entry.payload.fields(at: 24, count: 4), let width = size.uint16(0), let height = size.uint16(2)
        else { throw .badTables }
        let (pictures, lengthByteCount) = try Self.format(entry)
        guard Self.isInOrder(table) else { throw .outOfOrder }
        guard let places = Self.places(table), !places.isEmpty,
            let times = Self.times(table, count: places.count, timescale: timescale)
        else { throw movie.child("mvex") == nil ? .badTables : .fragments }
        self.pictures = pictures
        self.lengthByteCount = lengthByteCount
        self.width = Int(width)
        self.height = Int(height)
        let keys = Self.keys(table)
        samples = places.enumerated().map { index, place in
            Sample(
                offset: place.offset,
                byteCount: place.byteCount,
                microseconds: times.starts[index],
                isKey: keys?.contains(index) ?? true
            )
        }
        durationMicroseconds = times.end
        guard samples.first?.isKey == true else { throw .noFirstKey }
        guard samples.allSatisfy({ $0.offset + Int64($0.byteCount) <= bytes.count }) else { throw .cutShort }
    }

    /// The `mdia` box of a track of pictures.
    private static func pictures(_ track: FoundBox) -> FoundBox? {
        guard let media = track.child("mdia"),
            media.child("hdlr")?.payload.fields(at: 8, count: 4)?.has("vide", at: 0) == true
        else { return nil }
        return media
    }

    private static func entry(_ table: FoundBox) -> FoundBox? {
        table.child("stsd")?.payload.part(at: 8).boxes(limit: 1).first
    }

    private static func format(_ entry: FoundBox) throws(Refusal) -> (MoviePictures, Int) {
        // The fields of a video sample entry go before its boxes.
        let parts = entry.children(skip: 78)
        switch entry.name {
        case "jpeg": return (.motionJPEG, 0)
        case "mp4v":
            // Version and flags, the ES descriptor's head (5 bytes, or more where lengths are longer), then the decoder's.
            let descriptor = parts.first { $0.name == "esds" }?.payload.bytes(at: 4, count: 32) ?? []
            let start = descriptor.firstIndex(of: 0x04) ?? descriptor.endIndex
            let type = descriptor[start...].dropFirst().drop { $0 == 0x80 }.dropFirst().first
            guard type == 0x6C else { throw .codec(entry.name) }
            return (.motionJPEG, 0)
        case "avc1":
            guard let record = parts.first(where: { $0.name == "avcC" })?.payload,
                let read = H264Configuration.read(record: record.bytes(at: 0, count: 65_536))
            else { throw .badTables }
            return (.h264(read.configuration), read.lengthByteCount)
        default: throw .codec(entry.name)
        }
    }

    /// Pictures that are shown later than they are decoded, by more than others are, are out of order.
    private static func isInOrder(_ table: FoundBox) -> Bool {
        guard let offsets = table.child("ctts")?.payload.part(at: 8) else { return true }
        var known: Int64?
        let fields = SampleTable.numbers(offsets, width: 4)
        while fields.next() != nil, let offset = fields.next() {
            if let known, known != offset { return false }
            known = offset
        }
        return true
    }

    private static func places(_ table: FoundBox) -> [(offset: Int64, byteCount: Int)]? {
        let parts = table.children()
        guard let sizes = parts.first(where: { $0.name == "stsz" })?.payload, let head = sizes.fields(at: 4, count: 8),
            let fixed = head.uint32(0), let count = head.uint32(4), count > 0, count <= mostSamples,
            let chunks = parts.first(where: { $0.name == "stco" || $0.name == "co64" }),
            let runs = parts.first(where: { $0.name == "stsc" })?.payload.part(at: 8)
        else { return nil }
        let sizesInFile = SampleTable.numbers(sizes.part(at: 12), width: 4)
        let runFields = SampleTable.numbers(runs, width: 4)
        func nextRun() -> (first: Int64, samples: Int64)? {
            guard let first = runFields.next(), let samples = runFields.next(), runFields.next() != nil else {
                return nil
            }
            return (first, samples)
        }
        var run = nextRun()
        var following = nextRun()
        var chunk: Int64 = 0
        var found: [(offset: Int64, byteCount: Int)] = []
        for start in SampleTable.numbers(chunks.payload.part(at: 8), width: chunks.name == "co64" ? 8 : 4) {
            chunk += 1
            while let next = following, next.first <= chunk {
                run = next
                following = nextRun()
            }
            var offset = start
            for _ in 0..<max(0, run?.samples ?? 0) {
                guard found.count < count else { return found }
                guard let size = fixed > 0 ? Int64(fixed) : sizesInFile.next(), size > 0, size <= mostSampleByteCount
                else { return nil }
                found.append((offset, Int(size)))
                let (end, overflow) = offset.addingReportingOverflow(size)
                guard !overflow else { return nil }
                offset = end
            }
        }
        return found.count == count ? found : nil
    }

    private static func times(_ table: FoundBox, count: Int, timescale: UInt32) -> (starts: [Int64], end: Int64)? {
        guard let runs = table.child("stts")?.payload.part(at: 8) else { return nil }
        let fields = SampleTable.numbers(runs, width: 4)
        var ticks: Int64 = 0
        var starts: [Int64] = []
        func microseconds(_ ticks: Int64) -> Int64? {
            let (scaled, overflow) = ticks.multipliedReportingOverflow(by: 1_000_000)
            return overflow ? nil : scaled / Int64(timescale)
        }
        while starts.count < count, let repeats = fields.next(), let duration = fields.next() {
            for _ in 0..<min(Int(repeats), count - starts.count) {
                guard let start = microseconds(ticks) else { return nil }
                starts.append(start)
                ticks += duration
            }
        }
        guard starts.count == count, let end = microseconds(ticks), end > 0 else { return nil }
        return (starts, end)
    }

    /// The samples at which decoding can begin, counted from 0; nil where all are such.
    private static func keys(_ table: FoundBox) -> Set<Int>? {
        guard let box = table.child("stss") else { return nil }
        var keys: Set<Int> = []
        for number in SampleTable.numbers(box.payload.part(at: 8), width: 4) where number > 0 {
            keys.insert(Int(number - 1))
            if keys.count > mostSamples { break }
        }
        return keys
    }
}
