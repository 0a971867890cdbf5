package import Containers

/// One box in bytes that are read at any offset, and how much of it is there.
package struct FoundBox {
    package let header: BoxHeader
    /// As much of the payload as there is.
    package let payload: RandomAccessBytes
    /// Whether the box says that it goes on beyond the end of what it lies in.
    package let isCutShort: Bool

    package var name: FourCharacterCode { header.name }

    /// The boxes in this one, after `skip` bytes of fields of its own.
    package func children(skip: Int64 = 0) -> [FoundBox] { payload.part(at: skip).boxes() }

    /// The first box with this name in this one.
    package func child(_ name: FourCharacterCode, skip: Int64 = 0) -> FoundBox? {
        children(skip: skip).first { $0.name == name }
    }
}

extension RandomAccessBytes {
    /// More boxes side by side than a file of tables has; fragments of a film are read with a higher limit.
    package static let maximumBoxCount = 4096

    /// The boxes that lie side by side in these bytes, at most `limit` of them, up to the first place where none can be.
    package func boxes(limit: Int = maximumBoxCount) -> [FoundBox] {
        var found: [FoundBox] = []
        var position: Int64 = 0
        while position < count, found.count < limit {
            let head = bytes(at: position, count: BoxHeader.maximumByteCount)
            guard let box = BoxHeader(head[...], start: position, limit: count) else { break }
            found.append(
                FoundBox(
                    header: box,
                    payload: part(at: box.payloadStart, count: box.payloadByteCount),
                    isCutShort: box.end > count
                )
            )
            guard box.end > position else { break }
            position = box.end
        }
        return found
    }
}
