import Containers
import Movies

/// What the items of a `meta` box are.
///
/// Source: ISO/IEC 14496-12 clause 8.11.6.
struct ItemTypes {
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
            types[id ?? 0] = String(decoding: fields.bytes.suffix(4), as: UTF8.self)
        }
    }
}
