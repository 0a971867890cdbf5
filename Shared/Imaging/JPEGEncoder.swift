private import CTurboJPEG

/// Encodes uncompressed pictures as baseline JPEG with libjpeg-turbo.
///
/// One encoder serves one thread at a time; calls block for the few milliseconds the work takes, so they belong on a
/// concurrent function and not on an event loop. JPEG means ITU-R BT.601 colours at full range (JFIF 1.02): limited
/// range is stretched, and luma and chroma by BT.709 become those by BT.601.
@safe package struct JPEGEncoder: ~Copyable {
    /// The most pixels a side that the format and the codec take.
    package static let maximumSide = 65_500

    private let workspace: EncoderWorkspace

    /// - Throws: `codec` when memory is short.
    package init() throws(JPEGError) {
        guard let handle = unsafe tjInitCompress() else { throw JPEGError(.codec, "no memory for an encoder") }
        workspace = unsafe EncoderWorkspace(adopting: handle)
    }

    /// Encodes one picture.
    ///
    /// - Parameters:
    ///   - bytes: At least `shape.byteCount` bytes; more are ignored.
    ///   - shape: What the bytes mean.
    ///   - quality: 1 (smallest) to 100 (best), clamped.
    ///   - target: With it, the picture is made smaller first, by averaging; both sides are even.
    /// - Returns: A JPEG file.
    /// - Throws: `badDimensions`, `truncated` when there are fewer bytes than the shape has, `codec`.
    package func encode(
        _ bytes: RawSpan,
        shape: PictureShape,
        quality: Int,
        scaledTo target: (width: Int, height: Int)? = nil
    ) throws(JPEGError) -> [UInt8] {
        let side = 1...Self.maximumSide
        guard side.contains(shape.width), side.contains(shape.height),
            shape.bytesPerRow >= shape.layout.minimumBytesPerRow(width: shape.width)
        else {
            throw JPEGError(.badDimensions, "\(shape.width)×\(shape.height), \(shape.bytesPerRow) bytes a row")
        }
        guard bytes.byteCount >= shape.byteCount else {
            throw JPEGError(.truncated, "\(bytes.byteCount) of \(shape.byteCount) bytes")
        }
        let quality = Int32(min(max(quality, 1), 100))
        if let target { return try encode(bytes, shape: shape, quality: quality, smaller: target) }
        let subsampling: TJSAMP =
            switch shape.layout {
            case .yuyv, .uyvy: TJSAMP_422
            case .nv12, .yuv420: TJSAMP_420
            default: TJSAMP_GRAY
            }
        let size = (shape.width, shape.height)
        guard shape.layout.isLumaChroma else {
            return try encodePacked(bytes, shape: shape, subsampling: TJSAMP_422, quality: quality)
        }
        workspace.picture.fill(bytes, shape: shape)
        return try encodePlanes(workspace.picture, size, subsampling, quality: quality)
    }

    /// The same for bytes in an array.
    package func encode(
        _ bytes: [UInt8],
        shape: PictureShape,
        quality: Int,
        scaledTo target: (width: Int, height: Int)? = nil
    ) throws(JPEGError) -> [UInt8] {
        try encode(unsafe bytes.span.bytes, shape: shape, quality: quality, scaledTo: target)
    }

    private func encode(
        _ bytes: RawSpan,
        shape: PictureShape,
        quality: Int32,
        smaller target: (width: Int, height: Int)
    ) throws(JPEGError) -> [UInt8] {
        let size = (width: shape.width, height: shape.height)
        guard target.width > 0, target.height > 0, target.width % 2 == 0, target.height % 2 == 0 else {
            throw JPEGError(.badDimensions, "\(target.width)×\(target.height)")
        }
        guard !shape.layout.isLumaChroma else {
            workspace.picture.fill(bytes, shape: shape)
            let picture = workspace.picture.scaled(from: size, to: target)
            let subsampling = shape.layout == .grey ? TJSAMP_GRAY : TJSAMP_420
            return try encodePlanes(picture, target, subsampling, quality: quality)
        }
        let whole = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        let pixels = AreaScaler.scaled(whole, stride: shape.bytesPerRow, from: size, to: target, channels: 3)
        let smaller = PictureShape(layout: shape.layout, width: target.width, height: target.height)
        return try encodePacked(unsafe pixels.span.bytes, shape: smaller, subsampling: TJSAMP_420, quality: quality)
    }

    private func encodePlanes(
        _ picture: PlanarPicture,
        _ pixels: (width: Int, height: Int),
        _ subsampling: TJSAMP,
        quality: Int32
    ) throws(JPEGError) -> [UInt8] {
        try unsafe collect { target, size in
            unsafe picture.luma.withUnsafeBufferPointer { luma in
                unsafe picture.blueChroma.withUnsafeBufferPointer { blue in
                    unsafe picture.redChroma.withUnsafeBufferPointer { red in
                        var planes = unsafe [luma.baseAddress, blue.baseAddress, red.baseAddress]
                        var strides = [
                            Int32(picture.lumaWidth), Int32(picture.chromaWidth), Int32(picture.chromaWidth),
                        ]
                        return unsafe tjCompressFromYUVPlanes(
                            workspace.handle,
                            &planes,
                            Int32(pixels.width),
                            &strides,
                            Int32(pixels.height),
                            Int32(subsampling.rawValue),
                            target,
                            size,
                            quality,
                            0
                        )
                    }
                }
            }
        }
    }

    private func encodePacked(
        _ bytes: RawSpan,
        shape: PictureShape,
        subsampling: TJSAMP,
        quality: Int32
    ) throws(JPEGError) -> [UInt8] {
        let order = shape.layout == .bgr24 ? TJPF_BGR : TJPF_RGB
        return try unsafe collect { target, size in
            unsafe bytes.withUnsafeBytes { source in
                unsafe tjCompress2(
                    workspace.handle,
                    source.baseAddress,
                    Int32(shape.width),
                    Int32(shape.bytesPerRow),
                    Int32(shape.height),
                    Int32(order.rawValue),
                    target,
                    size,
                    Int32(subsampling.rawValue),
                    quality,
                    0
                )
            }
        }
    }

    private func collect(
        _ compress: (
            UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>
        ) -> Int32
    ) throws(JPEGError) -> [UInt8] {
        guard let jpeg = unsafe workspace.collect(compress) else {
            throw unsafe JPEGError(.codec, String(cString: tjGetErrorStr2(workspace.handle)))
        }
        return jpeg
    }
}
