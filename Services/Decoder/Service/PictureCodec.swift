import CFFmpeg

/// A decoder of libavcodec, fed with packets until a picture comes out.
@safe struct PictureCodec: ~Copyable {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>

    /// Opens the decoder for these parameters: one thread, no more pixels than the limit.
    init(_ parameters: UnsafeMutablePointer<AVCodecParameters>?) throws(DecodingError) {
        guard let parameters = unsafe parameters else { throw DecodingError(.noPicture, "there are no pictures in it") }
        try unsafe Pixels.checkSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        let name = unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
        guard let codec = unsafe avcodec_find_decoder(parameters.pointee.codec_id) else {
            throw DecodingError(.unsupported, "there is no decoder for \(name)")
        }
        var opening = unsafe avcodec_alloc_context3(codec)
        var holding = unsafe av_frame_alloc()
        guard let context = unsafe opening, let frame = unsafe holding else {
            unsafe Self.free(&opening, &holding)
            throw DecodingError(.memory, "no memory for a decoder")
        }
        unsafe context.pointee.thread_count = 1
        unsafe context.pointee.max_pixels = Int64(Pixels.limit)
        guard unsafe avcodec_parameters_to_context(context, parameters) >= 0,
            unsafe avcodec_open2(context, codec, nil) >= 0
        else {
            unsafe Self.free(&opening, &holding)
            throw DecodingError(.unsupported, "the decoder for \(name) can not be opened")
        }
        unsafe self.context = unsafe context
        unsafe self.frame = unsafe frame
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        var dropping: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe Self.free(&closing, &dropping)
    }

    /// Feeds a packet, or with nil asks for what is held back; gives the picture if one came out.
    ///
    /// A packet that does not decode is passed over: films may begin in the middle of a group.
    func decode(
        _ packet: UnsafePointer<AVPacket>?,
        size: (_ width: Int, _ height: Int) -> (width: Int, height: Int)
    ) throws(DecodingError) -> Pixels? {
        unsafe avcodec_send_packet(context, packet)
        guard unsafe avcodec_receive_frame(context, frame) >= 0 else { return nil }
        defer { unsafe av_frame_unref(frame) }
        let width = unsafe Int(frame.pointee.width)
        let height = unsafe Int(frame.pointee.height)
        guard width > 0, height > 0 else { return nil }
        try Pixels.checkSize(width: width, height: height)
        let target = size(width, height)
        return try unsafe PictureScaler.pixels(frame, width: target.width, height: target.height)
    }

    private static func free(
        _ context: inout UnsafeMutablePointer<AVCodecContext>?,
        _ frame: inout UnsafeMutablePointer<AVFrame>?
    ) {
        unsafe av_frame_free(&frame)
        unsafe avcodec_free_context(&context)
    }
}

extension PictureCodec {
    /// A codec of pictures that boxes keep one by one.
    enum StillCodec: String {
        case hevc, av1
    }

    /// Decodes one picture that no demuxer unpacks: the tile of a HEIC or AVIF file.
    ///
    /// The configuration is the payload of `hvcC` or `av1C`.
    static func decodeStill(
        _ bytes: [UInt8],
        codec: StillCodec,
        configuration: [UInt8],
        width: Int,
        height: Int
    ) throws(DecodingError) -> Pixels {
        var parameters = unsafe avcodec_parameters_alloc()
        defer { unsafe avcodec_parameters_free(&parameters) }
        var packet = unsafe av_packet_alloc()
        defer { unsafe av_packet_free(&packet) }
        // The codecs read some bytes beyond the end (avcodec.h, AV_INPUT_BUFFER_PADDING_SIZE).
        let extra = unsafe av_mallocz(configuration.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
        guard let parameters = unsafe parameters, let packet = unsafe packet, let extra = unsafe extra,
            unsafe av_new_packet(packet, Int32(bytes.count)) >= 0
        else {
            unsafe av_free(extra)
            throw DecodingError(.memory, "no memory for a picture")
        }
        unsafe UnsafeMutableRawBufferPointer(start: extra, count: configuration.count).copyBytes(from: configuration)
        unsafe UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: bytes.count).copyBytes(from: bytes)
        unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        unsafe parameters.pointee.codec_id = codec == .hevc ? AV_CODEC_ID_HEVC : AV_CODEC_ID_AV1
        unsafe parameters.pointee.width = Int32(width)
        unsafe parameters.pointee.height = Int32(height)
        unsafe parameters.pointee.extradata = unsafe extra.assumingMemoryBound(to: UInt8.self)
        unsafe parameters.pointee.extradata_size = Int32(configuration.count)
        unsafe packet.pointee.flags |= AV_PKT_FLAG_KEY
        let decoder = try unsafe PictureCodec(parameters)
        if let pixels = try unsafe decoder.decode(packet, size: { ($0, $1) }) { return pixels }
        if let pixels = try unsafe decoder.decode(nil, size: { ($0, $1) }) { return pixels }
        throw DecodingError(.noPicture, "the picture does not decode")
    }
}
