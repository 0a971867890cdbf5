private import CTurboJPEG

/// Decodes JPEG with libjpeg-turbo, and says what was wrong with the bytes.
///
/// One decoder serves one thread at a time; calls block for as long as the work takes.
@safe package struct JPEGDecoder: ~Copyable {
    /// What a JPEG's frame header says.
    package struct Header: Equatable, Sendable {
        /// Pixels, as stored.
        package let width, height: Int
        /// Whether only luma is stored.
        package let isGrey: Bool
    }

    /// A decoded picture: red, green and blue, three bytes a pixel, rows without padding.
    package struct Picture: Equatable, Sendable {
        /// Pixels.
        package let width, height: Int
        /// `width * height * 3` bytes.
        package let bytes: [UInt8]
        /// What the codec complained about while it went on; nil for a sound picture.
        ///
        /// libjpeg-turbo keeps the first warning only, so this is one even where the bytes are bad in many places.
        package let warning: String?
        /// What is missing or wrong in the picture; nil also where the codec complained of padding that no picture misses.
        package let damage: String?
    }

    private let handle: tjhandle

    /// - Throws: `codec` when memory is short.
    package init() throws(JPEGError) {
        guard let handle = unsafe tjInitDecompress() else { throw JPEGError(.codec, "no memory for a decoder") }
        unsafe self.handle = handle
    }

    deinit {
        unsafe tjDestroy(handle)
    }

    /// Reads the size without decoding.
    ///
    /// - Throws: `notJPEG` with the codec's words.
    package func header(of bytes: RawSpan) throws(JPEGError) -> Header {
        var width: Int32 = 0
        var height: Int32 = 0
        var subsampling: Int32 = 0
        var colours: Int32 = 0
        let result = unsafe bytes.withUnsafeBytes { source in
            unsafe tjDecompressHeader3(
                handle,
                source.bindMemory(to: UInt8.self).baseAddress,
                UInt(source.count),
                &width,
                &height,
                &subsampling,
                &colours
            )
        }
        guard result == 0, width > 0, height > 0 else { throw JPEGError(.notJPEG, words) }
        let isGrey = colours == Int32(TJCS_GRAY.rawValue)
        return Header(width: Int(width), height: Int(height), isGrey: isGrey)
    }

    /// Decodes a picture, as stored: no orientation is applied.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - side: With it, the picture comes at the smallest of the codec's scales (eighths) that still covers
    ///     this many pixels on its longer side, which costs a fraction of decoding it whole.
    ///   - maximumPixels: More than this, before scaling, is refused.
    /// - Returns: The pixels. Damage the codec can decode around is no error but a `warning`.
    /// - Throws: `notJPEG`, `tooLarge`, `codec`.
    package func decode(
        _ bytes: RawSpan,
        coveringSide side: Int? = nil,
        maximumPixels: Int = 200_000_000
    ) throws(JPEGError) -> Picture {
        let header = try header(of: bytes)
        guard header.width * header.height <= maximumPixels else {
            throw JPEGError(.tooLarge, "\(header.width)×\(header.height)")
        }
        let longer = max(header.width, header.height)
        let eighths = side.map { min(8, max(1, ($0 * 8 + longer - 1) / longer)) } ?? 8
        let width = (header.width * eighths + 7) / 8
        let height = (header.height * eighths + 7) / 8
        // A damaged picture leaves what the codec did not reach; it must not be what lay in memory before.
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        guard let warning = try decode(bytes, into: &pixels, width: width, height: height) else {
            return Picture(width: width, height: height, bytes: pixels, warning: nil, damage: nil)
        }
        var whole = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        var damage: String? = warning
        if warning == JPEGDamage.noEnd {
            // The same words are for a picture whose last marker alone is missing: with one it is whole, or it is not.
            whole += [0xFF, 0xD9]
            damage = try decode(unsafe whole.span.bytes, into: &pixels, width: width, height: height)
        }
        damage = damage.flatMap { JPEGDamage.judged($0, in: whole) }
        return Picture(width: width, height: height, bytes: pixels, warning: warning, damage: damage)
    }

    /// - Returns: The codec's first warning.
    private func decode(
        _ bytes: RawSpan,
        into pixels: inout [UInt8],
        width: Int,
        height: Int
    ) throws(JPEGError) -> String? {
        var result: Int32 = -1
        unsafe pixels.withUnsafeMutableBufferPointer { target in
            result = unsafe bytes.withUnsafeBytes { source in
                unsafe tjDecompress2(
                    handle,
                    source.bindMemory(to: UInt8.self).baseAddress,
                    UInt(source.count),
                    target.baseAddress,
                    Int32(width),
                    0,
                    Int32(height),
                    Int32(TJPF_RGB.rawValue),
                    TJFLAG_LIMITSCANS
                )
            }
        }
        guard result != 0 else { return nil }
        let isWarning = unsafe tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue)
        guard isWarning else { throw JPEGError(.codec, words) }
        return words
    }

    /// The same for bytes in an array.
    package func header(of bytes: [UInt8]) throws(JPEGError) -> Header {
        try header(of: unsafe bytes.span.bytes)
    }

    /// The same for bytes in an array.
    package func decode(
        _ bytes: [UInt8],
        coveringSide side: Int? = nil,
        maximumPixels: Int = 200_000_000
    ) throws(JPEGError) -> Picture {
        try decode(unsafe bytes.span.bytes, coveringSide: side, maximumPixels: maximumPixels)
    }

    private var words: String {
        unsafe String(cString: tjGetErrorStr2(handle))
    }
}
