import Containers
import Imaging
import Movies
import Redaction

/// Whether a file may say where it was made, also where no reader of ours finds it.
///
/// Only what is known to say nothing of the kind is let pass; everything that is not known, or not understood to its
/// end, may. GPS directories, XMP, IPTC, makers' notes, comments and tracks of anything but pictures and sound are
/// never looked into: that they are there is enough. What is known is what `Redaction` lets stay where the place is taken
/// out. Bytes that no part of a file needs are looked at in free space, and behind a picture, alone.
enum PlaceTraces {
    /// Whether there may be some in a file of this type.
    static func mayBe(in bytes: RandomAccessBytes, type: FileType) -> Bool {
        switch type {
        case .jpeg: jpeg(bytes)
        case .png: png(bytes)
        case .webP: webP(bytes)
        // It has no place for metadata.
        case .bmp: false
        case .tiff: block(bytes, isFile: true)
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
        guard let parts = try? JPEGSegments(all), let scan = parts.scanStart else { return true }
        // Between scans and behind the picture, where there may be another one, or a film.
        guard !hasMetadata(inJPEG: bytes, from: Int64(scan)) else { return true }
        return parts.segments.contains { segment in
            let payload = all[segment.payload]
            func has(_ mark: String) -> Bool { payload.starts(with: mark.utf8) }
            return switch segment.marker {
            // Frames and tables.
            case 0xC0...0xC7, 0xC9...0xCF, 0xDB...0xDF: false
            // Without a thumbnail.
            case 0xE0: !has("JFIF\0") || payload.count != 14
            case 0xE1: !has("Exif\0") || block(RandomAccessBytes(Array(payload.dropFirst(6))))
            case 0xE2: !has("ICC_PROFILE\0")
            case 0xEE: !has("Adobe") || payload.count != 12
            default: true
            }
        }
    }

    /// Whether a JPEG has metadata, not all zeros, from a place on; what does not begin like a JPEG has none.
    private static func hasMetadata(inJPEG bytes: RandomAccessBytes, from start: Int64 = 0) -> Bool {
        guard let found = try? JPEGRedaction.metadata(in: bytes) else { return true }
        return found.contains { $0.lowerBound >= start && !isZero(bytes, $0) }
    }

    /// Whether there is nothing but zeros in a range.
    static func isZero(_ bytes: RandomAccessBytes, _ range: Range<Int64>) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound {
            let found = bytes.bytes(at: position, count: Int(min(range.upperBound - position, 1 << 16)))
            guard !found.isEmpty, found.allSatisfy({ $0 == 0 }) else { return false }
            position += Int64(found.count)
        }
        return true
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
            case "tEXt":
                let keyword = chunk.bytes(at: 0, count: 80).prefix { $0 != 0 }
                if !prose.contains(String(decoding: keyword, as: UTF8.self)) { return true }
            default: if !known.contains(name) { return true }
            }
        }
        return true
    }

    /// Source: RFC 9649 section 2.7.
    private static func webP(_ bytes: RandomAccessBytes) -> Bool {
        chunks(bytes, at: 12, ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP", "EXIF"])
    }

    private static func chunks(_ bytes: RandomAccessBytes, at start: Int64, _ known: Set<String>) -> Bool {
        var position = start
        for _ in 0..<WebPReader.maximumChunkCount {
            if position >= bytes.count { return false }
            guard let head = bytes.fields(at: position, count: 8, order: .littleEndian), let length = head.uint32(4)
            else { return true }
            let name = String(decoding: head.bytes.prefix(4), as: UTF8.self)
            let chunk = bytes.part(at: position + 8, count: Int64(length))
            position += 8 + Int64(length) + Int64(length % 2)
            guard known.contains(name) else { return true }
            if name == "EXIF" {
                let isMarked = chunk.fields(at: 0, count: 6)?.has("Exif\0", at: 0) == true
                if block(isMarked ? chunk.part(at: 6) : chunk) { return true }
            } else if name == "ANMF", chunks(chunk, at: 16, ["VP8 ", "VP8L", "ALPH"]) {
                return true
            }
        }
        return true
    }

    /// Source: ISO/IEC 23008-12 clause 6, ISO/IEC 23000-22 (MIAF): items that are pictures or made of such.
    private static func items(_ bytes: RandomAccessBytes) -> Bool {
        let known: Set<FourCharacterCode> = ["ftyp", "meta", "mdat"]
        let boxes = bytes.boxes()
        guard let reader = HEIFReader(bytes), boxes.last?.header.end == bytes.count,
            boxes.allSatisfy({ !$0.isCutShort && (known.contains($0.name) || isEmptySpace($0)) }),
            boxes.count(where: { $0.name == "meta" }) == 1, let meta = boxes.first(where: { $0.name == "meta" }),
            !hasTraces(meta, skip: 4, { $0.name == "iprp" ? properties($0) : !HEIFParts.structure.contains($0.name) })
        else { return true }
        return reader.items.values.contains { item in
            switch item.type {
            case "Exif":
                guard item.parts.count == 1, let part = item.parts.first,
                    let skip = part.fields(at: 0, count: 4)?.uint32(0)
                else { return true }
                return block(part.part(at: 4 + Int64(skip)))
            case "jpeg": return item.parts.count != 1 || item.parts.contains { hasMetadata(inJPEG: $0) }
            default: return !HEIFParts.pictures.contains(item.type)
            }
        }
    }

    /// What pictures are told to be like, texts for readers among it.
    private static func properties(_ box: FoundBox) -> Bool {
        hasTraces(box) { part in
            guard part.name == "ipco" else { return part.name != "ipma" }
            return hasTraces(part) { property in
                HEIFParts.words.contains(property.name)
                    ? !isZero(property.payload, 0..<property.payload.count)
                    : !HEIFParts.properties.contains(property.name) && !HEIFParts.times.contains(property.name)
            }
        }
    }

    // MARK: - The block of EXIF

    /// More parts of a picture are not looked at.
    private static let maximumPartCount = 1 << 16

    /// Whether a TIFF structure has a tag that may say where, or can not be read to its end.
    ///
    /// `isFile` is whether its first directory has a picture, and does not only describe the one around the block.
    private static func block(_ bytes: RandomAccessBytes, isFile: Bool = false) -> Bool {
        guard let structure = TIFFStructure(bytes) else { return true }
        let chain = structure.chain(limit: 64)
        guard !chain.isEmpty, chain.count < 64 else { return true }
        var rest: [(TIFFStructure.Directory, TIFFTags.Directory)] = chain.map { ($0, .picture) }
        if !isFile { rest[0].1 = .main }
        var seen = 0
        while let (directory, kind) = rest.popLast() {
            seen += 1
            guard directory.isWhole, seen < 256,
                directory.tags.allSatisfy({ TIFFTags.saysNoPlace($0, in: kind) }),
                kind != .picture || !pictures(of: directory, structure)
            else { return true }
            // EXIF, interoperability and pictures below this one.
            let pointers: [(UInt16, TIFFTags.Directory)] = [
                (TIFFTags.exif, .exif), (TIFFTags.interoperability, .interoperability),
                (TIFFTags.subdirectories, .picture),
            ]
            for (tag, kind) in pointers where directory.tags.contains(tag) {
                let places = structure.integers(directory.entries[tag], limit: 17)
                guard (1...16).contains(places.count) else { return true }
                for place in places {
                    guard let below = structure.directory(at: place) else { return true }
                    rest.append((below, kind))
                }
            }
        }
        // A directory that is pointed to and can not be read ends the chain as its true end does.
        return chain.last?.next != 0
    }

    /// Whether one of the JPEGs among the parts of a directory's picture has metadata of its own.
    private static func pictures(of directory: TIFFStructure.Directory, _ structure: TIFFStructure) -> Bool {
        // Strips, tiles and the one of a thumbnail: where they lie, and how many bytes they have.
        let tags: [(UInt16, UInt16)] = [(0x0111, 0x0117), (0x0144, 0x0145), (0x0201, 0x0202)]
        for (offsets, counts) in tags where directory.tags.contains(offsets) {
            let starts = structure.integers(directory.entries[offsets], limit: maximumPartCount + 1)
            let lengths = structure.integers(directory.entries[counts], limit: maximumPartCount + 1)
            guard starts.count == lengths.count, starts.count <= maximumPartCount else { return true }
            for (start, length) in zip(starts, lengths) {
                if hasMetadata(inJPEG: structure.bytes.part(at: start, count: length)) { return true }
            }
        }
        return false
    }
}
