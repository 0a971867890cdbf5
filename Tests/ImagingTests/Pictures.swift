import Imaging

/// Small pictures made on the spot.
enum Pictures {
    /// A YUYV ramp: luma rises from left to right within its limited range, chroma differs above and below.
    static func yuyv(width: Int, height: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in 0..<height {
            for column in stride(from: 0, to: width, by: 2) {
                let luma = { (x: Int) in UInt8(16 + 219 * x / max(1, width - 1)) }
                let isUpper = row < height / 2
                bytes += [luma(column), isUpper ? 90 : 170, luma(min(column + 1, width - 1)), isUpper ? 200 : 80]
            }
        }
        return bytes
    }

    static func jpeg(width: Int = 64, height: Int = 48, quality: Int = 90) throws -> [UInt8] {
        try JPEGEncoder().encode(
            yuyv(width: width, height: height),
            shape: PictureShape(layout: .yuyv, width: width, height: height),
            quality: quality
        )
    }

    /// The picture without its Huffman tables, as many USB cameras send it.
    static func withoutTables(_ jpeg: [UInt8]) throws -> [UInt8] {
        var result = jpeg
        for segment in try JPEGSegments(jpeg).segments.reversed() where segment.marker == 0xC4 {
            result.removeSubrange(segment.start..<segment.end)
        }
        return result
    }
}
