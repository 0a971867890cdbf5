import MessageSchema

/// Maps frames' stamps to a film's own time, which goes forward and has no gap that is none of the scene's.
///
/// A jump of more than two seconds, or back, and a pause are cuts: the frame before is shown as long as frames usually are,
/// and the next one follows it. The film stays one file and one asset, because a recording is one request with one answer;
/// players would show a frozen picture for as long as the gap, or hours of it (mediamtx issue 5984), so it is left out, and
/// what was left out is told. A camera that only loses frames makes no cut: the frame before is shown for longer.
/// In a timelapse only a jump back is one: no picture is frozen in it, however long the camera gives nothing.
struct FilmTimeline: Sendable {
    /// Microseconds between frames beyond which the camera's clock has jumped.
    private static let usualLongestStep: Int64 = 2_000_000
    /// More cuts than anybody reads are not told.
    private static let mostCuts = 1_000

    /// Where film time begins, on the camera's clock: what is taken off a stamp.
    private var shift: Int64 = 0
    private let longestStep: Int64
    private var lastStamp: Int64?
    private var isPaused = false
    /// Film time of the newest frame.
    private(set) var last: Int64 = 0
    private(set) var cuts: [FilmCut] = []

    /// Where a frame is in the film.
    struct Place: Hashable, Sendable {
        /// Microseconds from the first frame.
        var time: Int64
        /// Why the film is cut before it.
        var cut: FilmCut.Reason?
    }

    /// The timeline of a film, or of the filming of a timelapse.
    init(ofTimelapse isTimelapse: Bool = false) { longestStep = isTimelapse ? .max : Self.usualLongestStep }

    /// Finds the place of the next frame.
    ///
    /// - Parameters:
    ///   - stamp: Microseconds on the camera's clock.
    ///   - usual: Microseconds that frames are usually shown.
    ///   - film: Microseconds of film so far, where the film has a time of its own.
    /// - Returns: Nil for a frame with the time of the last, which is none of its own.
    mutating func place(_ stamp: Int64, usual: Int64, film: Int64? = nil) -> Place? {
        guard let previous = lastStamp else {
            shift = stamp
            lastStamp = stamp
            isPaused = false
            return Place(time: 0)
        }
        let (step, isTooMuch) = stamp.subtractingReportingOverflow(previous)
        let isJump = isTooMuch || step < 0 || step > longestStep
        guard isPaused || isJump else {
            guard step > 0 else { return nil }
            lastStamp = stamp
            last = stamp - shift
            return Place(time: last)
        }
        let reason = isPaused ? FilmCut.Reason.pause : .timeJump
        isPaused = false
        last += max(1, usual)
        shift = stamp &- last
        lastStamp = stamp
        if cuts.count < Self.mostCuts {
            let gap = Double(stamp) - Double(previous) - Double(usual)
            cuts.append(FilmCut(at: Double(film ?? last) / 1_000_000, gap: gap / 1_000_000, reason: reason))
        }
        return Place(time: last, cut: reason)
    }

    /// The next frame follows the last, however long that takes.
    mutating func pause() { isPaused = lastStamp != nil }
}
