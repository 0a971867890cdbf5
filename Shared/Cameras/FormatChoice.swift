private import MessageSchema
package import Video4Linux
private import VideoConversion

/// Which of a camera's formats is nearest to what was asked; a function without any device.
package struct FormatChoice: Hashable, Sendable {
    package let pixelFormat: PixelFormat
    /// Pixels.
    package let width, height: Int
    package let interval: FrameInterval?

    /// Formats that can be used, best first: the camera's own JPEG costs nothing, the others are encoded here.
    package static let usable: [PixelFormat] = [
        .motionJPEG, .jpeg, .yuyv, .uyvy, .nv12, .yuv420, "NM12", "YM12", .rgb24, .bgr24, .grey,
    ]
    /// Formats that a library converts, best first: taken where a camera has no other.
    private static let convertible = ConvertibleFormat.all.map(\.pixelFormat)

    /// The formats that serve a wish, best first.
    private static func usable(_ h264: H264Use) -> [PixelFormat] {
        switch h264 {
        case .never: usable
        case .fallback: usable + [.h264]
        case .preferred: [.h264] + usable.filter { !jpeg.contains($0) } + jpeg
        }
    }

    private static let jpeg: [PixelFormat] = [.motionJPEG, .jpeg]

    /// The largest size that is taken without being asked for, in pixels: 1080p, so that an idle request does not bring
    /// a camera to a few frames a second.
    package static let usualSize = (width: 1920, height: 1080)

    /// Chooses among `formats`; nil when none can be used.
    ///
    /// Uncompressed pixels count first where they are preferred. Then the size: the smallest that covers what was asked,
    /// else the largest. Then the rate, then the format in the order of `usable`, with H.264 where the wish has a place
    /// for it. A format that has to be converted is taken only where there is no other, whatever its sizes are; emulated
    /// ones never.
    package init?(_ wanted: WantedFormat, among formats: [VideoFormatDescription]) {
        // A wish beyond any picture is one for the smallest or the largest; and differences of such numbers are numbers.
        let width = min(max(wanted.width ?? Self.usualSize.width, 1), Limits.pictureSides.upperBound)
        let height = min(max(wanted.height ?? Self.usualSize.height, 1), Limits.pictureSides.upperBound)
        let native = Self.usable(wanted.h264)
        let usable = native + Self.convertible
        var best: (choice: FormatChoice, rank: Rank)?
        for format in formats where !format.isEmulated {
            guard let preference = usable.firstIndex(of: format.pixelFormat) else { continue }
            for sizes in format.sizes {
                let (w, h) = Self.nearest(width, height, in: sizes)
                let interval = Self.interval(atMost: wanted.framesPerSecond, in: sizes.intervals)
                let rank = Rank(
                    isConverted: preference >= native.count,
                    isUnwanted: wanted.prefersUncompressed && format.isCompressed,
                    missing: max(0, width - w) + max(0, height - h),
                    excess: max(0, w - width) + max(0, h - height),
                    slowness: interval?.seconds ?? 0,
                    preference: preference
                )
                if let known = best, !(rank < known.rank) { continue }
                best = (FormatChoice(pixelFormat: format.pixelFormat, width: w, height: h, interval: interval), rank)
            }
        }
        guard let best else { return nil }
        self = best.choice
    }

    private init(pixelFormat: PixelFormat, width: Int, height: Int, interval: FrameInterval?) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.interval = interval
    }

    private struct Rank: Comparable {
        let isConverted, isUnwanted: Bool
        /// Pixels that are missing, and pixels too many.
        let missing, excess: Int
        let slowness: Double
        let preference: Int

        static func < (left: Rank, right: Rank) -> Bool {
            guard left.isConverted == right.isConverted else { return right.isConverted }
            guard left.isUnwanted == right.isUnwanted else { return right.isUnwanted }
            return (left.missing, left.excess, left.slowness, left.preference)
                < (right.missing, right.excess, right.slowness, right.preference)
        }
    }

    private static func nearest(_ width: Int, _ height: Int, in sizes: VideoSizes) -> (Int, Int) {
        func fit(_ value: Int, _ least: Int, _ most: Int, _ step: Int) -> Int {
            let clamped = min(max(value, least), most)
            return least + (clamped - least) / step * step
        }
        return (
            fit(width, sizes.minimumWidth, sizes.maximumWidth, sizes.stepWidth),
            fit(height, sizes.minimumHeight, sizes.maximumHeight, sizes.stepHeight)
        )
    }

    /// The fastest interval that is not faster than asked; the slowest where all are.
    private static func interval(atMost rate: Double?, in intervals: FrameIntervals) -> FrameInterval? {
        switch intervals {
        case .unknown:
            return nil
        case .range(let fastest, let slowest, _):
            guard let rate, rate > 0, 1 / rate > fastest.seconds else { return fastest }
            guard 1 / rate < slowest.seconds else { return slowest }
            return FrameInterval(numerator: 1000, denominator: UInt32(min(rate * 1000, Double(UInt32.max)))) ?? slowest
        case .discrete(let all):
            let sorted = all.sorted { $0.seconds < $1.seconds }
            // A hair of tolerance: 1001/30000 is asked for as 29.97.
            guard let rate, rate > 0 else { return sorted.first }
            return sorted.first { $0.seconds >= 1 / rate - 0.0001 } ?? sorted.last
        }
    }
}
