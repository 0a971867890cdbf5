private import CVideo4Linux
private import Glibc

/// What a device offers; nothing here changes it, and all of it works while another process films.
extension VideoDevice {
    /// The formats with their sizes and frame intervals; empty for nodes that can not be used as they are.
    package func formats() -> [VideoFormatDescription] {
        var found: [VideoFormatDescription] = []
        for index in 0..<Self.listLimit {
            var raw = v4l2_fmtdesc()
            raw.index = UInt32(index)
            raw.type = bufferType
            guard unsafe cv4l2_enum_format(descriptor, &raw) == 0 else { break }
            let pixelFormat = PixelFormat(rawValue: raw.pixelformat)
            found.append(
                VideoFormatDescription(
                    pixelFormat: pixelFormat,
                    text: CText.text(raw.description),
                    // V4L2_FMT_FLAG_COMPRESSED and V4L2_FMT_FLAG_EMULATED.
                    isCompressed: raw.flags & 0x1 != 0,
                    isEmulated: raw.flags & 0x2 != 0,
                    sizes: sizes(of: pixelFormat)
                )
            )
        }
        return found
    }

    /// Whether another process owns the buffers: asking for none gives EBUSY then, and does nothing else.
    ///
    /// Only for a device that is not streaming here.
    package func isInUse() -> Bool {
        precondition(!isStreaming, "The device is not ours yet.")
        var none: UInt32 = 0
        return unsafe cv4l2_request_buffers(descriptor, bufferType, &none) == -EBUSY
    }

    /// Whether the current input says that it has a signal; nil where the device has no inputs.
    package func hasSignal() -> Bool? {
        var index: UInt32 = 0
        guard unsafe cv4l2_get_input(descriptor, &index) == 0 else { return nil }
        var input = v4l2_input()
        input.index = index
        guard unsafe cv4l2_enum_input(descriptor, &input) == 0 else { return nil }
        // V4L2_IN_ST_NO_POWER, _NO_SIGNAL, _NO_H_LOCK and _NO_SYNC.
        return input.status & (0x1 | 0x2 | 0x100 | 0x200) == 0
    }

    private func sizes(of pixelFormat: PixelFormat) -> [VideoSizes] {
        var found: [VideoSizes] = []
        for index in 0..<Self.listLimit {
            var raw = v4l2_frmsizeenum()
            raw.index = UInt32(index)
            raw.pixel_format = pixelFormat.rawValue
            guard unsafe cv4l2_enum_frame_size(descriptor, &raw) == 0 else { break }
            guard raw.type != UInt32(V4L2_FRMSIZE_TYPE_DISCRETE.rawValue) else {
                let (width, height) = (Int(raw.discrete.width), Int(raw.discrete.height))
                let intervals = intervals(of: pixelFormat, width: width, height: height)
                found.append(VideoSizes(width: width, height: height, intervals: intervals))
                continue
            }
            // A range answers index 0 only; some drivers answer every index with it.
            let range = raw.stepwise
            guard range.min_width <= range.max_width, range.min_height <= range.max_height else { break }
            found.append(
                VideoSizes(
                    widths: Int(range.min_width)...Int(range.max_width),
                    heights: Int(range.min_height)...Int(range.max_height),
                    step: (Int(range.step_width), Int(range.step_height)),
                    intervals: intervals(of: pixelFormat, width: Int(range.max_width), height: Int(range.max_height))
                )
            )
            break
        }
        return found
    }

    private func intervals(of pixelFormat: PixelFormat, width: Int, height: Int) -> FrameIntervals {
        var found: [FrameInterval] = []
        for index in 0..<Self.listLimit {
            var raw = v4l2_frmivalenum()
            raw.index = UInt32(index)
            raw.pixel_format = pixelFormat.rawValue
            raw.width = UInt32(width)
            raw.height = UInt32(height)
            guard unsafe cv4l2_enum_frame_interval(descriptor, &raw) == 0 else { break }
            guard raw.type != UInt32(V4L2_FRMIVAL_TYPE_DISCRETE.rawValue) else {
                let value = raw.discrete
                if let one = FrameInterval(numerator: value.numerator, denominator: value.denominator) {
                    found.append(one)
                }
                continue
            }
            let (fast, slow) = (raw.stepwise.min, raw.stepwise.max)
            guard let fastest = FrameInterval(numerator: fast.numerator, denominator: fast.denominator),
                let slowest = FrameInterval(numerator: slow.numerator, denominator: slow.denominator)
            else { return .unknown }
            // A continuous range has a step of 1 that means nothing (vidioc-enum-frameintervals.rst).
            let isStepwise = raw.type == UInt32(V4L2_FRMIVAL_TYPE_STEPWISE.rawValue)
            let step = isStepwise ? raw.stepwise.step : v4l2_fract()
            return .range(
                fastest: fastest,
                slowest: slowest,
                step: FrameInterval(numerator: step.numerator, denominator: step.denominator)
            )
        }
        return found.isEmpty ? .unknown : .discrete(found)
    }
}
