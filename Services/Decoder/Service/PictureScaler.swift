import CFFmpeg

/// Scales and converts pictures with libswscale.
enum PictureScaler {
    /// A decoded frame as red, green and blue in the size given.
    static func pixels(
        _ frame: UnsafeMutablePointer<AVFrame>,
        width: Int,
        height: Int
    ) throws(DecodingError) -> Pixels {
        let source = unsafe frame.pointee
        return try unsafe convert(
            from: Source(
                planes: [
                    UnsafePointer(source.data.0), UnsafePointer(source.data.1), UnsafePointer(source.data.2),
                    UnsafePointer(source.data.3),
                ],
                strides: [source.linesize.0, source.linesize.1, source.linesize.2, source.linesize.3],
                width: source.width,
                height: source.height,
                format: AVPixelFormat(rawValue: source.format),
                isFullRange: source.color_range == AVCOL_RANGE_JPEG,
                isHighDefinition: source.colorspace == AVCOL_SPC_BT709
            ),
            width: width,
            height: height
        )
    }

    /// A picture in another size; the same picture when the size is its own.
    static func scaled(_ pixels: Pixels, width: Int, height: Int) throws(DecodingError) -> Pixels {
        guard width != pixels.width || height != pixels.height else { return pixels }
        var result: Result<Pixels, DecodingError> = .failure(DecodingError(.memory, "no memory to scale a picture"))
        unsafe pixels.bytes.withUnsafeBufferPointer { bytes in
            do throws(DecodingError) {
                result = .success(
                    try unsafe convert(
                        from: Source(
                            planes: [bytes.baseAddress, nil, nil, nil],
                            strides: [Int32(pixels.width * 3), 0, 0, 0],
                            width: Int32(pixels.width),
                            height: Int32(pixels.height),
                            format: AV_PIX_FMT_RGB24,
                            isFullRange: true,
                            isHighDefinition: false
                        ),
                        width: width,
                        height: height
                    )
                )
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    @unsafe private struct Source {
        var planes: [UnsafePointer<UInt8>?]
        var strides: [Int32]
        var width: Int32
        var height: Int32
        var format: AVPixelFormat
        var isFullRange: Bool
        var isHighDefinition: Bool
    }

    private static func convert(from source: Source, width: Int, height: Int) throws(DecodingError) -> Pixels {
        try Pixels.checkSize(width: width, height: height)
        let context = unsafe sws_getContext(
            source.width,
            source.height,
            source.format,
            Int32(width),
            Int32(height),
            AV_PIX_FMT_RGB24,
            SWS_AREA,
            nil,
            nil,
            nil
        )
        guard let context = unsafe context else {
            throw unsafe DecodingError(.unsupported, "pixels of format \(source.format.rawValue) can not be converted")
        }
        defer { unsafe sws_freeContext(context) }
        let matrix = unsafe sws_getCoefficients(source.isHighDefinition ? SWS_CS_ITU709 : SWS_CS_DEFAULT)
        unsafe sws_setColorspaceDetails(
            context,
            matrix,
            source.isFullRange || isAlwaysFullRange(source.format) ? 1 : 0,
            matrix,
            1,
            0,
            1 << 16,
            1 << 16
        )
        // The scaler's vector code may write some bytes beyond the last row (swscale.h asks for padding).
        let padding = 64
        let stride = width * 3
        var bytes = [UInt8](repeating: 0, count: stride * height + padding)
        let rows = unsafe bytes.withUnsafeMutableBufferPointer { target in
            var planes: [UnsafeMutablePointer<UInt8>?] = unsafe [target.baseAddress, nil, nil, nil]
            return unsafe sws_scale(
                context,
                source.planes,
                source.strides,
                0,
                source.height,
                &planes,
                [Int32(stride), 0, 0, 0]
            )
        }
        guard rows == height else { throw DecodingError(.noPicture, "the picture can not be scaled") }
        bytes.removeLast(padding)
        return Pixels(width: width, height: height, bytes: bytes)
    }

    /// The formats that mean full range by their name (pixfmt.h, `yuvj…`).
    private static func isAlwaysFullRange(_ format: AVPixelFormat) -> Bool {
        [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P]
            .contains(format)
    }
}
