import Media

/// The parts of a movie's `moov` box that do not depend on its frames.
///
/// They can be read back from a file that was never finished.
struct MovieHead: Equatable {
    /// Ticks a second of all times in the file: divides the usual frame rates, and is fine enough for camera clocks.
    static let timescale: UInt32 = 90_000

    /// Seconds from 1904-01-01, where QuickTime's times start, to 1970-01-01.
    private static let secondsFrom1904To1970: Int64 = 2_082_844_800

    let width, height: Int
    /// The nine numbers of the track's matrix, 36 bytes as the file has them.
    let matrix: [UInt8]
    /// Seconds since 1904-01-01T00:00:00Z.
    let created: UInt64
    /// The `meta` box, whole.
    let metadata: [UInt8]
    /// The payload of `stsd`: one sample entry.
    let entries: [UInt8]
    let container: FilmContainer
    /// Whether frames can need the ones before them.
    let hasKeys: Bool
    let sound: SoundTrack?

    init(_ description: MovieDescription) {
        width = description.width
        height = description.height
        matrix = Self.matrix(description.orientation, width: description.width, height: description.height)
        created = UInt64(max(0, description.time.secondsSince1970 + Self.secondsFrom1904To1970))
        metadata = QuickTimeMetadata(description).box
        entries = SampleEntry(description).table
        container = description.container
        hasKeys = description.pictures.hasKeys
        sound = description.sound.map { SoundTrack($0) }
    }

    /// Reads the head back from the payload of a `moov` box that this writer made.
    init?(parsing moov: [UInt8], container: FilmContainer) {
        let find = SoundTrack.find
        let field = SoundTrack.field
        guard let track = find(["trak", "tkhd"], moov[...]), track.count >= 84, track.first == 0,
            let header = find(["mvhd"], moov[...]), header.count >= 20, header.first == 0,
            let meta = find(["meta"], moov[...]),
            let table = find(["trak", "mdia", "minf", "stbl", "stsd"], moov[...]), table.count >= 16
        else { return nil }
        guard field(header, 12) == Self.timescale else { return nil }
        width = Int(field(track, 76) >> 16)
        height = Int(field(track, 80) >> 16)
        matrix = Array(track.dropFirst(40).prefix(36))
        created = UInt64(field(header, 4))
        var builder = BoxBuilder()
        builder.box("meta") { $0.append(contentsOf: meta) }
        metadata = builder.bytes
        entries = Array(table)
        self.container = container
        let name = FourCharacterCode(rawValue: field(table, 12))
        hasKeys = name == "avc1"
        guard hasKeys || name == "jpeg" || name == "mp4v" else { return nil }
        let tracks = BoxHeader.children(of: moov[...]).filter { $0.name == "trak" }
        guard tracks.count <= 2 else { return nil }
        if tracks.count == 2 {
            let payload = moov[Int(tracks[1].payloadStart)..<Int(tracks[1].end)]
            guard let sound = SoundTrack(parsing: payload) else { return nil }
            self.sound = sound
        } else {
            sound = nil
        }
    }

    /// The `moov` box of a movie whose frames are in fragments that follow it.
    var initialMovie: [UInt8] { movie(samples: nil, sound: nil) }

    /// The `moov` box that has every frame, and all sound.
    func finalMovie(_ samples: FrameIndex, _ sound: SoundIndex?) -> [UInt8] { movie(samples: samples, sound: sound) }

    private func movie(samples: FrameIndex?, sound index: SoundIndex?) -> [UInt8] {
        let duration = samples?.duration ?? 0
        let heard = sound.map { track in index.map { track.duration($0, within: duration) } ?? 0 } ?? 0
        var builder = BoxBuilder()
        builder.box("moov") { moov in
            appendMovieHeader(&moov, duration: max(duration, heard))
            moov.box("trak") { track in
                appendPictureHeader(&track, duration: duration)
                track.box("mdia") { media in
                    appendMedia(&media, samples: samples ?? FrameIndex())
                }
            }
            if let sound { append(sound, index ?? sound.emptyIndex, pictures: duration, to: &moov) }
            if samples == nil {
                moov.box("mvex") { extends in
                    extends.fullBox("trex") { defaults in
                        for value: UInt32 in [1, 1, 0, 0] { defaults.append(value) }
                        defaults.append(hasKeys ? MovieFragment.otherFlags : MovieFragment.keyFlags)
                    }
                    sound?.appendDefaults(to: &extends)
                }
            }
            moov.append(contentsOf: metadata)
        }
        return builder.bytes
    }

    /// Version 0 with 32-bit numbers where they fit, 1 with 64-bit ones where they do not.
    private func version(_ duration: UInt64) -> UInt8 {
        created > UInt32.max || duration > UInt32.max ? 1 : 0
    }

    private func appendTime(_ builder: inout BoxBuilder, _ value: UInt64, version: UInt8) {
        if version == 0 { builder.append(UInt32(value)) } else { builder.append(value) }
    }

    private func appendMovieHeader(_ builder: inout BoxBuilder, duration: UInt64) {
        let version = version(duration)
        builder.fullBox("mvhd", version: version) { header in
            appendTime(&header, created, version: version)
            appendTime(&header, created, version: version)
            header.append(Self.timescale)
            appendTime(&header, duration, version: version)
            header.append(UInt32(0x0001_0000))
            header.append(UInt16(0x0100))
            header.appendZeros(10)
            header.append(contentsOf: Self.matrix(.up, width: 0, height: 0))
            header.appendZeros(24)
            header.append(sound == nil ? 2 : SoundTrack.id + 1)
        }
    }

    private func appendPictureHeader(_ builder: inout BoxBuilder, duration: UInt64) {
        appendTrackHeader(&builder, track: 1, duration: duration) { header in
            header.appendZeros(16)
            header.append(contentsOf: matrix)
            header.append(UInt32(width) << 16)
            header.append(UInt32(height) << 16)
        }
    }

    func appendTrackHeader(
        _ builder: inout BoxBuilder,
        track: UInt32,
        duration: UInt64,
        _ rest: (inout BoxBuilder) -> Void
    ) {
        let version = version(duration)
        // Enabled, in the movie, in the preview, in the poster; ISO/IEC 14496-12, 8.3.2 means another thing by the last.
        builder.fullBox("tkhd", version: version, flags: container == .mov ? 0xF : 0x7) { header in
            appendTime(&header, created, version: version)
            appendTime(&header, created, version: version)
            header.append(track)
            header.append(UInt32(0))
            appendTime(&header, duration, version: version)
            rest(&header)
        }
    }

    func appendMediaHeader(_ builder: inout BoxBuilder, timescale: UInt32, duration: UInt64) {
        let version = version(duration)
        builder.fullBox("mdhd", version: version) { header in
            appendTime(&header, created, version: version)
            appendTime(&header, created, version: version)
            header.append(timescale)
            appendTime(&header, duration, version: version)
            // The language "und", three letters of five bits (ISO/IEC 14496-12, 8.4.2.3).
            header.append(UInt16(0x55C4))
            header.append(UInt16(0))
        }
    }

    private func appendMedia(_ builder: inout BoxBuilder, samples: FrameIndex) {
        appendMediaHeader(&builder, timescale: Self.timescale, duration: samples.duration)
        appendHandler(&builder, type: "mhlr", subtype: "vide", name: "Video")
        builder.box("minf") { information in
            information.fullBox("vmhd", flags: 1) { $0.appendZeros(8) }
            appendReferences(&information)
            information.box("stbl") { table in
                table.box("stsd") { $0.append(contentsOf: entries) }
                samples.append(to: &table)
            }
        }
    }

    /// The samples lie in this file.
    func appendReferences(_ information: inout BoxBuilder) {
        if container == .mov { appendHandler(&information, type: "dhlr", subtype: "url ", name: "Data") }
        information.box("dinf") { data in
            data.fullBox("dref") { references in
                references.append(UInt32(1))
                references.fullBox("url ", flags: 1) { _ in }
            }
        }
    }

    func appendHandler(
        _ builder: inout BoxBuilder,
        type: FourCharacterCode,
        subtype: FourCharacterCode,
        name: String
    ) {
        builder.fullBox("hdlr") { handler in
            switch container {
            case .mov:
                handler.append(type)
                handler.append(subtype)
                handler.appendZeros(12)
                handler.append(UInt8(name.utf8.count))
                handler.append(contentsOf: name.utf8)
            case .mp4:
                // ISO/IEC 14496-12, 8.4.3: no type, and a name that ends with a zero.
                handler.appendZeros(4)
                handler.append(subtype)
                handler.appendZeros(12)
                handler.append(contentsOf: name.utf8)
                handler.appendZeros(1)
            }
        }
    }

    /// The matrix that turns stored pixels upright (QuickTime File Format, "Matrices"; 16.16 and, last column, 2.30).
    private static func matrix(_ orientation: Orientation, width: Int, height: Int) -> [UInt8] {
        let (width, height) = (Int32(width), Int32(height))
        let rows: (Int32, Int32, Int32, Int32, Int32, Int32) =
            switch orientation {
            case .up: (1, 0, 0, 1, 0, 0)
            case .upMirrored: (-1, 0, 0, 1, width, 0)
            case .down: (-1, 0, 0, -1, width, height)
            case .downMirrored: (1, 0, 0, -1, 0, height)
            case .leftMirrored: (0, 1, 1, 0, 0, 0)
            case .right: (0, 1, -1, 0, height, 0)
            case .rightMirrored: (0, -1, -1, 0, height, width)
            case .left: (0, -1, 1, 0, 0, width)
            }
        var builder = BoxBuilder()
        for value in [rows.0 << 16, rows.1 << 16, 0, rows.2 << 16, rows.3 << 16, 0, rows.4 << 16, rows.5 << 16] {
            builder.append(value)
        }
        builder.append(Int32(1 << 30))
        return builder.bytes
    }
}
