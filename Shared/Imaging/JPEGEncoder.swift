private import CTurboJPEG

/// Encodes uncompressed pictures as baseline JPEG with libjpeg-turbo.
///
/// One encoder serves one thread at a time; calls block for the few milliseconds the work takes, so they belong on a
/// concurrent function and not on an event loop. JPEG means ITU-R BT.601 colours at full range (JFIF 1.02): limited
/// range is stretched, the matrix of BT.709 sources is not changed.
@safe package struct JPEGEncoder: ~Copyable {
    /// The most pixels a side that the format and the codec take.
    package static let maximumSide = 65_500

    private let handle: tjhandle

    /// - Throws: `codec` when memory is short.
    package init() throws(JPEGError) {
        guard let handle = unsafe tjInitCompress() else { throw JPEGError(.codec, "no memory for an encoder") }
        unsafe self.handle = handle
    }

    deinit {
        unsafe tjDestroy(handle)
    }

    /// Encodes one picture.
    ///
    /// - Parameters:
    ///   - bytes: At least `shape.byteCount` bytes; more are ignored.
    ///   - shape: What the bytes mean.
    ///   - quality: 1 (smallest) to 100 (best), clamped.
    /// - Returns: A JPEG file.
    /// - Throws: `badDimensions`, `truncated` when there are fewer bytes than the shape has, `codec`.
    package func encode(_ bytes: RawSpan, shape: PictureShape, quality: Int) throws(JPEGError) -> [UInt8] {
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
        return shape.layout.isLumaChroma
            ? try encodePlanes(PlanarPicture(bytes, shape: shape), shape: shape, quality: quality)
            : try encodePacked(bytes, shape: shape, quality: quality)
    }

    /// The same for bytes in an array.
    package func encode(_ bytes: [UInt8], shape: PictureShape, quality: Int) throws(JPEGError) -> [UInt8] {
        try encode(unsafe bytes.span.bytes, shape: shape, quality: quality)
    }

    private func encodePlanes(
        _ picture: PlanarPicture,
        shape: PictureShape,
        quality: Int32
    ) throws(JPEGError) -> [UInt8] {
        let subsampling: TJSAMP =
            switch shape.layout {
            case .yuyv, .uyvy: TJSAMP_422
            case .nv12, .yuv420: TJSAMP_420
            default: TJSAMP_GRAY
            }
        return try unsafe collect { target, size in
            unsafe picture.luma.withUnsafeBufferPointer { luma in
                unsafe picture.blueChroma.withUnsafeBufferPointer { blue in
                    unsafe picture.redChroma.withUnsafeBufferPointer { red in
                        var planes = unsafe [luma.baseAddress, blue.baseAddress, red.baseAddress]
                        var strides = [
                            Int32(picture.lumaWidth), Int32(picture.chromaWidth), Int32(picture.chromaWidth),
                        ]
                        return unsafe tjCompressFromYUVPlanes(
                            handle,
                            &planes,
                            Int32(shape.width),
                            &strides,
                            Int32(shape.height),
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

    private func encodePacked(_ bytes: RawSpan, shape: PictureShape, quality: Int32) throws(JPEGError) -> [UInt8] {
        let order = shape.layout == .bgr24 ? TJPF_BGR : TJPF_RGB
        return try unsafe collect { target, size in
            unsafe bytes.withUnsafeBytes { source in
                unsafe tjCompress2(
                    handle,
                    source.baseAddress,
                    Int32(shape.width),
                    Int32(shape.bytesPerRow),
                    Int32(shape.height),
                    Int32(order.rawValue),
                    target,
                    size,
                    Int32(TJSAMP_422.rawValue),
                    quality,
                    0
                )
            }
        }
    }

    /// Runs one compression into a buffer of the codec's own and copies the result out.
    private func collect(
        _ compress: (
            UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>
        ) -> Int32
    ) throws(JPEGError) -> [UInt8] {
        var buffer: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        let result = unsafe compress(&buffer, &size)
        defer { unsafe tjFree(buffer) }
        guard result == 0, let start = unsafe buffer else {
            throw unsafe JPEGError(.codec, String(cString: tjGetErrorStr2(handle)))
        }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(size)))
    }
}
