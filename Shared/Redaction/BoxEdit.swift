import Containers
import Movies

/// Changes to a file of boxes that keep its size: what goes becomes `free`, with zeros in it.
///
/// Source: ISO/IEC 14496-12 clauses 4.2 and 8.1.2 (free space boxes may be anywhere a box may be).
struct BoxEdit {
    /// Boxes side by side, with their places in the file.
    struct Part {
        let name: FourCharacterCode
        let payload: RandomAccessBytes
        /// In the file.
        let start: Int64
        let payloadStart: Int64
        let end: Int64
    }

    static let maximumBoxCount = 1 << 18

    var edit = InPlaceEdit()
    private var count = 0

    /// The boxes that fill a part of the file.
    ///
    /// - Parameters:
    ///   - bytes: The part.
    ///   - start: Where it begins in the file.
    ///   - whole: What it is, for an error.
    /// - Returns: The boxes in order.
    /// - Throws: `damaged` when they do not, but for zeros at the end that are no box.
    mutating func parts(
        of bytes: RandomAccessBytes,
        at start: Int64,
        in whole: String
    ) throws(RedactionError) -> [Part] {
        let found = bytes.boxes(limit: Self.maximumBoxCount)
        count += found.count
        guard count <= Self.maximumBoxCount else { throw RedactionError(.tooLarge, "boxes") }
        let end = found.last?.header.end ?? 0
        let rest = bytes.count - end
        guard !found.contains(where: \.isCutShort), rest >= 0, rest < 8,
            bytes.bytes(at: end, count: 8).allSatisfy({ $0 == 0 })
        else { throw RedactionError(.damaged, "the boxes in \(whole)") }
        return found.map { box in
            Part(
                name: box.name,
                payload: box.payload,
                start: start + box.header.start,
                payloadStart: start + box.header.payloadStart,
                end: start + box.header.end
            )
        }
    }

    mutating func children(of part: Part, skip: Int64 = 0) throws(RedactionError) -> [Part] {
        let places = part.payloadStart + skip
        return try parts(of: part.payload.part(at: skip), at: places, in: part.name.description)
    }

    /// Makes a box free space.
    mutating func free(_ part: Part) {
        if part.name != "free" { edit.write(Array("free".utf8), at: part.start + 4) }
        edit.clear(part.payloadStart..<part.end)
    }

    /// Frees the boxes in one that are not among these; gives the others.
    mutating func keep(
        _ names: Set<FourCharacterCode>,
        in part: Part,
        skip: Int64 = 0
    ) throws(RedactionError) -> [Part] {
        var kept: [Part] = []
        for child in try children(of: part, skip: skip) {
            if names.contains(child.name) { kept.append(child) } else { free(child) }
        }
        return kept
    }
}
