/// The directories of a TIFF structure: a TIFF file, a raw picture built on it, or the metadata block of EXIF.
///
/// Source: TIFF 6.0 section 2; EXIF 2.32 section 4.6.2. Every read is bounded: directories by the number of their
/// entries, values by what the caller is ready to take.
package struct TIFFStructure {
    /// One entry of a directory: where its values lie, not the values.
    package struct Entry {
        package let type: UInt16
        package let count: Int64
        /// Offset of the first value in the structure.
        package let offset: Int64
    }

    /// A directory's entries by tag, and the offset of the next directory or 0.
    package struct Directory {
        package let entries: [UInt16: Entry]
        package let next: Int64
        /// All tags, also of entries whose type is not known.
        package let tags: Set<UInt16>
        /// Whether every entry was there and looked at.
        package let isWhole: Bool
    }

    /// More entries than any camera writes; the rest of a longer directory is not looked at.
    package static let maximumEntryCount = 2048

    package let bytes: RandomAccessBytes
    package let order: ByteOrder
    /// Offset of the first directory.
    package let firstDirectory: Int64

    /// Finds the header; nil if there is none (BigTIFF has another one and is not read).
    ///
    /// The magic number is not asked for beyond what `magic` lists: raw formats have numbers of their own.
    package init?(_ bytes: RandomAccessBytes, magic: Set<UInt16> = [42]) {
        let start = bytes.bytes(at: 0, count: 8)
        guard start.count == 8 else { return nil }
        switch (start[0], start[1]) {
        case (0x49, 0x49): order = .littleEndian
        case (0x4D, 0x4D): order = .bigEndian
        default: return nil
        }
        let header = ByteFields(start, order: order)
        guard let number = header.uint16(2), magic.contains(number), let first = header.uint32(4) else { return nil }
        self.bytes = bytes
        firstDirectory = Int64(first)
    }

    /// The directory at `offset`, or nil where none can be.
    package func directory(at offset: Int64) -> Directory? {
        guard offset >= 8, let head = bytes.fields(at: offset, count: 2, order: order), let count = head.uint16(0),
            count > 0
        else { return nil }
        let wanted = min(Int(count), Self.maximumEntryCount)
        let table = ByteFields(bytes.bytes(at: offset + 2, count: wanted * 12), order: order)
        var entries: [UInt16: Entry] = [:]
        var tags: Set<UInt16> = []
        var isWhole = wanted == Int(count)
        for index in 0..<wanted {
            let place = index * 12
            guard let tag = table.uint16(place), let type = table.uint16(place + 2),
                let count = table.uint32(place + 4),
                let value = table.uint32(place + 8)
            else {
                isWhole = false
                break
            }
            tags.insert(tag)
            guard let size = Self.byteCount(of: type), entries[tag] == nil else { continue }
            let isInline = Int64(count) * size <= 4
            let valueOffset = isInline ? offset + 2 + Int64(place) + 8 : Int64(value)
            entries[tag] = Entry(type: type, count: Int64(count), offset: valueOffset)
        }
        let next = bytes.fields(at: offset + 2 + Int64(count) * 12, count: 4, order: order)?.uint32(0) ?? 0
        return Directory(entries: entries, next: Int64(next), tags: tags, isWhole: isWhole)
    }

    /// The chain of directories from the first one; at most `limit`, and none twice.
    package func chain(limit: Int = 16) -> [Directory] {
        var found: [Directory] = []
        var seen: Set<Int64> = []
        var offset = firstDirectory
        while found.count < limit, seen.insert(offset).inserted, let directory = directory(at: offset) {
            found.append(directory)
            offset = directory.next
        }
        return found
    }

    /// The text of an ASCII entry (or of bytes that hold one) up to its first NUL, without spaces around it.
    ///
    /// Bytes that are not UTF-8 and control characters are replaced; at most `limit` bytes are read.
    package func text(_ entry: Entry?, limit: Int = 1024) -> String? {
        guard let entry, [1, 2, 7].contains(entry.type) else { return nil }
        let raw = bytes.bytes(at: entry.offset, count: Int(min(entry.count, Int64(limit)))).prefix { $0 != 0 }
        let cleaned = raw.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
        let trimmed = cleaned.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
        return trimmed.isEmpty ? nil : String(decoding: Array(trimmed), as: UTF8.self)
    }

    /// The whole numbers of an entry; at most `limit` of them.
    package func integers(_ entry: Entry?, limit: Int = 64) -> [Int64] {
        guard let entry, let size = Self.byteCount(of: entry.type) else { return [] }
        let count = Int(min(entry.count, Int64(limit)))
        let fields = ByteFields(bytes.bytes(at: entry.offset, count: count * Int(size)), order: order)
        return (0..<count).compactMap { index -> Int64? in
            switch entry.type {
            case 1, 7: fields.uint8(index).map { Int64($0) }
            case 3: fields.uint16(index * 2).map { Int64($0) }
            case 4, 13: fields.uint32(index * 4).map { Int64($0) }
            case 6: fields.uint8(index).map { Int64(Int8(bitPattern: $0)) }
            case 8: fields.uint16(index * 2).map { Int64(Int16(bitPattern: $0)) }
            case 9: fields.int32(index * 4).map { Int64($0) }
            default: nil
            }
        }
    }

    /// The fractions of an entry; nil stands for one whose denominator is zero, which means "not known".
    package func rationals(_ entry: Entry?, limit: Int = 8) -> [Double?] {
        guard let entry, entry.type == 5 || entry.type == 10 else { return [] }
        let count = Int(min(entry.count, Int64(limit)))
        let fields = ByteFields(bytes.bytes(at: entry.offset, count: count * 8), order: order)
        var found: [Double?] = []
        for index in 0..<count {
            guard let top = fields.uint32(index * 8), let bottom = fields.uint32(index * 8 + 4) else { break }
            if bottom == 0 {
                found.append(nil)
            } else if entry.type == 5 {
                found.append(Double(top) / Double(bottom))
            } else {
                found.append(Double(Int32(bitPattern: top)) / Double(Int32(bitPattern: bottom)))
            }
        }
        return found
    }

    /// Bytes of one value of a type; nil for a type that TIFF 6.0 does not know.
    package static func byteCount(of type: UInt16) -> Int64? {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }
}
