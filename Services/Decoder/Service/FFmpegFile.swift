private import CFFmpeg
package import Containers

/// A film, or a picture in a format other than JPEG, opened by libavformat 59 and decoded by libavcodec 59.
///
/// The demuxer is named by the caller and never guessed, no other one may be opened from it, no protocol is allowed
/// (a playlist or an external reference leads nowhere), and the bytes come from memory of ours. Calls block for as long
/// as the work takes; one thread uses it.
@safe package struct FFmpegFile: ~Copyable {
    /// What the headers of the pictures say.
    package struct Pictures: Hashable, Sendable {
        /// The codec's short name, such as `h264`.
        package var codec: String
        package var width: Int
        package var height: Int
        /// Frames a second.
        package var frameRate: Double?
    }

    /// More packets than this without a picture, and there is none.
    private static let maximumPacketCount = 4000

    private let context: UnsafeMutablePointer<AVFormatContext>
    private let stream: ByteStream

    /// Opens the file and reads its headers.
    ///
    /// - Throws: `unsupported` for a demuxer this libavformat lacks, `unreadable`, `memory`.
    package init(_ bytes: RandomAccessBytes, demuxer name: String) throws(DecodingError) {
        av_log_set_level(AV_LOG_QUIET)
        guard let format = unsafe av_find_input_format(name) else {
            throw DecodingError(.unsupported, "this libavformat has no \(name) demuxer")
        }
        let stream = ByteStream(bytes)
        var opened = unsafe avformat_alloc_context()
        guard let io = unsafe stream.makeContext(), unsafe opened != nil else {
            unsafe avformat_free_context(opened)
            throw DecodingError(.memory, "no memory to open the file")
        }
        unsafe opened?.pointee.pb = unsafe io
        unsafe opened?.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        var options: OpaquePointer?
        unsafe av_dict_set(&options, "format_whitelist", String(cString: format.pointee.name), 0)
        unsafe av_dict_set(&options, "protocol_whitelist", "none", 0)
        // On failure the context is freed, but not what reads for it.
        let result = unsafe avformat_open_input(&opened, nil, format, &options)
        unsafe av_dict_free(&options)
        guard result >= 0, let context = unsafe opened else {
            unsafe Self.free(io)
            throw Self.error(result, "the file can not be read as \(name)")
        }
        unsafe self.context = unsafe context
        self.stream = stream
        unsafe context.pointee.max_analyze_duration = 5_000_000
        unsafe avformat_find_stream_info(context, nil)
    }

    deinit {
        let io = unsafe context.pointee.pb
        var closing: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&closing)
        if let io = unsafe io { unsafe Self.free(io) }
        // The callbacks point to the stream without holding it.
        withExtendedLifetime(stream) {}
    }

    /// Seconds, where the file says so or its streams do.
    package var duration: Double? {
        let ticks = unsafe context.pointee.duration
        guard ticks > 0, ticks != cffmpeg_no_time() else { return nil }
        return Double(ticks) / Double(AV_TIME_BASE)
    }

    /// The text of a metadata key of the file, such as `creation_time`.
    package func text(_ key: String) -> String? {
        guard let entry = unsafe av_dict_get(context.pointee.metadata, key, nil, 0),
            let value = unsafe entry.pointee.value
        else { return nil }
        return unsafe String(cString: value)
    }

    /// The pictures' headers; nil when there are none (the cover of a song is none).
    package var pictures: Pictures? {
        guard let stream = unsafe pictureStream() else { return nil }
        let parameters = unsafe stream.pointee.codecpar.pointee
        let rate = unsafe stream.pointee.avg_frame_rate
        return unsafe Pictures(
            codec: String(cString: avcodec_get_name(parameters.codec_id)),
            width: Int(parameters.width),
            height: Int(parameters.height),
            frameRate: rate.num > 0 && rate.den > 0 ? av_q2d(rate) : nil
        )
    }

    /// Decodes the first picture, as stored, and scales it down to what `size` makes of its own.
    ///
    /// - Throws: `noPicture`, `tooLarge`, `unsupported`, `memory`.
    package func firstPicture(
        size: (_ width: Int, _ height: Int) -> (width: Int, height: Int) = { ($0, $1) }
    ) throws(DecodingError) -> Pixels {
        guard let stream = unsafe pictureStream() else {
            throw DecodingError(.noPicture, "there are no pictures in it")
        }
        let parameters = unsafe stream.pointee.codecpar
        let codec = try unsafe PictureCodec(parameters)
        let index = unsafe stream.pointee.index
        guard let packet = unsafe av_packet_alloc() else { throw DecodingError(.memory, "no memory for a packet") }
        defer {
            var freeing: UnsafeMutablePointer<AVPacket>? = unsafe packet
            unsafe av_packet_free(&freeing)
        }
        for _ in 0..<Self.maximumPacketCount {
            guard unsafe av_read_frame(context, packet) >= 0 else { break }
            defer { unsafe av_packet_unref(packet) }
            guard unsafe packet.pointee.stream_index == index else { continue }
            if let pixels = try unsafe codec.decode(packet, size: size) { return pixels }
        }
        if let pixels = try unsafe codec.decode(nil, size: size) { return pixels }
        throw DecodingError(.noPicture, "none of its pictures decodes")
    }

    private func pictureStream() -> UnsafeMutablePointer<AVStream>? {
        let index = unsafe av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard index >= 0, let streams = unsafe context.pointee.streams, let stream = unsafe streams[Int(index)],
            unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        else { return nil }
        return unsafe stream
    }

    private static func free(_ io: UnsafeMutablePointer<AVIOContext>) {
        unsafe av_free(io.pointee.buffer)
        var freeing: UnsafeMutablePointer<AVIOContext>? = unsafe io
        unsafe avio_context_free(&freeing)
    }

    private static func error(_ number: Int32, _ detail: String) -> DecodingError {
        DecodingError(number == cffmpeg_out_of_memory() ? .memory : .unreadable, detail)
    }
}
