/// Whether a camera's exposure has settled: the mean brightness of three frames in a row differs by less than two percent.
///
/// A fixed number of frames does not do: cameras need from five to twenty-five (reports of fswebcam and librealsense).
package struct ExposureSettling: Sendable {
    /// What to do with the frame that was looked at.
    package enum Verdict: Hashable, Sendable {
        case wait
        case settled
        /// It took too long; the picture is taken as it is, and says so.
        case gaveUp
    }

    /// Microseconds after the first frame, or after the moment from which one can be the picture, when waiting ends; a camera
    /// that is slower than three frames in that time is waited for until it gave three.
    package static let limit: Int64 = 2_000_000
    private static let run = 3
    private static let tolerance = 0.02
    /// In the dark two percent are less than the sensor's noise: one step of 255 counts as the same.
    private static let leastStep = 1.0

    private var recent: [Double] = []
    private var seen = 0
    private var firstFrame: Int64?
    private var moment: Int64 = .min

    package init() {}

    /// Settling that may begin before the picture is wanted, on the same clock as the frames' times.
    package init(before moment: Int64) { self.moment = moment }

    /// Looks at the next frame.
    ///
    /// - Parameters:
    ///   - luma: Mean brightness from 0 to 255; `nil` when it is not known.
    ///   - microseconds: When the frame was taken, on a clock that goes forward.
    /// - Returns: Whether the frame can be the picture.
    package mutating func look(at luma: Double?, taken microseconds: Int64) -> Verdict {
        let first = firstFrame ?? microseconds
        firstFrame = first
        seen += 1
        if let luma {
            recent.append(luma)
            if recent.count > Self.run { recent.removeFirst() }
            if recent.count == Self.run, let least = recent.min(), let most = recent.max(),
                most - least <= max(Self.leastStep, most * Self.tolerance)
            {
                return .settled
            }
        }
        return seen >= Self.run && microseconds - max(first, moment) >= Self.limit ? .gaveUp : .wait
    }

    /// Begins again, after the light was changed.
    package mutating func restart() { self = ExposureSettling(before: moment) }
}
