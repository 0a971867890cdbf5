package import Media

/// A fraction of a second between two frames, as V4L2 counts it.
package struct FrameInterval: Hashable, Sendable, CustomStringConvertible {
    package let numerator, denominator: UInt32

    /// Nil where the fraction is not a time: some drivers answer with zeros.
    package init?(numerator: UInt32, denominator: UInt32) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Seconds.
    package var seconds: Double { Double(numerator) / Double(denominator) }

    /// Nanoseconds, rounded down.
    package var nanoseconds: Int64 { Int64(numerator) * 1_000_000_000 / Int64(denominator) }

    package var description: String { "\(numerator)/\(denominator)" }
}

/// Which frame intervals a format has at a size.
package enum FrameIntervals: Hashable, Sendable {
    case discrete([FrameInterval])
    /// From the fastest to the slowest, any, or in steps; never expanded.
    case range(fastest: FrameInterval, slowest: FrameInterval, step: FrameInterval? = nil)
    /// The driver does not tell.
    case unknown
}

/// One size, or a range of sizes, that a format has.
package struct VideoSizes: Hashable, Sendable {
    package let minimumWidth, maximumWidth, stepWidth: Int
    package let minimumHeight, maximumHeight, stepHeight: Int
    /// The intervals at the size, or at the range's largest size.
    package var intervals: FrameIntervals

    /// One size.
    package init(width: Int, height: Int, intervals: FrameIntervals) {
        self.init(widths: width...width, heights: height...height, step: (1, 1), intervals: intervals)
    }

    /// A range of sizes; a step of zero is taken as one.
    package init(
        widths: ClosedRange<Int>,
        heights: ClosedRange<Int>,
        step: (width: Int, height: Int),
        intervals: FrameIntervals
    ) {
        minimumWidth = widths.lowerBound
        maximumWidth = widths.upperBound
        minimumHeight = heights.lowerBound
        maximumHeight = heights.upperBound
        stepWidth = max(1, step.width)
        stepHeight = max(1, step.height)
        self.intervals = intervals
    }

    /// Whether it is one size and no range.
    package var isDiscrete: Bool { minimumWidth == maximumWidth && minimumHeight == maximumHeight }

    /// Whether the size is one of these.
    package func contains(width: Int, height: Int) -> Bool {
        (minimumWidth...maximumWidth).contains(width) && (width - minimumWidth) % stepWidth == 0
            && (minimumHeight...maximumHeight).contains(height) && (height - minimumHeight) % stepHeight == 0
    }
}

/// A format that a device gives, with its sizes.
package struct VideoFormatDescription: Hashable, Sendable {
    package let pixelFormat: PixelFormat
    /// The driver's words, such as `Motion-JPEG`.
    package let text: String
    package let isCompressed: Bool
    /// Whether a library makes it of another format.
    package let isEmulated: Bool
    package let sizes: [VideoSizes]

    /// A description with all its parts.
    package init(pixelFormat: PixelFormat, text: String, isCompressed: Bool, isEmulated: Bool, sizes: [VideoSizes]) {
        self.pixelFormat = pixelFormat
        self.text = text
        self.isCompressed = isCompressed
        self.isEmulated = isEmulated
        self.sizes = sizes
    }
}

/// The format that a device has been set to, re-read: VIDIOC_S_FMT may change everything.
package struct VideoFormat: Hashable, Sendable {
    package let pixelFormat: PixelFormat
    /// Pixels.
    package let width, height: Int
    /// Bytes from one row of the first plane to the next; zero for compressed formats.
    package let bytesPerRow: Int
    /// The most bytes that a picture's first memory area has.
    package let imageByteCount: Int
    /// Memory areas that the driver has for a picture; those that can be joined (`AreaJoint`) are lent as one.
    package let planeCount: Int
    /// Whether luma spans 0 to 255.
    package let isFullRange: Bool
    /// Whether luma weighs the colours as ITU-R BT.709 has it, else as BT.601.
    package let isRec709: Bool
    /// Which colours red, green and blue are; nil where nobody says.
    package let colours: PictureColours?
    /// The time between frames, where the device has one.
    package var interval: FrameInterval?

    /// A format with all its parts.
    package init(
        pixelFormat: PixelFormat,
        width: Int,
        height: Int,
        bytesPerRow: Int,
        imageByteCount: Int,
        planeCount: Int = 1,
        isFullRange: Bool = false,
        isRec709: Bool = false,
        colours: PictureColours? = nil,
        interval: FrameInterval? = nil
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
        self.imageByteCount = imageByteCount
        self.planeCount = planeCount
        self.isFullRange = isFullRange
        self.isRec709 = isRec709
        self.colours = colours
        self.interval = interval
    }

    /// The bytes of one picture of the formats this module names; 1 for compressed and unknown ones.
    ///
    /// `imageByteCount` may be more: drivers round it up, and the multi-planar interface counts what lies before the
    /// picture.
    package var leastByteCount: Int {
        switch pixelFormat {
        case .yuyv, .uyvy, .rgb24, .bgr24, .grey: firstPlaneByteCount
        case .nv12, .yuv420: firstPlaneByteCount / 2 * 3 + firstPlaneByteCount % 2
        default: 1
        }
    }

    /// The bytes of the first plane's rows; a driver's numbers that can not be multiplied are more than there ever are.
    package var firstPlaneByteCount: Int {
        let (count, isTooMuch) = bytesPerRow.multipliedReportingOverflow(by: height)
        return isTooMuch ? Int.max / 2 : min(count, Int.max / 2)
    }

    /// Whether the numbers can be those of a picture: drivers have been seen to answer with anything.
    package var isPlausible: Bool {
        let sides = 1...65_500
        return sides.contains(width) && sides.contains(height) && bytesPerRow <= 1 << 24
    }

    /// Whether pictures are JPEG files, more or less.
    package var isJPEG: Bool { pixelFormat == .motionJPEG || pixelFormat == .jpeg }
}
