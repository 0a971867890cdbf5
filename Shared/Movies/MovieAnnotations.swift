private import Containers
private import Media

/// What `meta` and `udta` in `moov` say: date, place, make and model.
///
/// Source: QuickTime File Format, "Metadata Atoms and Types", "User Data Atoms"; 3GPP TS 26.244 clause 8.10 (`loci`).
/// Apple's keys win over user data, and both over the container's own time.
package struct MovieAnnotations {
    private static let maximumTextByteCount = 1024

    private var texts: [String: String] = [:]
    private var point: Location?

    /// Collects the texts from the boxes in `moov`.
    package init(_ parts: [FoundBox]) {
        for box in parts where box.name == "meta" { readMetadata(box) }
        for box in parts where box.name == "udta" { readUserData(box) }
    }

    /// Puts what was found into its place.
    package func apply(to found: inout MovieMetadata) {
        let keys = "com.apple.quicktime."
        found.cameraMake = texts[keys + "make"] ?? texts["make"]
        found.cameraModel = texts[keys + "model"] ?? texts["model"]
        let place = texts[keys + "location.ISO6709"] ?? texts["place"]
        found.location = place.flatMap { GeographicPoint.read($0) } ?? point
        for raw in [texts[keys + "creationdate"], texts["day"]].compactMap({ $0 }) {
            guard let read = WallClock.read(raw) else { continue }
            found.date = AssetDate(
                raw: raw,
                local: read.clock.text,
                offsetMinutes: read.offsetMinutes,
                offsetSource: read.offsetMinutes == nil ? .unknown : .tag,
                utc: read.offsetMinutes.flatMap { read.clock.utc(offsetMinutes: $0) }
            )
            return
        }
    }

    /// `keys` names the entries of `ilst` by number; without it (iTunes) their own names do.
    private mutating func readMetadata(_ box: FoundBox) {
        // ISO's `meta` is a full box, QuickTime's is not: `hdlr` shows which.
        let isPlain = box.payload.fields(at: 4, count: 4)?.has("hdlr", at: 0) == true
        let parts = box.children(skip: isPlain ? 0 : 4)
        let names = parts.first { $0.name == "keys" }.map { Self.keys($0) } ?? []
        guard let list = parts.first(where: { $0.name == "ilst" }) else { return }
        for item in list.children() {
            guard let value = item.child("data")?.payload, value.count > 8 else { continue }
            let type = value.fields(at: 0, count: 4)?.uint32(0)
            guard type == 1 else { continue }
            let number = Int(item.name.rawValue)
            if names.indices.contains(number - 1) {
                keep(value.part(at: 8), as: names[number - 1])
            } else {
                keepUserData(item.name, value.part(at: 8))
            }
        }
    }

    private static func keys(_ box: FoundBox) -> [String] {
        box.children(skip: 8).map { key in
            String(decoding: key.payload.bytes(at: 0, count: 128), as: UTF8.self)
        }
    }

    /// Text items have 16 bits of length and 16 of language; `meta` is iTunes' list; `loci` has fields of its own.
    private mutating func readUserData(_ box: FoundBox) {
        for item in box.children() {
            switch item.name {
            case "meta": readMetadata(item)
            case "loci": point = GeographicPoint.read(item.payload)
            default:
                guard let length = item.payload.fields(at: 0, count: 2)?.uint16(0) else { continue }
                keepUserData(item.name, item.payload.part(at: 4, count: Int64(length)))
            }
        }
    }

    private mutating func keepUserData(_ name: FourCharacterCode, _ bytes: RandomAccessBytes) {
        // The first character is © in Mac Roman, 0xA9.
        switch name.rawValue {
        case 0xA964_6179: keep(bytes, as: "day")
        case 0xA978_797A: keep(bytes, as: "place")
        case 0xA96D_616B: keep(bytes, as: "make")
        case 0xA96D_6F64: keep(bytes, as: "model")
        default: break
        }
    }

    private mutating func keep(_ bytes: RandomAccessBytes, as name: String) {
        let raw = bytes.bytes(at: 0, count: Self.maximumTextByteCount).prefix { $0 != 0 }
        let text = String(decoding: raw.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
        let trimmed = text.drop { $0 == " " }
        guard !trimmed.isEmpty, texts[name] == nil else { return }
        texts[name] = String(trimmed)
    }
}
