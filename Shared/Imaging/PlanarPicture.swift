/// Luma and chroma in full-range planes, as a JPEG encoder takes them.
struct PlanarPicture {
    /// Rows of luma and of chroma, without padding.
    let luma, blueChroma, redChroma: [UInt8]
    /// Bytes in a row of luma: the width, made even where chroma is halved, as the encoder reads it.
    let lumaWidth: Int
    /// Bytes in a row of chroma.
    let chromaWidth: Int

    /// Planes that are there already.
    private init(luma: [UInt8], blueChroma: [UInt8], redChroma: [UInt8], lumaWidth: Int, chromaWidth: Int) {
        self.luma = luma
        self.blueChroma = blueChroma
        self.redChroma = redChroma
        self.lumaWidth = lumaWidth
        self.chromaWidth = chromaWidth
    }

    /// Takes a packed or planar picture apart.
    ///
    /// `bytes` must have `shape.byteCount` bytes, and the shape must be of luma and chroma; the caller has checked it.
    init(_ bytes: RawSpan, shape: PictureShape) {
        let lumaScale = Self.scale(isFullRange: shape.isFullRange, black: 16, span: 219)
        let chromaScale = Self.chromaScale(isFullRange: shape.isFullRange)
        let width = shape.width
        let height = shape.height
        let half = (width + 1) / 2
        let halfHeight = (height + 1) / 2

        let isHalved = shape.layout != .grey
        let lumaColumns = isHalved ? 2 * half : width
        let lumaRows = shape.layout == .nv12 || shape.layout == .yuv420 ? 2 * halfHeight : height

        // A row or column beyond the picture repeats the last one.
        func plane(
            _ start: Int,
            _ rowBytes: Int,
            _ step: Int,
            columns: Int,
            rows: Int,
            of real: (Int, Int),
            _ scale: [UInt8]
        ) -> [UInt8] {
            [UInt8](capacity: columns * rows) { target in
                unsafe bytes.withUnsafeBytes { source in
                    for row in 0..<rows {
                        let rowStart = start + min(row, real.1 - 1) * rowBytes
                        for column in 0..<columns {
                            target.append(unsafe scale[Int(source[rowStart + min(column, real.0 - 1) * step])])
                        }
                    }
                }
            }
        }
        func lumaPlane(_ start: Int, _ step: Int) -> [UInt8] {
            plane(start, shape.bytesPerRow, step, columns: lumaColumns, rows: lumaRows, of: (width, height), lumaScale)
        }
        func chromaPlane(_ start: Int, _ rowBytes: Int, _ step: Int, rows: Int) -> [UInt8] {
            plane(start, rowBytes, step, columns: half, rows: rows, of: (half, rows), chromaScale)
        }

        let stride = shape.bytesPerRow
        switch shape.layout {
        case .yuyv:
            luma = lumaPlane(0, 2)
            blueChroma = chromaPlane(1, stride, 4, rows: height)
            redChroma = chromaPlane(3, stride, 4, rows: height)
        case .uyvy:
            luma = lumaPlane(1, 2)
            blueChroma = chromaPlane(0, stride, 4, rows: height)
            redChroma = chromaPlane(2, stride, 4, rows: height)
        case .nv12:
            luma = lumaPlane(0, 1)
            blueChroma = chromaPlane(stride * height, stride, 2, rows: halfHeight)
            redChroma = chromaPlane(stride * height + 1, stride, 2, rows: halfHeight)
        case .yuv420:
            let chromaStride = (stride + 1) / 2
            luma = lumaPlane(0, 1)
            blueChroma = chromaPlane(stride * height, chromaStride, 1, rows: halfHeight)
            redChroma = chromaPlane(stride * height + chromaStride * halfHeight, chromaStride, 1, rows: halfHeight)
        case .grey:
            luma = lumaPlane(0, 1)
            blueChroma = []
            redChroma = []
        case .rgb24, .bgr24:
            preconditionFailure("Red, green and blue are not luma and chroma.")
        }
        lumaWidth = lumaColumns
        chromaWidth = half
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

    /// What each stored value becomes when `black`…`black + span` is stretched to 0…255.
    private static func scale(isFullRange: Bool, black: Int, span: Int) -> [UInt8] {
        (0...255).map { value in
            guard !isFullRange else { return UInt8(value) }
            return UInt8(clamping: ((value - black) * 255 + span / 2) / span)
        }
    }

    /// The same for chroma, which is centred on 128 and spans 224 steps.
    private static func chromaScale(isFullRange: Bool) -> [UInt8] {
        (0...255).map { value in
            guard !isFullRange else { return UInt8(value) }
            let distance = abs(value - 128) * 255
            let scaled = (distance + 112) / 224
            return UInt8(clamping: value < 128 ? 128 - scaled : 128 + scaled)
        }
    }
}
