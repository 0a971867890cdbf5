private import CLibAVCodec
package import Imaging
package import Media

/// Makes H.264 of uncompressed pictures, with x264 through libavcodec 59.
///
/// Each picture comes out at once and in order: there are no pictures that need later ones, nothing looks ahead. A second
/// after a key another one is made. Pictures become 4:2:0 in limited range; an odd last column or row is left out. Luma and
/// chroma keep their matrix, red, green and blue become those of ITU-R BT.601, and the stream says which, and which colours. Calls block for milliseconds; one thread uses it.
@safe package struct H264Encoder: ~Copyable {
    /// One picture of the stream.
    package struct Picture: Hashable, Sendable {
        /// Units after start codes; a key has the parameter sets before it.
        package let bytes: [UInt8]
        /// The time that was given with it.
        package let microseconds: Int64
        package let isKey: Bool
    }

    /// Microseconds from key to key, less what cameras' clocks differ by.
    private static let keyInterval: Int64 = 990_000

    private let shape: PictureShape
    private let context: UnsafeMutablePointer<AVCodecContext>
    /// The picture as it was given, with the room beyond its end that libswscale's vector code may read.
    private let source: UnsafeMutablePointer<AVFrame>
    private let target: UnsafeMutablePointer<AVFrame>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let scaler: OpaquePointer
    private var lastKey: Int64?

    /// Whether this libavcodec has x264.
    package static var isAvailable: Bool { unsafe avcodec_find_encoder_by_name("libx264") != nil }

    /// Opens the encoder.
    ///
    /// - Parameters:
    ///   - shape: What the pictures are like, all of them.
    ///   - quality: How good they shall be.
    ///   - colours: Which colours theirs are, for the stream to tell; those of a webcam unless told otherwise.
    ///   - framesPerSecond: About how many there are; only for the encoder's expectations.
    ///   - threads: How many it may use; each makes a part of every picture.
    /// - Throws: `unavailable`, `memory`, `badPicture` for a shape that can not be encoded, `codec`.
    package init(
        _ shape: PictureShape,
        quality: H264Quality,
        colours: PictureColours = .sRGB,
        framesPerSecond: Double? = nil,
        threads: Int = 2
    ) throws(EncodingError) {
        let sides = 2...16_384
        guard sides.contains(shape.width), sides.contains(shape.height), shape.bytesPerRow <= 1 << 20,
            shape.bytesPerRow >= shape.layout.minimumBytesPerRow(width: shape.width)
        else { throw EncodingError(.badPicture) }
        av_log_set_level(AV_LOG_QUIET)
        guard let codec = unsafe avcodec_find_encoder_by_name("libx264") else { throw EncodingError(.unavailable) }
        let width = Int32(shape.width & ~1)
        let height = Int32(shape.height & ~1)
        let format = EncoderParts.format(shape.layout)
        var opening = unsafe avcodec_alloc_context3(codec)
        var given = unsafe EncoderParts.frame(format, width, height)
        var made = unsafe EncoderParts.frame(AV_PIX_FMT_YUV420P, width, height)
        var carrying = unsafe av_packet_alloc()
        let scaler = unsafe EncoderParts.scaler(shape, format, width, height)
        guard let context = unsafe opening, let source = unsafe given, let target = unsafe made,
            let packet = unsafe carrying, let scaler = unsafe scaler
        else {
            unsafe EncoderParts.free(&opening, &given, &made, &carrying, scaler)
            throw EncodingError(.memory)
        }
        unsafe EncoderParts.set(context, shape, colours, quality, framesPerSecond ?? 30, threads)
        let result = unsafe avcodec_open2(context, codec, nil)
        guard result >= 0 else {
            unsafe EncoderParts.free(&opening, &given, &made, &carrying, scaler)
            throw EncodingError(.codec, errorNumber: result)
        }
        self.shape = shape
        unsafe self.context = unsafe context
        unsafe self.source = unsafe source
        unsafe self.target = unsafe target
        unsafe self.packet = unsafe packet
        unsafe self.scaler = unsafe scaler
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        var given: UnsafeMutablePointer<AVFrame>? = unsafe source
        var made: UnsafeMutablePointer<AVFrame>? = unsafe target
        var carrying: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe EncoderParts.free(&closing, &given, &made, &carrying, scaler)
    }

    /// Encodes a picture.
    ///
    /// - Parameters:
    ///   - bytes: The picture, in the shape that the encoder was made for.
    ///   - microseconds: When it was taken; later than the one before.
    ///   - asKey: Whether it shall be a key whatever was before.
    /// - Returns: What came out: this picture, as a rule.
    /// - Throws: `badPicture` for too few bytes, which leaves everything as it was; `memory`, `codec`.
    package mutating func encode(
        _ bytes: [UInt8],
        at microseconds: Int64,
        asKey: Bool = false
    ) throws(EncodingError) -> [Picture] {
        guard bytes.count >= shape.byteCount else { throw EncodingError(.badPicture) }
        guard unsafe av_frame_make_writable(source) >= 0, unsafe av_frame_make_writable(target) >= 0 else {
            throw EncodingError(.memory)
        }
        copy(bytes)
        let rows = convert()
        guard unsafe rows == target.pointee.height else { throw EncodingError(.codec, errorNumber: rows) }
        let isKey = asKey || lastKey.map { microseconds - $0 >= Self.keyInterval } ?? true
        if isKey { lastKey = microseconds }
        unsafe target.pointee.pts = microseconds
        unsafe target.pointee.pict_type = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        let result = unsafe avcodec_send_frame(context, target)
        guard result >= 0 else { throw EncodingError(.codec, errorNumber: result) }
        return try received()
    }

    /// Ends the stream.
    ///
    /// - Returns: What was still to come: nothing, as a rule.
    /// - Throws: `codec`.
    package consuming func finish() throws(EncodingError) -> [Picture] {
        let result = unsafe avcodec_send_frame(context, nil)
        guard result >= 0 else { throw EncodingError(.codec, errorNumber: result) }
        return try received()
    }

    // MARK: Private

    private func received() throws(EncodingError) -> [Picture] {
        var pictures: [Picture] = []
        while true {
            let result = unsafe avcodec_receive_packet(context, packet)
            if result == clibavcodec_try_again() || result == clibavcodec_end_of_file() { return pictures }
            guard result >= 0 else { throw EncodingError(.codec, errorNumber: result) }
            defer { unsafe av_packet_unref(packet) }
            let bytes = unsafe UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
            pictures.append(
                unsafe Picture(
                    bytes: Array(bytes),
                    microseconds: packet.pointee.pts,
                    isKey: packet.pointee.flags & AV_PKT_FLAG_KEY != 0
                )
            )
        }
    }

    /// Copies the picture's planes into the source frame.
    private func copy(_ bytes: [UInt8]) {
        let stride = shape.bytesPerRow
        let luma = stride * shape.height
        let half = (stride + 1) / 2
        let (starts, strides): ([Int], [Int]) =
            switch shape.layout {
            case .yuyv, .uyvy, .rgb24, .bgr24, .grey: ([0], [stride])
            case .nv12: ([0, luma], [stride, stride])
            case .yuv420: ([0, luma, luma + half * ((shape.height + 1) / 2)], [stride, half, half])
            }
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var from: [UnsafePointer<UInt8>?] = unsafe [nil, nil, nil, nil]
            var fromStrides: [Int32] = [0, 0, 0, 0]
            for plane in starts.indices {
                unsafe from[plane] = unsafe base + starts[plane]
                fromStrides[plane] = Int32(strides[plane])
            }
            var (planes, planeStrides) = unsafe EncoderParts.planes(of: source)
            unsafe av_image_copy(
                &planes,
                &planeStrides,
                &from,
                fromStrides,
                EncoderParts.format(shape.layout),
                source.pointee.width,
                source.pointee.height
            )
        }
    }

    /// - Returns: The rows that were made.
    private func convert() -> Int32 {
        let (given, givenStrides) = unsafe EncoderParts.planes(of: source)
        let (made, madeStrides) = unsafe EncoderParts.planes(of: target)
        let from = unsafe given.map { unsafe UnsafePointer($0) }
        return unsafe sws_scale(scaler, from, givenStrides, 0, source.pointee.height, made, madeStrides)
    }
}
