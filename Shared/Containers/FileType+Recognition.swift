extension FileType {
    /// Recognises a file by its content: a few hundred bytes are read, some kilobytes for TIFF.
    package init(recognising bytes: RandomAccessBytes) {
        let start = ByteFields(bytes.bytes(at: 0, count: 64))
        self =
            bytes.count == 0
            ? .empty
            : Self.picture(start) ?? Self.raw(start) ?? Self.tiff(start, bytes) ?? Self.boxed(start, bytes)
                ?? Self.riff(start) ?? Self.stream(start, bytes) ?? Self.sound(start) ?? .unknown
    }

    private static func picture(_ start: ByteFields) -> FileType? {
        let first = start.bytes
        if first.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if first.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if start.has("GIF87a", at: 0) || start.has("GIF89a", at: 0) { return .gif }
        // BITMAPINFOHEADER and its kin: the size of the second header is a small number.
        if start.has("BM", at: 0), let size = ByteFields(first, order: .littleEndian).uint32(14),
            [12, 16, 40, 52, 56, 64, 108, 124].contains(size)
        {
            return .bmp
        }
        return nil
    }

    private static func raw(_ start: ByteFields) -> FileType? {
        if start.has("FUJIFILMCCD-RAW", at: 0) { return .raf }
        if start.has("IIU\0", at: 0) { return .rw2 }
        if start.has("IIRO", at: 0) || start.has("IIRS", at: 0) || start.has("MMOR", at: 0) { return .orf }
        return nil
    }

    /// TIFF, or the raw format that is built on it: by Adobe's version tag, Canon's mark, the maker's name.
    private static func tiff(_ start: ByteFields, _ bytes: RandomAccessBytes) -> FileType? {
        if start.bytes.starts(with: [0x49, 0x49, 0x2B, 0]) || start.bytes.starts(with: [0x4D, 0x4D, 0, 0x2B]) {
            return .tiff
        }
        guard let structure = TIFFStructure(bytes) else { return nil }
        if start.has("CR", at: 8) { return .cr2 }
        guard let main = structure.directory(at: structure.firstDirectory) else { return .tiff }
        if main.entries[0xC612] != nil { return .dng }
        let hasSubdirectories = main.entries[0x014A] != nil
        let isReduced = structure.integers(main.entries[0x00FE]).first.map { $0 & 1 == 1 } ?? false
        let compression = structure.integers(main.entries[0x0103]).first
        switch structure.text(main.entries[0x010F])?.uppercased().prefix(5) {
        case "NIKON" where hasSubdirectories && (isReduced || compression == 34713): return .nef
        case "SONY" where main.entries[0xC634] != nil || compression == 32767: return .arw
        case "PENTA" where compression == 65535: return .pef
        default: return .tiff
        }
    }

    /// ISO base media and QuickTime files: by the brands of `ftyp`, or the first atom of an old QuickTime file.
    private static func boxed(_ start: ByteFields, _ bytes: RandomAccessBytes) -> FileType? {
        guard start.has("ftyp", at: 4) else {
            let atoms: [StaticString] = ["moov", "mdat", "wide", "pnot"]
            if atoms.contains(where: { start.has($0, at: 4) }) { return .quickTime }
            let fillers: [StaticString] = ["free", "skip"]
            guard fillers.contains(where: { start.has($0, at: 4) }), let size = start.uint32(0),
                let next = bytes.fields(at: Int64(size), count: 8)
            else { return nil }
            return atoms.contains(where: { next.has($0, at: 4) }) || next.has("ftyp", at: 4) ? .quickTime : nil
        }
        let size = min(max(16, Int(start.uint32(0) ?? 16)), 512)
        let box = bytes.bytes(at: 0, count: size)
        var brands: [String] = []
        for place in stride(from: 8, to: box.count - 3, by: 4) where place != 12 {
            brands.append(String(decoding: box[place..<place + 4], as: UTF8.self))
        }
        return brand(brands.first ?? "", compatible: brands)
    }

    private static func brand(_ major: String, compatible: [String]) -> FileType {
        switch major {
        case "qt  ": .quickTime
        case "heic", "heix", "heim", "heis", "hevc", "hevx": .heic
        case "avif", "avis": .avif
        case "mif1", "msf1", "mif2":
            compatible.contains("avif") ? .avif : compatible.contains(where: { $0.hasPrefix("he") }) ? .heic : .heif
        case "crx ": .cr3
        case "M4V ", "M4VH", "M4VP": .m4v
        case "M4A ", "M4B ", "M4P ": .m4a
        case _ where major.hasPrefix("3g"): .threeGPP
        default: .mpeg4
        }
    }

    private static func riff(_ start: ByteFields) -> FileType? {
        if start.has("RIFF", at: 0) || start.has("RF64", at: 0) {
            if start.has("WEBP", at: 8) { return .webP }
            if start.has("AVI ", at: 8) { return .avi }
            return start.has("WAVE", at: 8) ? .wave : nil
        }
        guard start.has("FORM", at: 0), start.has("AIF", at: 8) else { return nil }
        return .aiff
    }

    private static func stream(_ start: ByteFields, _ bytes: RandomAccessBytes) -> FileType? {
        let first = start.bytes
        if first.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            // EBML: the document type stands in the header, which is short (RFC 8794 section 11.2).
            let text = bytes.bytes(at: 0, count: 64)
            return ByteFields.contains("webm", in: text)
                ? .webM : ByteFields.contains("matroska", in: text) ? .matroska : nil
        }
        if first.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) { return .windowsMedia }
        if first.starts(with: [0, 0, 1, 0xBA]) || first.starts(with: [0, 0, 1, 0xB3]) { return .programStream }
        // Packets of 188 bytes, or 192 with a time stamp before each (ISO/IEC 13818-1; Blu-ray).
        for (offset, packet) in [(0, 188), (4, 192)] {
            let marks = (0..<3).map { bytes.bytes(at: Int64(offset + $0 * packet), count: 1).first }
            if marks.allSatisfy({ $0 == 0x47 }) { return .transportStream }
        }
        return nil
    }

    private static func sound(_ start: ByteFields) -> FileType? {
        if start.has("ID3", at: 0) { return .mp3 }
        if start.has("fLaC", at: 0) { return .flac }
        if start.has("OggS", at: 0) { return .ogg }
        // A frame of MPEG audio: eleven bits set, layer III.
        guard let mark = start.uint16(0), mark & 0xFFE6 == 0xFFE2, let rate = start.uint8(2), rate & 0xF0 != 0xF0
        else { return nil }
        return .mp3
    }
}

extension ByteFields {
    /// Whether these ASCII characters stand anywhere in `bytes`.
    package static func contains(_ text: StaticString, in bytes: [UInt8]) -> Bool {
        let fields = ByteFields(bytes)
        return bytes.indices.contains { fields.has(text, at: $0) }
    }
}
