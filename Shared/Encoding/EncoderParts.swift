import CLibAVCodec
import Imaging
import Media

/// What an encoder is made of: frames, a converter, and x264's settings.
enum EncoderParts {
    /// libavutil's word for how pixels lie.
    static func format(_ layout: PixelLayout) -> AVPixelFormat {
        switch layout {
        case .yuyv: AV_PIX_FMT_YUYV422
        case .uyvy: AV_PIX_FMT_UYVY422
        case .nv12: AV_PIX_FMT_NV12
        case .yuv420: AV_PIX_FMT_YUV420P
        case .rgb24: AV_PIX_FMT_RGB24
        case .bgr24: AV_PIX_FMT_BGR24
        case .grey: AV_PIX_FMT_GRAY8
        }
    }

    /// A frame with memory of its own, padded as the vector code wants it; nil when there is none.
    static func frame(_ format: AVPixelFormat, _ width: Int32, _ height: Int32) -> UnsafeMutablePointer<AVFrame>? {
        var frame = unsafe av_frame_alloc()
        unsafe frame?.pointee.format = format.rawValue
        unsafe frame?.pointee.width = width
        unsafe frame?.pointee.height = height
        guard let made = unsafe frame, unsafe av_frame_get_buffer(made, 0) >= 0 else {
            unsafe av_frame_free(&frame)
            return nil
        }
        return unsafe made
    }

    /// The first four planes of a frame and their strides.
    static func planes(
        of frame: UnsafeMutablePointer<AVFrame>
    ) -> (planes: [UnsafeMutablePointer<UInt8>?], strides: [Int32]) {
        let data = unsafe frame.pointee.data
        let strides = unsafe frame.pointee.linesize
        return unsafe ([data.0, data.1, data.2, data.3], [strides.0, strides.1, strides.2, strides.3])
    }

    /// Converts to 4:2:0 in limited range, of the same size.
    ///
    /// Luma and chroma keep their matrix, which the stream tells; red, green and blue become those of BT.601. The range goes in before the converter is made: the short cuts between formats do not know it.
    static func scaler(
        _ shape: PictureShape,
        _ format: AVPixelFormat,
        _ width: Int32,
        _ height: Int32
    ) -> OpaquePointer? {
        guard let context = unsafe sws_alloc_context() else { return nil }
        let isFullRange = shape.isFullRange || !shape.layout.isLumaChroma
        let object = unsafe UnsafeMutableRawPointer(context)
        let options: [(String, Int64)] = [
            ("srcw", Int64(width)), ("srch", Int64(height)), ("src_format", Int64(format.rawValue)),
            ("dstw", Int64(width)), ("dsth", Int64(height)), ("dst_format", Int64(AV_PIX_FMT_YUV420P.rawValue)),
            ("src_range", isFullRange ? 1 : 0), ("dst_range", 0), ("sws_flags", Int64(SWS_BILINEAR)),
        ]
        for (name, value) in options { unsafe av_opt_set_int(object, name, value, 0) }
        guard unsafe sws_init_context(context, nil, nil) >= 0 else {
            unsafe sws_freeContext(context)
            return nil
        }
        let matrix = unsafe sws_getCoefficients(SWS_CS_ITU601)
        unsafe sws_setColorspaceDetails(context, matrix, isFullRange ? 1 : 0, matrix, 0, 0, 1 << 16, 1 << 16)
        return unsafe context
    }

    /// The settings of x264, and what the stream says about its colours (ITU-T H.264 annex E, the numbers of H.273).
    static func set(
        _ context: UnsafeMutablePointer<AVCodecContext>,
        _ shape: PictureShape,
        _ colours: PictureColours,
        _ quality: H264Quality,
        _ framesPerSecond: Double,
        _ threads: Int
    ) {
        unsafe context.pointee.width = Int32(shape.width & ~1)
        unsafe context.pointee.height = Int32(shape.height & ~1)
        unsafe context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        unsafe context.pointee.time_base = AVRational(num: 1, den: 1_000_000)
        let rate = min(max(framesPerSecond.isFinite ? framesPerSecond : 30, 0.01), 1000)
        unsafe context.pointee.framerate = AVRational(num: Int32(rate * 1000), den: 1000)
        // Keys are asked for by time; this is for a stream whose clock stands still.
        unsafe context.pointee.gop_size = 600
        unsafe context.pointee.max_b_frames = 0
        unsafe context.pointee.thread_count = Int32(max(1, threads))
        unsafe context.pointee.color_range = AVCOL_RANGE_MPEG
        unsafe context.pointee.color_primaries = AVColorPrimaries(rawValue: UInt32(colours.primaries))
        unsafe context.pointee.color_trc = AVColorTransferCharacteristic(rawValue: UInt32(colours.transfer))
        let isRec709 = shape.layout.isLumaChroma && shape.isRec709
        unsafe context.pointee.colorspace = isRec709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
        let options = [
            ("preset", quality.effort), ("tune", "zerolatency"), ("crf", String(quality.constantRateFactor)),
            // A picture that is asked for as a key is an IDR picture, and changes of scene make none.
            ("forced-idr", "1"), ("sc_threshold", "0"),
        ]
        for (name, value) in options { unsafe av_opt_set(context.pointee.priv_data, name, value, 0) }
    }

    static func free(
        _ context: inout UnsafeMutablePointer<AVCodecContext>?,
        _ source: inout UnsafeMutablePointer<AVFrame>?,
        _ target: inout UnsafeMutablePointer<AVFrame>?,
        _ packet: inout UnsafeMutablePointer<AVPacket>?,
        _ scaler: OpaquePointer?
    ) {
        unsafe av_packet_free(&packet)
        unsafe av_frame_free(&target)
        unsafe av_frame_free(&source)
        unsafe avcodec_free_context(&context)
        unsafe sws_freeContext(scaler)
    }
}
