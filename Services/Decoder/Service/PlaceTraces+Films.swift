import Containers
import Movies
import Redaction

extension PlaceTraces {
    /// Whether a film may say where it was made.
    ///
    /// Source: ISO/IEC 14496-12 clause 8; QuickTime File Format, "Movie Atoms", "User Data Atoms", "Metadata".
    static func film(_ bytes: RandomAccessBytes) -> Bool {
        let boxes = bytes.boxes(limit: MovieReader.maximumTopLevelBoxCount)
        guard boxes.last?.header.end == bytes.count, boxes.count(where: { $0.name == "moov" }) == 1 else { return true }
        return boxes.contains { box in
            switch box.name {
            case "mdat": false
            case "moov": head(box)
            case "moof":
                hasTraces(box) { part in
                    !MovieParts.fragment.contains(part.name)
                        || (part.name == "traf" && hasTraces(part) { !MovieParts.run.contains($0.name) })
                }
            case let name where MovieParts.space.contains(name): !isEmptySpace(box)
            default: !MovieParts.stream.contains(box.name)
            }
        }
    }

    private static func head(_ box: FoundBox) -> Bool {
        hasTraces(box) { part in
            switch part.name {
            case "mvhd", "iods": false
            case "mvex": hasTraces(part) { !MovieParts.defaults.contains($0.name) }
            case "trak": track(part)
            case "udta": userData(part)
            case "meta": metadata(part)
            default: true
            }
        }
    }

    private static func track(_ box: FoundBox) -> Bool {
        hasTraces(box) { part in
            switch part.name {
            case "tkhd", "tref": return false
            case "mdia":
                let handler = part.child("hdlr")?.payload.fields(at: 8, count: 4)
                return handler?.has("vide", at: 0) != true && handler?.has("soun", at: 0) != true || media(part)
            case "udta": return userData(part)
            case "meta": return metadata(part)
            default: return !MovieParts.timing.contains(part.name)
            }
        }
    }

    /// What describes the samples has boxes that are not known where makers put their own.
    private static func media(_ box: FoundBox) -> Bool {
        hasTraces(box) { part in
            guard part.name == "minf" else { return !MovieParts.media.contains(part.name) }
            return hasTraces(part) { inner in
                guard inner.name == "stbl" else { return !MovieParts.information.contains(inner.name) }
                return hasTraces(inner) { !MovieParts.samples.contains($0.name) }
            }
        }
    }

    private static func userData(_ box: FoundBox) -> Bool {
        hasTraces(box) { item in
            switch item.name {
            case "meta": metadata(item)
            default: !MovieParts.players.contains(item.name) && !MovieParts.prose.contains(item.name.rawValue)
            }
        }
    }

    private static func metadata(_ box: FoundBox) -> Bool {
        let isPlain = box.payload.fields(at: 4, count: 4)?.has("hdlr", at: 0) == true
        let skip: Int64 = isPlain ? 0 : 4
        if hasTraces(box, skip: skip, { !["hdlr", "keys", "ilst"].contains($0.name) }) { return true }
        let parts = box.children(skip: skip)
        guard let keys = parts.first(where: { $0.name == "keys" }) else {
            guard let list = parts.first(where: { $0.name == "ilst" }) else { return false }
            return hasTraces(list) { !MovieParts.prose.contains($0.name.rawValue) }
        }
        return hasTraces(keys, skip: 8) { key in
            !MovieParts.isKey(String(decoding: key.payload.bytes(at: 0, count: 128), as: UTF8.self))
        }
    }

    /// Whether a box is space, and nothing is left in it.
    static func isEmptySpace(_ box: FoundBox) -> Bool {
        MovieParts.space.contains(box.name) && !box.isCutShort && isZero(box.payload, 0..<box.payload.count)
    }

    /// Whether one of the boxes in a box has traces, or they do not fill it to its end; empty space has none.
    static func hasTraces(_ box: FoundBox, skip: Int64 = 0, _ body: (FoundBox) -> Bool) -> Bool {
        let payload = box.payload.part(at: skip)
        let parts = payload.boxes()
        let end = parts.last?.header.end ?? 0
        // User data of QuickTime may end with four zero bytes.
        let rest = payload.part(at: end)
        let isFilled = end == payload.count || (rest.count < 8 && rest.bytes(at: 0, count: 8).allSatisfy { $0 == 0 })
        return box.isCutShort || !isFilled || parts.contains { !isEmptySpace($0) && body($0) }
    }
}
