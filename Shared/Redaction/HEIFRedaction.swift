import Containers
import MessageSchema
import Movies

/// A HEIC, HEIF or AVIF without metadata, of the same size: pictures, what they are made of and how they are shown stay.
///
/// Items of anything else become zeros, and so does what no item that stays points to. How the picture is turned is a
/// property of it and stays.
///
/// Source: ISO/IEC 14496-12 clause 8.11; ISO/IEC 23008-12 clauses 6 and 9; AV1 Image File Format.
struct HEIFRedaction {
    private static let emptyXMP = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'></x:xmpmeta>".utf8)

    private let bytes: RandomAccessBytes
    private let profile: PrivacyProfile
    private var boxes = BoxEdit()
    private var kept = ByteRanges()

    static func plan(_ bytes: RandomAccessBytes, _ profile: PrivacyProfile) throws(RedactionError) -> Redaction {
        var redaction = HEIFRedaction(bytes: bytes, profile: profile)
        return try redaction.plan()
    }

    private init(bytes: RandomAccessBytes, profile: PrivacyProfile) {
        self.bytes = bytes
        self.profile = profile
    }

    private mutating func plan() throws(RedactionError) -> Redaction {
        let outer = try boxes.parts(of: bytes, at: 0, in: "the picture")
        guard !outer.contains(where: { $0.name == "moov" }) else {
            throw RedactionError(.unsupportedType, "a sequence of pictures")
        }
        guard let meta = outer.first(where: { $0.name == "meta" }), outer.count(where: { $0.name == "meta" }) == 1
        else { throw RedactionError(.damaged, "a picture with none or several heads") }
        let parts = try boxes.keep(HEIFParts.structure, in: meta, skip: 4)
        let inside = parts.first { $0.name == "idat" }
        for part in parts where part.name == "iprp" { try clean(properties: part) }
        guard let information = parts.first(where: { $0.name == "iinf" }),
            let locations = parts.first(where: { $0.name == "iloc" })
        else { throw RedactionError(.damaged, "a picture without items") }
        let items = try ItemTypes(information, &boxes)
        for place in try ItemExtents(locations.payload, inside: inside, in: bytes.count).all {
            try clean(place, as: items.types[place.item] ?? "")
        }
        let data = outer.filter { $0.name == "mdat" } + [inside].compactMap { $0 }
        guard let gaps = ByteRanges.gaps(in: data.map { $0.payloadStart..<$0.end }, between: kept.joined) else {
            throw RedactionError(.damaged, "items that are not in the data")
        }
        for gap in gaps { boxes.edit.clear(gap) }
        for box in outer where !["ftyp", "meta", "mdat"].contains(box.name) { boxes.free(box) }
        return try boxes.edit.redaction(of: bytes.count)
    }

    private mutating func clean(_ place: ItemExtents.Place, as type: String) throws(RedactionError) {
        let range = place.range
        let part = bytes.part(at: range.lowerBound, count: Int64(range.count))
        switch type {
        case "Exif":
            guard place.isOnly, range.count <= EXIFRedaction.maximumByteCount,
                // So many bytes stand before the block.
                let skip = part.fields(at: 0, count: 4)?.uint32(0), Int64(skip) <= 16
            else { throw RedactionError(.damaged, "an EXIF block") }
            let start = range.lowerBound + 4 + Int64(skip)
            let block = bytes.part(at: start, count: range.upperBound - start)
            let cleaned = try EXIFRedaction.block(block, filling: block.count, profile)
            boxes.edit.write(cleaned, at: start)
            try kept.insert(range)
        case "jpeg":
            try kept.insert(range)
            for found in try JPEGRedaction.metadata(in: part) {
                boxes.edit.clear(range.lowerBound + found.lowerBound..<range.lowerBound + found.upperBound)
            }
        case "mime":
            guard range.count <= EXIFRedaction.maximumByteCount else { throw RedactionError(.tooLarge, "an item") }
            // Empty XMP, where there is room for it.
            let empty = range.count >= Self.emptyXMP.count ? Self.emptyXMP : []
            boxes.edit.write(empty + [UInt8](repeating: 0x20, count: range.count - empty.count), at: range.lowerBound)
            try kept.insert(range)
        default: if HEIFParts.pictures.contains(type) { try kept.insert(range) }
        }
    }

    /// The numbers of properties count, so one that goes becomes empty and stays.
    private mutating func clean(properties box: BoxEdit.Part) throws(RedactionError) {
        for part in try boxes.keep(["ipco", "ipma"], in: box) where part.name == "ipco" {
            for property in try boxes.children(of: part) {
                let isCleared =
                    HEIFParts.words.contains(property.name)
                    || (HEIFParts.times.contains(property.name) && profile == .all)
                if isCleared {
                    boxes.edit.clear(property.payloadStart..<property.end)
                } else if !HEIFParts.properties.contains(property.name), !HEIFParts.times.contains(property.name) {
                    throw RedactionError(.unknownPart, "property \(property.name)")
                }
            }
        }
    }
}
