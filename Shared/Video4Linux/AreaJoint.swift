/// How the memory areas of one picture become one picture; a value without any device.
///
/// Source: pixfmt-yuv-planar.rst; the kernel names the formats in several areas `NV12M` and `YUV420M`, and in one `NV12`
/// and `YUV420`.
package struct AreaJoint: Hashable, Sendable {
    /// One area, as the driver lays it out, and as the picture has it.
    private struct Area: Hashable, Sendable {
        let bytesPerRow, rows, joinedBytesPerRow: Int

        var byteCount: Int { bytesPerRow * rows }
    }

    /// The format of the joined picture.
    package let pixelFormat: PixelFormat
    private let areas: [Area]

    /// The joint of a format whose areas have rows of so many bytes; nil for formats that are not joined here, and for
    /// numbers that can be no picture's.
    package init?(_ pixelFormat: PixelFormat, width: Int, height: Int, bytesPerRow: [Int]) {
        let sides = 1...65_500
        guard sides.contains(width), sides.contains(height), bytesPerRow.allSatisfy((0...1 << 24).contains),
            let luma = bytesPerRow.first, luma >= width
        else { return nil }
        let halfRows = (height + 1) / 2
        let chroma: (joined: Int, least: Int)
        switch (pixelFormat, bytesPerRow.count) {
        case ("NM12", 2): (self.pixelFormat, chroma) = (.nv12, (luma, (width + 1) / 2 * 2))
        case ("YM12", 3): (self.pixelFormat, chroma) = (.yuv420, ((luma + 1) / 2, (width + 1) / 2))
        default: return nil
        }
        // Chroma has to fit under the luma's rows.
        guard chroma.joined >= chroma.least, bytesPerRow.dropFirst().allSatisfy({ $0 >= chroma.least }) else {
            return nil
        }
        areas =
            [Area(bytesPerRow: luma, rows: height, joinedBytesPerRow: luma)]
            + bytesPerRow.dropFirst().map { Area(bytesPerRow: $0, rows: halfRows, joinedBytesPerRow: chroma.joined) }
    }

    /// Memory areas.
    package var count: Int { areas.count }

    /// Bytes of the joined picture.
    package var byteCount: Int { areas.reduce(0) { $0 + $1.joinedBytesPerRow * $1.rows } }

    /// Bytes that an area has at least.
    package func leastByteCount(of index: Int) -> Int { areas[index].byteCount }

    /// Appends the rows of an area that has its least bytes to a picture.
    package func append(_ bytes: RawSpan, of index: Int, to picture: inout [UInt8]) {
        let area = areas[index]
        unsafe bytes.withUnsafeBytes { bytes in
            guard area.bytesPerRow != area.joinedBytesPerRow else {
                unsafe picture.append(contentsOf: bytes.prefix(area.byteCount))
                return
            }
            let kept = min(area.bytesPerRow, area.joinedBytesPerRow)
            for row in 0..<area.rows {
                unsafe picture.append(contentsOf: bytes.dropFirst(row * area.bytesPerRow).prefix(kept))
                picture.append(contentsOf: repeatElement(0, count: area.joinedBytesPerRow - kept))
            }
        }
    }
}
