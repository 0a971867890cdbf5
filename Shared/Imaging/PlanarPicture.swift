/// Luma and chroma in full-range planes by ITU-R BT.601, as a JPEG encoder takes them.
struct PlanarPicture {
    /// Rows of luma and of chroma, without padding.
    private(set) var luma: [UInt8] = []
    private(set) var blueChroma: [UInt8] = []
    private(set) var redChroma: [UInt8] = []
    /// Bytes in a row of luma: the width, made even where chroma is halved, as the encoder reads it.
    private(set) var lumaWidth = 0
    /// Bytes in a row of chroma.
    private(set) var chromaWidth = 0

    /// Takes a packed or planar picture apart, into the memory of the picture before if that has the same shape.
    ///
    /// `bytes` must have `shape.byteCount` bytes, and the shape must be of luma and chroma; the caller has checked it.
    mutating func fill(_ bytes: RawSpan, shape: PictureShape) {
        let width = shape.width
        let height = shape.height
        let half = (width + 1) / 2
        let halfHeight = (height + 1) / 2

        let isHalved = shape.layout != .grey
        let lumaColumns = isHalved ? 2 * half : width
        let lumaRows = shape.layout == .nv12 || shape.layout == .yuv420 ? 2 * halfHeight : height

        func fillLuma(_ start: Int, _ step: Int) {
            let samples = Samples(
                start: start,
                bytesPerRow: shape.bytesPerRow,
                step: step,
                columns: (width, lumaColumns),
                rows: (height, lumaRows)
            )
            if shape.isFullRange {
                samples.fill(&luma, from: bytes, FullRange.self)
            } else {
                samples.fill(&luma, from: bytes, VideoLuma.self)
            }
        }
        func fillChroma(_ plane: inout [UInt8], _ start: Int, _ rowBytes: Int, _ step: Int, rows: Int) {
            let samples = Samples(
                start: start,
                bytesPerRow: rowBytes,
                step: step,
                columns: (half, half),
                rows: (rows, rows)
            )
            if shape.isFullRange {
                samples.fill(&plane, from: bytes, FullRange.self)
            } else {
                samples.fill(&plane, from: bytes, VideoChroma.self)
            }
        }

        let stride = shape.bytesPerRow
        switch shape.layout {
        case .yuyv:
            fillLuma(0, 2)
            fillChroma(&blueChroma, 1, stride, 4, rows: height)
            fillChroma(&redChroma, 3, stride, 4, rows: height)
        case .uyvy:
            fillLuma(1, 2)
            fillChroma(&blueChroma, 0, stride, 4, rows: height)
            fillChroma(&redChroma, 2, stride, 4, rows: height)
        case .nv12:
            fillLuma(0, 1)
            fillChroma(&blueChroma, stride * height, stride, 2, rows: halfHeight)
            fillChroma(&redChroma, stride * height + 1, stride, 2, rows: halfHeight)
        case .yuv420:
            let chromaStride = (stride + 1) / 2
            fillLuma(0, 1)
            fillChroma(&blueChroma, stride * height, chromaStride, 1, rows: halfHeight)
            fillChroma(&redChroma, stride * height + chromaStride * halfHeight, chromaStride, 1, rows: halfHeight)
        case .grey:
            fillLuma(0, 1)
            blueChroma = []
            redChroma = []
        case .rgb24, .bgr24:
            preconditionFailure("Red, green and blue are not luma and chroma.")
        }
        lumaWidth = lumaColumns
        chromaWidth = half
        if shape.isRec709, isHalved { changeMatrix() }
    }

    /// Makes samples by BT.709 those by BT.601; each sample of chroma is that of all pixels that share it.
    private mutating func changeMatrix() {
        let change = MatrixChange.toRec601
        let chromaRows = blueChroma.count / chromaWidth
        let rowsOfChroma = luma.count / lumaWidth > chromaRows ? 2 : 1
        var added = [Int32](repeating: 0, count: chromaWidth)
        for row in 0..<chromaRows {
            for column in 0..<chromaWidth {
                let place = row * chromaWidth + column
                let (blue, red) = (blueChroma[place], redChroma[place])
                added[column] = change.luma(blue, red)
                (blueChroma[place], redChroma[place]) = change.chroma(blue, red)
            }
            for line in row * rowsOfChroma..<(row + 1) * rowsOfChroma {
                for column in 0..<chromaWidth {
                    let place = line * lumaWidth + 2 * column
                    for pixel in place...place + 1 {
                        luma[pixel] = MatrixChange.rounded(Int32(luma[pixel]) &<< 16 &+ added[column])
                    }
                }
            }
        }
    }

    /// The picture at a smaller size, chroma halved both ways; both sides are even.
    func scaled(from size: (width: Int, height: Int), to target: (width: Int, height: Int)) -> PlanarPicture {
        precondition(target.width % 2 == 0 && target.height % 2 == 0, "Halved chroma has a sample for two pixels.")
        let half = (width: target.width / 2, height: target.height / 2)
        func chroma(_ plane: [UInt8]) -> [UInt8] {
            guard !plane.isEmpty else { return [] }
            let rows = plane.count / chromaWidth
            return AreaScaler.scaled(plane, stride: chromaWidth, from: ((size.width + 1) / 2, rows), to: half)
        }
        return PlanarPicture(
            luma: AreaScaler.scaled(luma, stride: lumaWidth, from: size, to: target),
            blueChroma: chroma(blueChroma),
            redChroma: chroma(redChroma),
            lumaWidth: target.width,
            chromaWidth: half.width
        )
    }
}

/// Where the samples of one plane lie among a picture's bytes.
private struct Samples {
    let start, bytesPerRow: Int
    /// Bytes from sample to sample: 1, 2 or 4.
    let step: Int
    /// How many there are, and how many are wanted: those beyond repeat the last one.
    let columns, rows: (real: Int, wanted: Int)

    /// Makes them a plane, with full-range values; this is most of the work beside the codec's, and so without checks.
    func fill<Range: SampleRange>(_ plane: inout [UInt8], from bytes: RawSpan, _: Range.Type) {
        let size = columns.wanted * rows.wanted
        precondition(
            size == 0 || start + (rows.real - 1) * bytesPerRow + (columns.real - 1) * step < bytes.byteCount,
            "The samples are among the bytes."
        )
        if plane.count != size { plane = [UInt8](repeating: 0, count: size) }
        unsafe plane.withUnsafeMutableBufferPointer { buffer in
            guard let target = buffer.baseAddress else { return }
            unsafe bytes.withUnsafeBytes { raw in
                guard let source = raw.baseAddress else { return }
                for row in 0..<rows.wanted {
                    let from = unsafe source + start + min(row, rows.real - 1) * bytesPerRow
                    let to = unsafe target + row * columns.wanted
                    unsafe copyRow(from, to, Range.self)
                    for column in columns.real..<columns.wanted { unsafe to[column] = to[columns.real - 1] }
                }
            }
        }
    }

    /// The steps are written out, since the compiler makes vector instructions only where it knows them.
    @inline(__always)
    private func copyRow<Range: SampleRange>(
        _ source: UnsafeRawPointer,
        _ target: UnsafeMutablePointer<UInt8>,
        _: Range.Type
    ) {
        let source = unsafe source.assumingMemoryBound(to: UInt8.self)
        switch step {
        case 1: for column in 0..<columns.real { unsafe target[column] = Range.full(source[column]) }
        case 2: for column in 0..<columns.real { unsafe target[column] = Range.full(source[column &* 2]) }
        default: for column in 0..<columns.real { unsafe target[column] = Range.full(source[column &* 4]) }
        }
    }
}
