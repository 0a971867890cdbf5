private import CLibAVCodec

/// Makes AAC (low complexity) of 16-bit sound, with libavcodec's own encoder.
///
/// A packet is 1024 frames. The encoder starts with silence of its own, ``priming`` frames, which whoever plays leaves out.
/// Calls block for less than a millisecond a packet; one thread uses it.
@safe package struct AACEncoder: ~Copyable {
    /// Frames of each packet.
    package static let packetFrames = 1024
    /// Bytes of a packet at most, for each channel: 6144 bits (ISO/IEC 14496-3, 4.5.3.2).
    package static let mostByteCountOfChannel = 768
    /// Bits a second that are asked for, for each channel; at most as many as the rate allows.
    private static let bitRateOfChannel = 80_000

    /// The AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), which a decoder has to know first.
    package let configuration: [UInt8]
    /// Frames that a decoder gives before the first one of what was encoded.
    package let priming: Int

    private let channels: Int
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let packet: UnsafeMutablePointer<AVPacket>
    /// Samples that make no whole packet yet.
    private var rest: [Int16] = []
    private var given: Int64 = 0
    /// Packets that came out.
    private var came = 0

    /// Opens the encoder.
    ///
    /// - Parameters:
    ///   - rate: Samples a second; one of those that AAC has.
    ///   - channels: One or two.
    /// - Throws: `unavailable`, `memory`, `codec` for a rate or channels that it does not take.
    package init(rate: Int, channels: Int) throws(EncodingError) {
        guard (8_000...96_000).contains(rate), (1...2).contains(channels) else { throw EncodingError(.codec) }
        av_log_set_level(AV_LOG_QUIET)
        guard let codec = unsafe avcodec_find_encoder_by_name("aac") else { throw EncodingError(.unavailable) }
        var opening = unsafe avcodec_alloc_context3(codec)
        var making = unsafe av_frame_alloc()
        var carrying = unsafe av_packet_alloc()
        guard let context = unsafe opening, let frame = unsafe making, let packet = unsafe carrying else {
            unsafe Self.free(&opening, &making, &carrying)
            throw EncodingError(.memory)
        }
        unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        unsafe context.pointee.sample_rate = Int32(rate)
        unsafe context.pointee.bit_rate = Int64(Self.bitRateOfChannel * channels)
        unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(rate))
        unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        unsafe av_channel_layout_default(&context.pointee.ch_layout, Int32(channels))
        var result = unsafe avcodec_open2(context, codec, nil)
        if result >= 0 {
            unsafe frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
            unsafe frame.pointee.nb_samples = Int32(Self.packetFrames)
            unsafe av_channel_layout_default(&frame.pointee.ch_layout, Int32(channels))
            result = unsafe av_frame_get_buffer(frame, 0)
        }
        let isFitting = unsafe context.pointee.frame_size == Int32(Self.packetFrames)
        guard result >= 0, isFitting, let extra = unsafe context.pointee.extradata else {
            unsafe Self.free(&opening, &making, &carrying)
            throw EncodingError(.codec, errorNumber: result < 0 ? result : nil)
        }
        configuration = unsafe Array(UnsafeBufferPointer(start: extra, count: Int(context.pointee.extradata_size)))
        priming = unsafe Int(context.pointee.initial_padding)
        self.channels = channels
        unsafe self.context = unsafe context
        unsafe self.frame = unsafe frame
        unsafe self.packet = unsafe packet
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        var made: UnsafeMutablePointer<AVFrame>? = unsafe frame
        var carrying: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe Self.free(&closing, &made, &carrying)
    }

    /// Packets that are still to come at most if so many frames more were given and the sound ended then.
    package func packetCount(adding frames: Int) -> Int {
        let all = Int(given) + rest.count / channels + frames + priming
        return (all + Self.packetFrames - 1) / Self.packetFrames + 1 - came
    }

    /// Encodes what makes whole packets; the rest waits for more.
    ///
    /// - Parameter samples: Frame after frame, all channels of each.
    /// - Returns: The packets that are whole now.
    /// - Throws: `memory`, `codec`.
    package mutating func encode(_ samples: [Int16]) throws(EncodingError) -> [[UInt8]] {
        rest += samples
        var packets: [[UInt8]] = []
        let size = Self.packetFrames * channels
        var position = 0
        while rest.count - position >= size {
            packets += try send(rest[position..<position + size])
            position += size
        }
        rest.removeFirst(position)
        return packets
    }

    /// Ends the sound, and gives what is still to come.
    ///
    /// - Throws: `memory`, `codec`.
    package mutating func finish() throws(EncodingError) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        if !rest.isEmpty { packets = try send(rest[...]) }
        rest = []
        let result = unsafe avcodec_send_frame(context, nil)
        guard result >= 0 || result == clibavcodec_end_of_file() else {
            throw EncodingError(.codec, errorNumber: result)
        }
        return packets + (try received())
    }

    private mutating func send(_ samples: ArraySlice<Int16>) throws(EncodingError) -> [[UInt8]] {
        let count = samples.count / channels
        guard unsafe av_frame_make_writable(frame) >= 0 else { throw EncodingError(.memory) }
        unsafe frame.pointee.nb_samples = Int32(count)
        unsafe frame.pointee.pts = given
        let planes = unsafe [frame.pointee.data.0, frame.pointee.data.1]
        for channel in 0..<channels {
            guard let bytes = unsafe planes[channel] else { throw EncodingError(.memory) }
            unsafe UnsafeMutableRawPointer(bytes).withMemoryRebound(to: Float.self, capacity: count) { plane in
                var place = samples.startIndex + channel
                for index in 0..<count {
                    unsafe plane[index] = Float(samples[place]) / 32_768
                    place += channels
                }
            }
        }
        given += Int64(count)
        let result = unsafe avcodec_send_frame(context, frame)
        guard result >= 0 else { throw EncodingError(.codec, errorNumber: result) }
        return try received()
    }

    private mutating func received() throws(EncodingError) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while true {
            let result = unsafe avcodec_receive_packet(context, packet)
            if result == clibavcodec_try_again() || result == clibavcodec_end_of_file() { return packets }
            guard result >= 0 else { throw EncodingError(.codec, errorNumber: result) }
            defer { unsafe av_packet_unref(packet) }
            let bytes = unsafe UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
            guard !bytes.isEmpty else { continue }
            unsafe packets.append(Array(bytes))
            came += 1
        }
    }

    private static func free(
        _ context: inout UnsafeMutablePointer<AVCodecContext>?,
        _ frame: inout UnsafeMutablePointer<AVFrame>?,
        _ packet: inout UnsafeMutablePointer<AVPacket>?
    ) {
        unsafe av_packet_free(&packet)
        unsafe av_frame_free(&frame)
        unsafe avcodec_free_context(&context)
    }
}
