import Containers
import MessageSchema
import Movies

/// What user data and metadata boxes of a film keep: make, model, software, date, and what a player needs.
///
/// Source: QuickTime File Format, "User Data Atoms", "Metadata Atoms and Types"; ISO/IEC 14496-12 clause 8.11.1.
enum MovieNotes {
    private static let maximumByteCount: Int64 = 1 << 20

    static func cleanUserData(
        _ box: BoxEdit.Part,
        _ boxes: inout BoxEdit,
        _ profile: PrivacyProfile
    ) throws(RedactionError) {
        guard profile == .location else { return boxes.free(box) }
        for item in try boxes.children(of: box) {
            if item.name == "meta" {
                try cleanMetadata(item, &boxes, profile)
            } else if !MovieParts.players.contains(item.name), !MovieParts.prose.contains(item.name.rawValue) {
                boxes.free(item)
            }
        }
    }

    /// Writes the box anew with what stays, and free space behind it.
    static func cleanMetadata(
        _ box: BoxEdit.Part,
        _ boxes: inout BoxEdit,
        _ profile: PrivacyProfile
    ) throws(RedactionError) {
        guard profile == .location, box.payload.count <= maximumByteCount else { return boxes.free(box) }
        // ISO's `meta` is a full box, QuickTime's is not: `hdlr` shows which.
        let isPlain = box.payload.fields(at: 4, count: 4)?.has("hdlr", at: 0) == true
        let skip: Int64 = isPlain ? 0 : 4
        let parts = try boxes.children(of: box, skip: skip)
        guard let handler = parts.first(where: { $0.name == "hdlr" }),
            let list = parts.first(where: { $0.name == "ilst" }),
            let written = try kept(parts.first { $0.name == "keys" }, list, &boxes)
        else { return boxes.free(box) }
        let content =
            box.payload.bytes(at: 0, count: Int(skip)) + whole(handler) + written
        let size = content.count + 8
        let rest = Int(box.end - box.start) - size
        // What is not to stay leaves room for a box, or nothing.
        guard rest == 0 || rest >= 8, box.payloadStart - box.start == 8 else { return boxes.free(box) }
        var bytes = head("meta", size) + content
        if rest > 0 { bytes += head("free", rest) + [UInt8](repeating: 0, count: rest - 8) }
        boxes.edit.write(bytes, at: box.start)
    }

    /// The `keys` and `ilst` that stay; nil when there is nothing in them.
    private static func kept(
        _ names: BoxEdit.Part?,
        _ list: BoxEdit.Part,
        _ boxes: inout BoxEdit
    ) throws(RedactionError) -> [UInt8]? {
        let items = try boxes.children(of: list)
        guard let names else {
            let known = items.filter { MovieParts.prose.contains($0.name.rawValue) }
            return known.isEmpty ? nil : wrapped("ilst", known.flatMap { whole($0) })
        }
        var keptKeys: [UInt8] = []
        var values: [UInt8] = []
        var count: UInt32 = 0
        for (index, key) in try boxes.children(of: names, skip: 8).enumerated() {
            let name = String(decoding: key.payload.bytes(at: 0, count: 128), as: UTF8.self)
            guard MovieParts.isKey(name) else { continue }
            count += 1
            keptKeys += whole(key)
            for item in items where item.name.rawValue == UInt32(index + 1) {
                let value = item.payload.bytes(at: 0, count: 1 << 20)
                values += big(UInt32(value.count + 8)) + big(count) + value
            }
        }
        guard count > 0 else { return nil }
        return wrapped("keys", [0, 0, 0, 0] + big(count) + keptKeys) + wrapped("ilst", values)
    }

    private static func whole(_ part: BoxEdit.Part) -> [UInt8] {
        let content = part.payload.bytes(at: 0, count: 1 << 20)
        return big(UInt32(content.count + 8)) + big(part.name.rawValue) + content
    }

    private static func wrapped(_ name: String, _ content: [UInt8]) -> [UInt8] {
        head(name, content.count + 8) + content
    }

    private static func head(_ name: String, _ size: Int) -> [UInt8] { big(UInt32(size)) + Array(name.utf8) }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
