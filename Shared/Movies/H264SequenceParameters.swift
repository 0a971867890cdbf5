private import Media

/// What a sequence parameter set says about the pictures.
///
/// Source: ITU-T H.264, 7.3.2.1.1 and 7.4.2.1.1.
package struct H264SequenceParameters: Hashable, Sendable {
    /// Pixels of the picture, after cropping.
    package let width, height: Int
    /// The profile: 66 is baseline, 77 main, 100 high.
    package let profile: UInt8
    /// Ten times the level.
    package let level: UInt8
    /// 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package let chromaFormat: UInt8
    package let lumaBitDepth, chromaBitDepth: UInt8
    /// Whether pictures are shown in the order in which they come, whatever kinds they are.
    package let isInOrder: Bool
    /// Which colours the pictures have; nil where the set does not say.
    package let colours: MovieColours?
    /// Whether luma spans 0 to 255.
    package let isFullRange: Bool

    /// Profiles whose sets have the chroma format and scaling lists.
    private static let highProfiles: Set<UInt8> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// Reads a set, its first byte included; nil where it makes no sense.
    package init?(_ unit: [UInt8]) {
        guard unit.count >= 4, H264UnitType.type(unit[0]) == H264UnitType.sequenceParameters else { return nil }
        profile = unit[1]
        level = unit[3]
        var reader = BitReader(payload: unit.dropFirst(4))
        guard reader.skipUnsigned(1), let colour = Self.colour(profile, &reader), let order = Self.order(&reader),
            let size = Self.size(&reader, chromaFormat: colour.format)
        else { return nil }
        (chromaFormat, lumaBitDepth, chromaBitDepth) = colour
        isInOrder = order == 2
        (width, height) = size
        (colours, isFullRange) = Self.signal(&reader) ?? (nil, false)
    }

    /// The type of the video signal (annex E, E.1.1); nil where the set does not tell it.
    private static func signal(_ reader: inout BitReader) -> (MovieColours?, isFullRange: Bool)? {
        guard reader.flag() == true, let hasAspect = reader.flag() else { return nil }
        // 255 is a ratio of its own, of two numbers.
        if hasAspect, let aspect = reader.bits(8), aspect == 255, reader.bits(32) == nil { return nil }
        if reader.flag() == true, reader.bit() == nil { return nil }
        guard reader.flag() == true, reader.bits(3) != nil, let isFullRange = reader.flag(), let isTold = reader.flag()
        else { return nil }
        guard isTold, let primaries = reader.bits(8), let transfer = reader.bits(8), let matrix = reader.bits(8) else {
            return (nil, isFullRange)
        }
        let colours = PictureColours(primaries: UInt8(primaries), transfer: UInt8(transfer))
        return (MovieColours(colours, matrix: UInt8(matrix), isFullRange: isFullRange), isFullRange)
    }

    private static func colour(
        _ profile: UInt8,
        _ reader: inout BitReader
    ) -> (format: UInt8, luma: UInt8, chroma: UInt8)? {
        guard highProfiles.contains(profile) else { return (1, 8, 8) }
        guard let format = reader.unsigned(), format <= 3 else { return nil }
        if format == 3, reader.bit() == nil { return nil }
        guard let luma = reader.unsigned(), luma <= 6, let chroma = reader.unsigned(), chroma <= 6, reader.bit() != nil,
            let hasLists = reader.flag()
        else { return nil }
        if hasLists {
            for list in 0..<(format == 3 ? 12 : 8) {
                guard let isThere = reader.flag() else { return nil }
                if isThere, !skipScalingList(&reader, count: list < 6 ? 16 : 64) { return nil }
            }
        }
        return (UInt8(format), UInt8(luma) + 8, UInt8(chroma) + 8)
    }

    private static func skipScalingList(_ reader: inout BitReader, count: Int) -> Bool {
        var last: Int64 = 8
        var next: Int64 = 8
        for _ in 0..<count where next != 0 {
            guard let delta = reader.signed() else { return false }
            next = (last + delta + 256) & 0xFF
            if next != 0 { last = next }
        }
        return true
    }

    /// The picture order count's type.
    private static func order(_ reader: inout BitReader) -> UInt32? {
        guard reader.skipUnsigned(1), let type = reader.unsigned(), type <= 2 else { return nil }
        switch type {
        case 0:
            guard reader.skipUnsigned(1) else { return nil }
        case 1:
            guard reader.bit() != nil, reader.skipUnsigned(2), let count = reader.unsigned(), count <= 255,
                reader.skipUnsigned(Int(count))
            else { return nil }
        default: break
        }
        return type
    }

    private static func size(_ reader: inout BitReader, chromaFormat: UInt8) -> (Int, Int)? {
        guard reader.skipUnsigned(1), reader.bit() != nil, let columns = reader.unsigned(), columns < 4096,
            let rows = reader.unsigned(), rows < 4096, let isProgressive = reader.flag(),
            isProgressive || reader.bit() != nil, reader.bit() != nil, let isCropped = reader.flag()
        else { return nil }
        let fields = isProgressive ? 1 : 2
        var width = (Int(columns) + 1) * 16
        var height = (Int(rows) + 1) * 16 * fields
        if isCropped {
            var edges: [Int] = []
            for _ in 0..<4 {
                guard let edge = reader.unsigned(), edge < 65_536 else { return nil }
                edges.append(Int(edge))
            }
            width -= (edges[0] + edges[1]) * (chromaFormat == 1 || chromaFormat == 2 ? 2 : 1)
            height -= (edges[2] + edges[3]) * (chromaFormat == 1 ? 2 : 1) * fields
        }
        return width > 0 && height > 0 && width < 65_536 && height < 65_536 ? (width, height) : nil
    }
}
