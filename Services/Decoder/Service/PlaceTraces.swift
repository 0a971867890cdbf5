import Containers
import Imaging
import Movies

/// Whether a file may say where it was made, also where no reader of ours finds it.
///
/// Only what is known to say nothing of the kind is let pass; everything that is not known, or not understood to its
/// end, may. GPS directories, XMP, IPTC, makers' notes and tracks of anything but pictures and sound are never looked
/// into: that they are there is enough.
enum PlaceTraces {
    /// Whether there may be some in a file of this type.
    static func mayBe(in bytes: RandomAccessBytes, type: FileType) -> Bool {
        switch type {
        case .jpeg: jpeg(bytes)
        case .png: png(bytes)
        case .webP: webP(bytes)
        // It has no place for metadata.
        case .bmp: false
        case .tiff: block(bytes)
        case .heic, .heif, .avif: items(bytes)
        case .quickTime, .mpeg4, .m4v, .threeGPP: film(bytes)
        // Raw pictures, GIF, Matroska, AVI, streams of MPEG: their metadata is not read to its end.
        default: true
        }
    }

    // MARK: - Pictures

    private static func jpeg(_ bytes: RandomAccessBytes) -> Bool {
        guard bytes.count <= PictureSource.maximumByteCount else { return true }
        let all = bytes.bytes(at: 0, count: Int(bytes.count))
        guard let parts = try? JPEGSegments(all), parts.scanStart != nil else { return true }
        // Behind the picture there may be another one, or a film.
        if let end = parts.end, all[end...].contains(where: { $0 != 0 }) { return true }
        return parts.segments.contains { segment in
            let payload = all[segment.payload]
            func has(_ mark: String) -> Bool { payload.starts(with: mark.utf8) }
            return switch segment.marker {
            case 0xE0: !has("JFIF\0") && !has("JFXX\0")
            case 0xE1: !has("Exif\0") || block(RandomAccessBytes(Array(payload.dropFirst(6))))
            case 0xE2: !has("ICC_PROFILE\0")
            case 0xEE: !has("Adobe")
            case 0xE3...0xED, 0xEF: true
            // Tables, the frame, and comments, which are prose.
            default: false
            }
        }
    }

    /// Source: PNG (Third Edition) section 11.
    private static func png(_ bytes: RandomAccessBytes) -> Bool {
        let known: Set<String> = [
            "IHDR", "PLTE", "IDAT", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD",
            "hIST", "pHYs", "sPLT", "tIME", "acTL", "fcTL", "fdAT",
        ]
        let prose: Set<String> = [
            "Title", "Author", "Copyright", "Creation Time", "Software", "Disclaimer", "Warning", "Source",
        ]
        var position: Int64 = 8
        for _ in 0..<PNGReader.maximumChunkCount {
            guard let head = bytes.fields(at: position, count: 8), let length = head.uint32(0) else { return true }
            let name = String(decoding: head.bytes[4...], as: UTF8.self)
            let chunk = bytes.part(at: position + 8, count: Int64(length))
            position += 12 + Int64(length)
            switch name {
            case "IEND": return position < bytes.count
            case "eXIf": if block(chunk) { return true }
            case "tEXt", "zTXt", "iTXt":
                let keyword = chunk.bytes(at: 0, count: 80).prefix { $0 != 0 }
                if !prose.contains(String(decoding: keyword, as: UTF8.self)) { return true }
            default: if !known.contains(name) { return true }
            }
        }
        return true
    }

    /// Source: RFC 9649 section 2.7.
    private static func webP(_ bytes: RandomAccessBytes) -> Bool {
        let known: Set<String> = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]
        var position: Int64 = 12
        for _ in 0..<WebPReader.maximumChunkCount {
            if position >= bytes.count { return false }
            guard let head = bytes.fields(at: position, count: 8, order: .littleEndian), let length = head.uint32(4)
            else { return true }
            let name = String(decoding: head.bytes.prefix(4), as: UTF8.self)
            let chunk = bytes.part(at: position + 8, count: Int64(length))
            position += 8 + Int64(length) + Int64(length % 2)
            if name == "EXIF" {
                let isMarked = chunk.fields(at: 0, count: 6)?.has("Exif\0", at: 0) == true
                if block(isMarked ? chunk.part(at: 6) : chunk) { return true }
            } else if !known.contains(name) {
                return true
            }
        }
        return true
    }

    /// Source: ISO/IEC 23008-12 clause 6, ISO/IEC 23000-22 (MIAF): items that are pictures or made of such.
    private static func items(_ bytes: RandomAccessBytes) -> Bool {
        let pictures: Set<String> = ["hvc1", "hvt1", "av01", "jpeg", "grid", "iovl", "iden", "tmap"]
        let known: Set<FourCharacterCode> = ["ftyp", "meta", "mdat", "free", "skip"]
        let boxes = bytes.boxes()
        guard let reader = HEIFReader(bytes), boxes.allSatisfy({ known.contains($0.name) && !$0.isCutShort }),
            boxes.last?.header.end == bytes.count
        else { return true }
        return reader.items.values.contains { item in
            guard item.type == "Exif" else { return !pictures.contains(item.type) }
            guard item.parts.count == 1, let part = item.parts.first,
                let skip = part.fields(at: 0, count: 4)?.uint32(0)
            else { return true }
            return block(part.part(at: 4 + Int64(skip)))
        }
    }

    // MARK: - The block of EXIF

    private static let placeTags: Set<UInt16> = [
        // GPS directory, XMP, IPTC, Photoshop, maker's note, interoperability of a maker (DNG's private data).
        0x8825, 0x02BC, 0x83BB, 0x8649, 0x927C, 0xC634,
    ]

    /// Whether a TIFF structure has one of the tags, or can not be read to its end.
    private static func block(_ bytes: RandomAccessBytes) -> Bool {
        guard let structure = TIFFStructure(bytes) else { return true }
        let chain = structure.chain(limit: 64)
        guard !chain.isEmpty, chain.count < 64 else { return true }
        var rest = chain
        var seen = 0
        while let directory = rest.popLast() {
            seen += 1
            guard directory.isWhole, seen < 256, directory.tags.isDisjoint(with: placeTags) else { return true }
            // EXIF, interoperability and pictures below this one.
            for tag: UInt16 in [0x8769, 0xA005, 0x014A] where directory.tags.contains(tag) {
                let places = structure.integers(directory.entries[tag], limit: 17)
                guard (1...16).contains(places.count) else { return true }
                for place in places {
                    guard let below = structure.directory(at: place) else { return true }
                    rest.append(below)
                }
            }
        }
        // A directory that is pointed to and can not be read ends the chain as its true end does.
        return chain.last?.next != 0
    }

    // MARK: - Films

    /// Source: ISO/IEC 14496-12 clause 8; QuickTime File Format, "Movie Atoms", "User Data Atoms", "Metadata".
    private static func film(_ bytes: RandomAccessBytes) -> Bool {
        let outer: Set<FourCharacterCode> = [
            "ftyp", "styp", "free", "skip", "wide", "mdat", "moov", "moof", "mfra", "sidx", "pdin",
        ]
        let boxes = bytes.boxes(limit: MovieReader.maximumTopLevelBoxCount)
        guard boxes.allSatisfy({ outer.contains($0.name) }), boxes.last?.header.end == bytes.count,
            boxes.count(where: { $0.name == "moov" }) == 1, let movie = boxes.first(where: { $0.name == "moov" })
        else { return true }
        return hasTraces(movie) { part in
            switch part.name {
            case "mvhd", "mvex", "iods": false
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
            case "tkhd", "edts", "tref", "tapt", "load": return false
            case "mdia":
                let handler = part.child("hdlr")?.payload.fields(at: 8, count: 4)
                return handler?.has("vide", at: 0) != true && handler?.has("soun", at: 0) != true
            case "udta": return userData(part)
            case "meta": return metadata(part)
            default: return true
            }
        }
    }

    /// The day, maker, model, software, encoder, name, format: with © in Mac Roman, 0xA9.
    private static let proseNames: Set<UInt32> = [
        0xA964_6179, 0xA96D_616B, 0xA96D_6F64, 0xA973_7772, 0xA974_6F6F, 0xA965_6E63, 0xA96E_616D, 0xA966_6D74,
    ]

    private static func userData(_ box: FoundBox) -> Bool {
        hasTraces(box) { item in
            switch item.name {
            case "meta": metadata(item)
            case "name", "hnti", "hinf", "LOOP", "SelO", "AllF", "WLOC": false
            default: !proseNames.contains(item.name.rawValue)
            }
        }
    }

    private static func metadata(_ box: FoundBox) -> Bool {
        let known: Set<String> = ["make", "model", "software", "creationdate"]
        let isPlain = box.payload.fields(at: 4, count: 4)?.has("hdlr", at: 0) == true
        let skip: Int64 = isPlain ? 0 : 4
        if hasTraces(box, skip: skip, { !["hdlr", "keys", "ilst", "free"].contains($0.name) }) { return true }
        let parts = box.children(skip: skip)
        guard let keys = parts.first(where: { $0.name == "keys" }) else {
            guard let list = parts.first(where: { $0.name == "ilst" }) else { return false }
            return hasTraces(list) { !proseNames.contains($0.name.rawValue) }
        }
        return hasTraces(keys, skip: 8) { key in
            let name = String(decoding: key.payload.bytes(at: 0, count: 128), as: UTF8.self)
            let prefix = "com.apple.quicktime."
            return !name.hasPrefix(prefix) || !known.contains(String(name.dropFirst(prefix.count)))
        }
    }

    /// Whether one of the boxes in a box has traces, or they do not fill it to its end.
    private static func hasTraces(_ box: FoundBox, skip: Int64 = 0, _ body: (FoundBox) -> Bool) -> Bool {
        let payload = box.payload.part(at: skip)
        let parts = payload.boxes()
        let end = parts.last?.header.end ?? 0
        // User data of QuickTime may end with four zero bytes.
        let rest = payload.part(at: end)
        let isFilled = end == payload.count || (rest.count < 8 && rest.bytes(at: 0, count: 8).allSatisfy { $0 == 0 })
        return box.isCutShort || !isFilled || parts.contains(where: body)
    }
}
