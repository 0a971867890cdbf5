import Containers
import Movies

/// What the items of a `meta` box are; their names, words for people, are taken out.
///
/// Source: ISO/IEC 14496-12 clause 8.11.6.
struct ItemTypes {
    private static let maximumNameByteCount: Int64 = 1 << 16

    private(set) var types: [UInt32: String] = [:]

    init(_ box: BoxEdit.Part, _ boxes: inout BoxEdit) throws(RedactionError) {
        let version = box.payload.bytes(at: 0, count: 1).first ?? 0
        for entry in try boxes.children(of: box, skip: version == 0 ? 6 : 8) {
            guard entry.name == "infe" else { throw RedactionError(.unknownPart, "\(entry.name) among the items") }
            let version = entry.payload.bytes(at: 0, count: 1).first ?? 0
            guard version == 2 || version == 3 else { throw RedactionError(.unknownPart, "an item of another version") }
            let isLong = version == 3
            let fields = try entry.payload.exactly(isLong ? 14 : 12, at: 0, of: "an item")
            let id = isLong ? fields.uint32(4) : fields.uint16(4).map { UInt32($0) }
            let type = String(decoding: fields.bytes.suffix(4), as: UTF8.self)
            types[id ?? 0] = type
            let rest = entry.payload.part(at: isLong ? 14 : 12)
            guard rest.count <= Self.maximumNameByteCount else { throw RedactionError(.tooLarge, "an item's name") }
            let nameless = Self.nameless(rest.bytes(at: 0, count: Int(rest.count)), of: type)
            boxes.edit.write(nameless, at: entry.end - Int64(nameless.count))
        }
    }

    /// What follows the type without the name in front; as many bytes.
    private static func nameless(_ rest: [UInt8], of type: String) -> [UInt8] {
        // What is in an item of these types stands behind the name.
        guard ["mime", "uri "].contains(type), let end = rest.firstIndex(of: 0) else {
            return [UInt8](repeating: 0, count: rest.count)
        }
        return [0] + rest[(end + 1)...] + [UInt8](repeating: 0, count: end)
    }
}
