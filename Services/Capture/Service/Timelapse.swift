/// How the pictures of a timelapse lie in the time of filming, and in the film.
package struct Timelapse: Hashable, Sendable {
    /// As Motion's `timelapse_fps` (motion_config.html).
    package static let usualFramesPerSecond = 30.0

    /// Microseconds of filming from picture to picture.
    let interval: Int64
    /// Pictures that are shown in a second.
    package let framesPerSecond: Double

    /// A timelapse.
    ///
    /// - Parameters:
    ///   - interval: Seconds from picture to picture.
    ///   - framesPerSecond: Pictures that are shown in a second.
    package init(interval: Double, framesPerSecond: Double = Self.usualFramesPerSecond) {
        self.interval = max(1, Int64(interval * 1_000_000))
        self.framesPerSecond = framesPerSecond
    }

    /// Microseconds of film before a picture; counted from zero, so that rounding never adds up.
    func time(of picture: Int64) -> Int64 { Int64((Double(picture) * 1_000_000 / framesPerSecond).rounded()) }

    /// Microseconds of film that a second of filming gives: so much may be lost by a crash.
    var fragmentMicroseconds: Int64 { max(1, Int64(1_000_000 / framesPerSecond * 1_000_000 / Double(interval))) }
}

/// The times at which pictures of a timelapse are due, on the time of filming; nothing shifts them.
struct DueTimes: Sendable {
    private let interval: Int64
    /// The number of the due time that waits for its picture.
    private var next: Int64 = 0
    private var missed: Int64 = 0

    /// The first picture is due at zero.
    init(_ timelapse: Timelapse) { interval = timelapse.interval }

    /// Microseconds of filming at which the next picture is due.
    var nextDue: Int64 {
        let (time, isTooMuch) = next.multipliedReportingOverflow(by: interval)
        return isTooMuch ? .max : time
    }

    /// Whether a good frame at this time would be a picture of the film.
    func needsPicture(at time: Int64) -> Bool { time >= nextDue }

    /// Due times until then after which no picture came before the next one.
    func missed(by time: Int64) -> Int64 { missed + max(0, time / interval - next) }

    /// Notes that the frame at this time is in the film, for the newest due time before it.
    mutating func take(at time: Int64) {
        let due = time / interval
        missed += due - next
        next = due + 1
    }
}
