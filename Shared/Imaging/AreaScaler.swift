/// Makes pictures smaller: each pixel is the mean of those that it stands for, each by the share of it that it covers.
///
/// Nothing shimmers from frame to frame as it does where pixels are left out.
enum AreaScaler {
    /// Scales rows of bytes, each a channel of a pixel, the channels of a pixel side by side.
    ///
    /// - Parameters:
    ///   - source: `height` rows of `stride` bytes.
    ///   - stride: Bytes from one row to the next, `width * channels` at least.
    ///   - size: The source's pixels.
    ///   - target: The pixels wanted; 1 at least on each side.
    ///   - channels: Bytes a pixel.
    /// - Returns: Rows without padding.
    static func scaled(
        _ source: [UInt8],
        stride: Int,
        from size: (width: Int, height: Int),
        to target: (width: Int, height: Int),
        channels: Int = 1
    ) -> [UInt8] {
        precondition(source.count >= stride * (size.height - 1) + size.width * channels, "The source has all its rows.")
        let columns = Shares(from: size.width, to: target.width)
        let rows = Shares(from: size.height, to: target.height)
        var line = [UInt32](repeating: 0, count: target.width * channels)
        var sums = line
        var lineRow = -1
        return [UInt8](capacity: target.width * target.height * channels) { output in
            for y in 0..<target.height {
                for index in sums.indices { sums[index] = 0 }
                for share in rows.starts[y]..<rows.starts[y + 1] {
                    let row = rows.sources[y] + share - rows.starts[y]
                    if row != lineRow {
                        squeeze(source, from: row * stride, into: &line, columns, channels)
                        lineRow = row
                    }
                    let weight = rows.weights[share]
                    for index in sums.indices { sums[index] &+= line[index] &* weight }
                }
                // Both directions weigh 256 together.
                for sum in sums { output.append(UInt8(truncatingIfNeeded: (sum &+ 32_768) >> 16)) }
            }
        }
    }

    /// Weighs one row together; the results are 256 times what they mean.
    private static func squeeze(
        _ source: [UInt8],
        from start: Int,
        into line: inout [UInt32],
        _ columns: Shares,
        _ channels: Int
    ) {
        unsafe source.withUnsafeBufferPointer { source in
            for x in 0..<columns.sources.count {
                let first = start + columns.sources[x] * channels
                let shares = columns.starts[x]..<columns.starts[x + 1]
                for channel in 0..<channels {
                    var sum: UInt32 = 0
                    var index = first + channel
                    for share in shares {
                        sum &+= unsafe UInt32(source[index]) &* columns.weights[share]
                        index += channels
                    }
                    line[x * channels + channel] = sum
                }
            }
        }
    }

    /// What each pixel of a shorter line is made of.
    private struct Shares {
        /// The first pixel of the longer line, for each pixel of the shorter one.
        private(set) var sources: [Int] = []
        /// Where a pixel's weights begin, and at the end where they end.
        private(set) var starts: [Int] = [0]
        /// 256 together for each pixel.
        private(set) var weights: [UInt32] = []

        init(from: Int, to: Int) {
            for index in 0..<to {
                // Counted in `to`-ths of a pixel of the longer line, so that everything is whole.
                let begin = index * from
                let end = begin + from
                var given = 0
                sources.append(begin / to)
                for source in begin / to...(end - 1) / to {
                    let covered = min(end, (source + 1) * to) - begin
                    let sum = (covered * 256 + from / 2) / from
                    weights.append(UInt32(sum - given))
                    given = sum
                }
                starts.append(weights.count)
            }
        }
    }
}
