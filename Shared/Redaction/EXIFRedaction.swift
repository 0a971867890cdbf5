import Containers
import MessageSchema

/// The EXIF block that a picture keeps.
enum EXIFRedaction {
    /// More is no block of a camera.
    static let maximumByteCount: Int64 = 16 << 20

    /// The block that stays; nil when nothing of it is needed.
    static func block(_ bytes: RandomAccessBytes, _ profile: PrivacyProfile) throws(RedactionError) -> [UInt8]? {
        guard bytes.count <= maximumByteCount else { throw RedactionError(.tooLarge, "the EXIF block") }
        if profile == .all { return try shown(bytes) }
        let cleaned = try TIFFRedaction.block(bytes, profile)
        var pieces = cleaned.pieces[...]
        // Where the thumbnail was is nothing.
        if case .zeros? = pieces.last { pieces.removeLast() }
        return pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .source(let range): bytes.bytes(at: range.lowerBound, count: range.count)
            case .literal(let literal): literal
            case .zeros(let count): [UInt8](repeating: 0, count: Int(count))
            }
        }
    }

    /// The block of `location` or `all` in as many bytes as there are.
    static func block(
        _ bytes: RandomAccessBytes,
        filling byteCount: Int64,
        _ profile: PrivacyProfile
    ) throws(RedactionError) -> [UInt8] {
        let block = try block(bytes, profile) ?? minimal(orientation: 1, colourSpace: nil, isAdobe: false)
        guard Int64(block.count) <= byteCount else { throw RedactionError(.damaged, "an EXIF block without room") }
        return block + [UInt8](repeating: 0, count: Int(byteCount) - block.count)
    }

    /// What shows the picture right: its orientation and its colours, when they are not the usual ones.
    private static func shown(_ bytes: RandomAccessBytes) throws(RedactionError) -> [UInt8]? {
        guard let structure = TIFFStructure(bytes), let main = structure.directory(at: structure.firstDirectory) else {
            throw RedactionError(.damaged, "an EXIF block that can not be read")
        }
        let orientation = structure.integers(main.entries[0x0112], limit: 1).first ?? 1
        let exif = structure.integers(main.entries[TIFFTags.exif], limit: 1).first.flatMap {
            structure.directory(at: $0)
        }
        let colours = structure.integers(exif?.entries[0xA001], limit: 1).first
        let rules = structure.integers(exif?.entries[TIFFTags.interoperability], limit: 1).first.flatMap {
            structure.directory(at: $0)
        }
        let isAdobe = structure.text(rules?.entries[0x0001], limit: 4) == "R03"
        let isTurned = (2...8).contains(orientation)
        let isUsual = colours ?? 1 == 1 && !isAdobe
        if !isTurned && isUsual { return nil }
        return minimal(
            orientation: isTurned ? UInt16(orientation) : 1,
            colourSpace: isUsual ? nil : UInt16(truncatingIfNeeded: colours ?? 0xFFFF),
            isAdobe: isAdobe
        )
    }

    /// A little-endian block: the orientation, and below it the colour space and the rule R03 (Adobe RGB, DCF 2.0).
    private static func minimal(orientation: UInt16, colourSpace: UInt16?, isAdobe: Bool) -> [UInt8] {
        func entry(_ tag: UInt16, _ type: UInt16, _ count: UInt8, _ value: [UInt8]) -> [UInt8] {
            [tag, type].flatMap { little($0) } + [count, 0, 0, 0] + value
                + [UInt8](repeating: 0, count: 4 - value.count)
        }
        let hasColours = colourSpace != nil
        var block: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, hasColours ? 2 : 1, 0]
        block += entry(0x0112, 3, 1, little(orientation))
        guard let colourSpace else { return block + [0, 0, 0, 0] }
        block += entry(TIFFTags.exif, 4, 1, [38, 0]) + [0, 0, 0, 0]
        block +=
            [isAdobe ? 3 : 2, 0] + entry(0x9000, 7, 4, Array("0230".utf8)) + entry(0xA001, 3, 1, little(colourSpace))
        guard isAdobe else { return block + [0, 0, 0, 0] }
        block += entry(TIFFTags.interoperability, 4, 1, [80, 0]) + [0, 0, 0, 0]
        return block + [1, 0] + entry(0x0001, 2, 4, Array("R03\0".utf8)) + [0, 0, 0, 0]
    }

    private static func little(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }
}
