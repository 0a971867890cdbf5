private import CVideo4Linux
private import Glibc

/// An open video node, owned: dropped, it stops streaming, unmaps its buffers and is closed.
///
/// No call waits for a frame, but drivers may block for seconds in `setFormat`, `startStreaming`, `stopStreaming` and
/// when the value goes: use it from an event loop that serves this camera alone. Nodes are opened non-blocking, because a
/// blocking VIDIOC_DQBUF may never return after an unplug (raspberrypi/linux issue 1211).
package struct VideoDevice: ~Copyable {
    /// How many entries of anything a driver may list; some never say that the list has ended.
    static let listLimit = 256

    /// What the node says it is.
    package let capabilities: VideoCapabilities

    /// Buffers that streaming asks for.
    package static let wantedBuffers: UInt32 = 4

    let descriptor: Int32
    let bufferType: UInt32
    private var buffers: MappedBuffers?
    private var exported: ExportedBuffers?
    private var format: VideoFormat?
    /// How the areas of a picture that has several become one.
    private var joint: AreaJoint?
    /// The picture of several areas that is lent.
    private var joined: [UInt8] = []
    private var sieve = FrameSieve(leastByteCount: 1)
    private var badInARow = 0
    private var isLit = false

    /// Opens a node and asks what it is.
    ///
    /// - Throws: `absent`, `denied`, `busy`, `notCamera` where it is no V4L2 device or does not capture pictures.
    package init(path: String) throws(VideoError) {
        (descriptor, capabilities, bufferType) = try Self.opened(path)
    }

    deinit {
        if isLit { _ = cv4l2_set_control(descriptor, VideoControl.Identifier.flashMode, 0) }
        if buffers != nil { _ = cv4l2_stream_off(descriptor, bufferType) }
        if let buffers { buffers.unmap() }
        _ = close(descriptor)
    }

    /// The descriptor to wait on with poll(2), for input; it stays this value's own.
    package var pollDescriptor: Int32 { descriptor }

    /// Whether buffers are queued and the device fills them.
    package var isStreaming: Bool { buffers != nil }

    /// What became of the frames since the format was set.
    package var counts: (good: Int, bad: Int, lost: Int) { (sieve.goodFrames, sieve.badFrames, sieve.lostFrames) }

    // MARK: Format

    /// The format the device is set to; of pictures in several areas that are joined, the joined picture's.
    package func currentFormat() throws(VideoError) -> VideoFormat {
        let raw = try rawFormat()
        return VideoFormat(raw, joint: AreaJoint(raw), interval: try interval())
    }

    private func rawFormat() throws(VideoError) -> cv4l2_format {
        var format = cv4l2_format()
        try check(unsafe cv4l2_get_format(descriptor, bufferType, &format), "VIDIOC_G_FMT")
        return format
    }

    /// Sets a format, and the time between frames where the device has one.
    ///
    /// - Returns: What the device was really set to; of pictures in several areas that are joined, the joined picture's.
    /// - Throws: `busy` when another process has buffers; `notSupported`.
    package mutating func setFormat(
        _ pixelFormat: PixelFormat,
        width: Int,
        height: Int,
        interval: FrameInterval? = nil
    ) throws(VideoError) -> VideoFormat {
        precondition(buffers == nil, "The format is set before streaming.")
        var raw = Self.wanted(pixelFormat, width: width, height: height)
        try check(unsafe cv4l2_set_format(descriptor, bufferType, &raw), "VIDIOC_S_FMT")
        if let interval { try set(interval) }
        joint = AreaJoint(raw)
        let granted = VideoFormat(raw, joint: joint, interval: try self.interval())
        guard granted.isPlausible else { throw VideoError(.notSupported, operation: "VIDIOC_S_FMT", errorNumber: 0) }
        format = granted
        sieve = FrameSieve(leastByteCount: granted.leastByteCount)
        return granted
    }

    /// Makes other processes unable to change format, rate and controls; they can otherwise, under a running recording.
    ///
    /// Source: VIDIOC_S_PRIORITY with V4L2_PRIORITY_RECORD (3). Drivers without priorities ignore it.
    package func takePriority() {
        // A camera whose settings others can change is still a camera.
        _ = cv4l2_set_priority(descriptor, 3)
    }

    /// Turns the light of the node on or off; it is off again when the value goes.
    ///
    /// - Throws: `notSupported` for a node without a light, `busy` when another process holds the priority.
    package mutating func setLight(_ isOn: Bool) throws(VideoError) {
        // V4L2_FLASH_LED_MODE_NONE 0, _TORCH 2; flash subdevices of their own are not driven.
        guard value(of: VideoControl.Identifier.flashMode) != nil else {
            throw VideoError(.notSupported, operation: "VIDIOC_G_CTRL", errorNumber: 0)
        }
        if isOn { isLit = true }
        try set(VideoControl.Identifier.flashMode, to: isOn ? 2 : 0)
        isLit = isOn
    }

    /// Turns off the light that a process before this one was ended with.
    package mutating func endForeignLight() {
        guard value(of: VideoControl.Identifier.flashMode) == 2 else { return }
        // A light that can not be turned off keeps nobody from filming.
        try? setLight(false)
    }

    // MARK: Streaming

    /// Maps and queues buffers and starts the device.
    ///
    /// - Throws: `busy`, `noBandwidth`, `noSignal`, `notSupported` for formats in several memory areas that are not joined; the
    ///   device is then not streaming.
    package mutating func startStreaming() throws(VideoError) {
        precondition(buffers == nil, "The device is not streaming yet.")
        if self.format == nil {
            joint = AreaJoint(try rawFormat())
            self.format = try currentFormat()
        }
        guard let format, format.planeCount == joint?.count ?? 1, format.isPlausible else {
            throw VideoError(.notSupported, operation: "VIDIOC_REQBUFS", errorNumber: 0)
        }
        let mapped = try MappedBuffers(
            descriptor: descriptor,
            type: bufferType,
            wanted: Self.wantedBuffers,
            areas: format.planeCount
        )
        do throws(VideoError) {
            for index in 0..<mapped.count { try queue(UInt32(index)) }
            try check(cv4l2_stream_on(descriptor, bufferType), "VIDIOC_STREAMON")
        } catch {
            _ = cv4l2_stream_off(descriptor, bufferType)
            mapped.unmap()
            releaseBuffers()
            throw error
        }
        buffers = mapped
        badInARow = 0
        sieve.restart()
    }

    /// Stops the device and gives its buffers back; does nothing when it is not streaming.
    package mutating func stopStreaming() {
        guard let buffers else { return }
        // Whatever the device says now, there is nothing left to do about it.
        _ = cv4l2_stream_off(descriptor, bufferType)
        // Drivers without orphaned buffers release none of which one is mapped or exported (VIDIOC_REQBUFS, EBUSY).
        exported = nil
        buffers.unmap()
        self.buffers = nil
        releaseBuffers()
    }

    /// Exports the buffers that are streamed (VIDIOC_EXPBUF), so that ``withNextSharedFrame(_:)`` tells each frame's descriptor.
    ///
    /// They are closed when streaming stops, and when the value goes.
    ///
    /// - Throws: `notSupported` for a driver that does not export its buffers, and for pictures of several areas, which are
    ///   joined by copying; `absent`, `fault`. Streaming goes on without.
    package mutating func exportBuffers() throws(VideoError) {
        guard let buffers else { preconditionFailure("Buffers are exported while streaming.") }
        guard joint == nil else { throw VideoError(.notSupported, operation: "VIDIOC_EXPBUF", errorNumber: 0) }
        let (descriptor, type) = (descriptor, bufferType)
        exported = try ExportedBuffers(count: buffers.count, areas: 1) { index, area in
            cv4l2_export_buffer(descriptor, type, index, area)
        }
    }

    /// Lends the next good frame, if there is one.
    ///
    /// Frames that the driver flagged, short and oversized ones are counted and given back. So is every buffer, also when the body
    /// throws.
    ///
    /// - Parameter body: Gets the frame's bytes, which lie in memory the device will use again, and what is known of it.
    /// - Returns: What the body returned; nil when no frame is there yet: wait for `pollDescriptor`.
    /// - Throws: `absent` when the device is gone (stop polling its descriptor, it is always ready now), `fault` when it
    ///   has stopped: stop streaming and start anew, also when it only gives bad frames.
    package mutating func withNextFrame<Result>(
        _ body: (RawSpan, FrameStamp) -> Result
    ) throws(VideoError) -> Result? {
        try withNextSharedFrame { bytes, stamp, _ in body(bytes, stamp) }
    }

    /// The same, and where the frame lies for other drivers and processes; nil where buffers are not exported.
    ///
    /// The frame is theirs as long as the body runs: the driver fills the buffer anew then.
    package mutating func withNextSharedFrame<Result>(
        _ body: (RawSpan, FrameStamp, SharedFrame?) -> Result
    ) throws(VideoError) -> Result? {
        guard let buffers, let format else { preconditionFailure("Frames come while streaming.") }
        // One turn over all buffers: a device that fills them faster than they are judged does not hold the loop.
        for _ in 0..<buffers.count {
            var frame = cv4l2_frame()
            let result = unsafe cv4l2_dequeue_buffer(descriptor, bufferType, UInt32(format.planeCount), &frame)
            if result == -EAGAIN { return nil }
            guard result == 0 else { throw Self.streamError("VIDIOC_DQBUF", -result) }
            guard Int(frame.index) < buffers.count else {
                throw VideoError(.fault, operation: "VIDIOC_DQBUF", errorNumber: 0)
            }
            let offset = Int(frame.data_offset)
            let report = report(of: frame, in: buffers)
            switch sieve.judge(report, now: MonotonicTime.now()) {
            case .good(let stamp):
                badInARow = 0
                guard joint == nil else {
                    join(frame, in: buffers)
                    // The picture is this value's own now, and the buffer can be filled anew.
                    try queue(frame.index)
                    return unsafe joined.withUnsafeBytes { unsafe body($0.bytes, stamp, nil) }
                }
                var shared: SharedFrame?
                if let descriptor = exported?.descriptor(of: Int(frame.index)) {
                    shared = SharedFrame(descriptor: descriptor, offset: offset, byteCount: report.byteCount)
                }
                let value = buffers.withBytes(of: Int(frame.index), from: offset, count: report.byteCount) { bytes in
                    body(bytes, stamp, shared)
                }
                try queue(frame.index)
                return value
            case .bad:
                badInARow += 1
                try queue(frame.index)
                // uvcvideo gives all buffers back flagged after a bad transfer, and then falls silent for ever.
                if badInARow >= 8 * buffers.count {
                    throw VideoError(.fault, operation: "VIDIOC_DQBUF", errorNumber: 0)
                }
            }
        }
        return nil
    }

    // MARK: Private

    /// What a buffer says of itself; of one in several areas, that it is short or oversized when one of them is.
    private func report(of frame: cv4l2_frame, in buffers: MappedBuffers) -> BufferReport {
        let index = Int(frame.index)
        let planes = Self.planes(of: frame)
        let capacities = (0..<(joint?.count ?? 1)).map { area in
            buffers.byteCount(of: index, area: area) - planes[area].offset
        }
        var byteCount = planes[0].count
        var capacity = capacities[0]
        if let joint {
            let areas = 0..<joint.count
            byteCount = areas.allSatisfy { planes[$0].count >= joint.leastByteCount(of: $0) } ? joint.byteCount : 0
            capacity = areas.allSatisfy { planes[$0].count <= capacities[$0] } ? joint.byteCount : -1
        }
        return BufferReport(
            byteCount: byteCount,
            flags: frame.flags,
            sequence: frame.sequence,
            // A time that overflows is no time of CLOCK_MONOTONIC, and the sieve distrusts it.
            microseconds: frame.seconds &* 1_000_000 &+ frame.microseconds,
            capacity: capacity
        )
    }

    private static func planes(of frame: cv4l2_frame) -> [(count: Int, offset: Int)] {
        [
            (frame.bytesused, frame.data_offset), (frame.second.bytesused, frame.second.data_offset),
            (frame.third.bytesused, frame.third.data_offset),
        ].map { (max(0, Int($0.0) - Int($0.1)), Int($0.1)) }
    }

    /// Copies the areas of a good frame into one picture.
    private mutating func join(_ frame: cv4l2_frame, in buffers: MappedBuffers) {
        guard let joint else { return }
        joined.removeAll(keepingCapacity: true)
        joined.reserveCapacity(joint.byteCount)
        let planes = Self.planes(of: frame)
        for area in 0..<joint.count {
            let (count, offset) = planes[area]
            var picture: [UInt8] = []
            swap(&picture, &joined)
            buffers.withBytes(of: Int(frame.index), area: area, from: offset, count: count) { bytes in
                joint.append(bytes, of: area, to: &picture)
            }
            swap(&picture, &joined)
        }
    }

    private static func opened(_ path: String) throws(VideoError) -> (Int32, VideoCapabilities, UInt32) {
        let descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw VideoError(operation: "open", errorNumber: errno) }
        do throws(VideoError) {
            let capabilities = try capabilities(of: descriptor)
            guard let interface = capabilities.captureInterface else {
                throw VideoError(.notCamera, operation: "VIDIOC_QUERYCAP", errorNumber: 0)
            }
            return (descriptor, capabilities, interface.bufferType)
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    private static func capabilities(of descriptor: Int32) throws(VideoError) -> VideoCapabilities {
        var raw = v4l2_capability()
        let result = unsafe cv4l2_querycap(descriptor, &raw)
        guard result == 0 else { throw VideoError(operation: "VIDIOC_QUERYCAP", errorNumber: -result) }
        return VideoCapabilities(
            driver: CText.text(raw.driver),
            card: CText.text(raw.card),
            busInfo: CText.text(raw.bus_info),
            capabilities: raw.capabilities,
            deviceCapabilities: raw.device_caps
        )
    }

    private static func wanted(_ pixelFormat: PixelFormat, width: Int, height: Int) -> cv4l2_format {
        var format = cv4l2_format()
        format.width = UInt32(clamping: width)
        format.height = UInt32(clamping: height)
        format.pixelformat = pixelFormat.rawValue
        // Progressive pictures: V4L2_FIELD_NONE.
        format.field = 1
        return format
    }

    /// EINVAL from DQBUF means a stream that ended under us, and not a wrong value.
    private static func streamError(_ operation: String, _ number: Int32) -> VideoError {
        let error = VideoError(operation: operation, errorNumber: number)
        return error.code == .notSupported ? VideoError(.fault, operation: operation, errorNumber: number) : error
    }

    func check(_ result: Int32, _ operation: String) throws(VideoError) {
        guard result == 0 else { throw VideoError(operation: operation, errorNumber: -result) }
    }

    private func queue(_ index: UInt32) throws(VideoError) {
        let result = cv4l2_queue_buffer(descriptor, bufferType, index, UInt32(format?.planeCount ?? 1))
        guard result == 0 else { throw Self.streamError("VIDIOC_QBUF", -result) }
    }

    private func releaseBuffers() {
        var none: UInt32 = 0
        // Closing the device releases them too.
        _ = unsafe cv4l2_request_buffers(descriptor, bufferType, &none)
    }

    /// VIDIOC_G_PARM; nil where the device has no time per frame.
    private func interval() throws(VideoError) -> FrameInterval? {
        var parameters = v4l2_streamparm()
        parameters.type = bufferType
        let result = unsafe cv4l2_get_parameters(descriptor, &parameters)
        guard result != -ENODEV else { throw VideoError(operation: "VIDIOC_G_PARM", errorNumber: ENODEV) }
        let capture = unsafe parameters.parm.capture
        guard result == 0, capture.capability & 0x1000 != 0 else { return nil }
        let time = capture.timeperframe
        return FrameInterval(numerator: time.numerator, denominator: time.denominator)
    }

    private func set(_ interval: FrameInterval) throws(VideoError) {
        guard try self.interval() != nil else { return }
        var parameters = v4l2_streamparm()
        parameters.type = bufferType
        unsafe parameters.parm.capture.timeperframe.numerator = interval.numerator
        unsafe parameters.parm.capture.timeperframe.denominator = interval.denominator
        try check(unsafe cv4l2_set_parameters(descriptor, &parameters), "VIDIOC_S_PARM")
    }
}

extension AreaJoint {
    fileprivate init?(_ raw: cv4l2_format) {
        let rows = [raw.bytesperline, raw.second_bytesperline, raw.third_bytesperline]
        self.init(
            PixelFormat(rawValue: raw.pixelformat),
            width: Int(raw.width),
            height: Int(raw.height),
            bytesPerRow: rows.prefix(Int(raw.plane_count)).map { Int($0) }
        )
    }
}

extension VideoFormat {
    fileprivate init(_ raw: cv4l2_format, joint: AreaJoint?, interval: FrameInterval?) {
        let colours = FormatColours(
            colorspace: raw.colorspace,
            transfer: raw.transfer,
            encoding: raw.encoding,
            quantization: raw.quantization
        )
        self.init(
            pixelFormat: joint?.pixelFormat ?? PixelFormat(rawValue: raw.pixelformat),
            width: Int(raw.width),
            height: Int(raw.height),
            bytesPerRow: Int(raw.bytesperline),
            imageByteCount: joint?.byteCount ?? Int(raw.sizeimage),
            planeCount: Int(raw.plane_count),
            isFullRange: colours.isFullRange,
            isRec709: colours.isRec709,
            colours: colours.colours,
            interval: interval
        )
    }
}
