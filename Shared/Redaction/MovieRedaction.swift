import Containers
import MessageSchema
import Movies

/// A film without metadata, of the same size: its pictures and its sound stay where they are, so every offset holds.
///
/// Tracks of anything but pictures and sound go, and all bytes of the media data that belong to no track that stays
/// become zeros: places are written there too. What is in the coded pictures and the coded sound is not looked at.
///
/// Source: ISO/IEC 14496-12 clause 8; QuickTime File Format, "Movie Atoms".
struct MovieRedaction {
    private static let encryption: Set<FourCharacterCode> = ["saio", "saiz", "senc", "stz2"]

    private let bytes: RandomAccessBytes
    private let profile: PrivacyProfile
    private var boxes = BoxEdit()
    private var kept = ByteRanges()
    private var tracks: [UInt32: MovieFragments.Defaults] = [:]
    private var isTrackGone = false

    static func plan(_ bytes: RandomAccessBytes, _ profile: PrivacyProfile) throws(RedactionError) -> Redaction {
        var redaction = MovieRedaction(bytes: bytes, profile: profile)
        return try redaction.plan()
    }

    private init(bytes: RandomAccessBytes, profile: PrivacyProfile) {
        self.bytes = bytes
        self.profile = profile
    }

    private mutating func plan() throws(RedactionError) -> Redaction {
        let outer = try boxes.parts(of: bytes, at: 0, in: "the film")
        guard let movie = outer.first(where: { $0.name == "moov" }), outer.count(where: { $0.name == "moov" }) == 1
        else { throw RedactionError(.damaged, "a film with none or several heads") }
        try clean(movie: movie)
        guard !tracks.isEmpty else { throw RedactionError(.damaged, "a film without pictures and sound") }
        var fragments = MovieFragments(tracks: tracks)
        for box in outer where box.name == "moof" { try fragments.clean(box, &boxes, &kept) }
        let data = outer.filter { $0.name == "mdat" }.map { $0.payloadStart..<$0.end }
        guard let gaps = ByteRanges.gaps(in: data, between: kept.joined) else {
            throw RedactionError(.damaged, "samples that are not in the media data")
        }
        for gap in gaps { boxes.edit.clear(gap) }
        // It is there to be written over, and has no content.
        for box in outer where box.name == "wide" { boxes.edit.clear(box.payloadStart..<box.end) }
        for box in outer where !MovieParts.stream.contains(box.name) && !["moov", "moof", "mdat"].contains(box.name) {
            boxes.free(box)
        }
        return try boxes.edit.redaction(of: bytes.count)
    }

    private mutating func clean(movie: BoxEdit.Part) throws(RedactionError) {
        let parts = try boxes.children(of: movie)
        guard !parts.contains(where: { $0.name == "cmov" }) else {
            throw RedactionError(.unknownPart, "a compressed head")
        }
        let tracks = parts.filter { $0.name == "trak" }
        isTrackGone = tracks.contains { !Self.isPlayed($0) }
        for part in parts {
            switch part.name {
            case "mvhd": clearTimes(part)
            case "iods": break
            case "mvex":
                for extends in try boxes.keep(MovieParts.defaults, in: part) where extends.name == "trex" {
                    guard let fields = extends.payload.fields(at: 4, count: 20), let id = fields.uint32(0),
                        let size = fields.uint32(12)
                    else { throw RedactionError(.damaged, "the defaults of fragments") }
                    self.tracks[id, default: MovieFragments.Defaults()].sampleByteCount = size
                }
            case "trak": try clean(track: part)
            case "udta": try MovieNotes.cleanUserData(part, &boxes, profile)
            case "meta": try MovieNotes.cleanMetadata(part, &boxes, profile)
            default: boxes.free(part)
            }
        }
        self.tracks = self.tracks.filter { $0.value.isPlayed }
    }

    private static func isPlayed(_ track: BoxEdit.Part) -> Bool {
        let media = track.payload.boxes().first { $0.name == "mdia" }
        let handler = media?.child("hdlr")?.payload.fields(at: 8, count: 4)
        return handler?.has("vide", at: 0) == true || handler?.has("soun", at: 0) == true
    }

    private mutating func clean(track: BoxEdit.Part) throws(RedactionError) {
        guard Self.isPlayed(track) else { return boxes.free(track) }
        for part in try boxes.children(of: track) {
            switch part.name {
            case "tkhd":
                let isLong = part.payload.bytes(at: 0, count: 1).first == 1
                guard let id = part.payload.fields(at: isLong ? 20 : 12, count: 4)?.uint32(0) else {
                    throw RedactionError(.damaged, "the head of a track")
                }
                tracks[id, default: MovieFragments.Defaults()].isPlayed = true
                clearTimes(part)
            case let name where MovieParts.timing.contains(name): break
            // What it refers to may have gone.
            case "tref": if isTrackGone { boxes.free(part) }
            case "mdia": try clean(media: part)
            case "udta": try MovieNotes.cleanUserData(part, &boxes, profile)
            case "meta": try MovieNotes.cleanMetadata(part, &boxes, profile)
            default: boxes.free(part)
            }
        }
    }

    private mutating func clean(media: BoxEdit.Part) throws(RedactionError) {
        for part in try boxes.keep(MovieParts.media, in: media) {
            switch part.name {
            case "mdhd": clearTimes(part)
            case "minf":
                for inner in try boxes.keep(MovieParts.information, in: part) {
                    if inner.name == "dinf" { try checkReferences(inner) }
                    if inner.name == "stbl" { try clean(table: inner) }
                }
            default: break
            }
        }
    }

    private mutating func clean(table: BoxEdit.Part) throws(RedactionError) {
        var found: [FourCharacterCode: RandomAccessBytes] = [:]
        for part in try boxes.children(of: table) {
            if Self.encryption.contains(part.name) { throw RedactionError(.unknownPart, "\(part.name) of a track") }
            if MovieParts.samples.contains(part.name) { found[part.name] = part.payload } else { boxes.free(part) }
        }
        try SampleExtents(found).collect(into: &kept)
    }

    /// All samples must be in this file.
    private mutating func checkReferences(_ box: BoxEdit.Part) throws(RedactionError) {
        for part in try boxes.children(of: box) where part.name == "dref" {
            for reference in try boxes.children(of: part, skip: 8) {
                guard (reference.payload.bytes(at: 3, count: 1).first ?? 0) & 1 == 1 else {
                    throw RedactionError(.unknownPart, "media data in another file")
                }
            }
        }
    }

    /// When it was made and changed, in `mvhd`, `tkhd` and `mdhd`.
    private mutating func clearTimes(_ box: BoxEdit.Part) {
        guard profile == .all else { return }
        let isLong = box.payload.bytes(at: 0, count: 1).first == 1
        let end = min(box.end, box.payloadStart + (isLong ? 20 : 12))
        if box.payloadStart + 4 < end { boxes.edit.clear(box.payloadStart + 4..<end) }
    }
}
