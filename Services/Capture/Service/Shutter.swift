import Media

/// Decides which of a camera's frames become pictures, and when the light goes on; a value without any camera.
///
/// The first picture is of a frame later than the moment whose exposure has settled, the others are of the frames after it.
struct Shutter {
    /// What to do with a frame that was looked at.
    enum Verdict: Hashable {
        /// It is too early, or exposure moves.
        case wait
        /// It is no picture before the light is on.
        case light
        case take(converged: Bool)
    }

    /// Below this mean brightness `auto` uses the flash.
    static let darkness = 40.0
    /// Microseconds before the moment at which a self-timer's light goes on.
    private static let lightLead: Int64 = 1_000_000

    private let flash: FlashMode
    private let earliest: Int64
    private let moment: Int64
    private var settling: ExposureSettling
    /// Whether the light was asked for, with whatever success.
    private var hasAsked: Bool
    private(set) var taken = 0

    /// A shutter for one request.
    ///
    /// - Parameters:
    ///   - flash: `off` also for a camera without one.
    ///   - earliest: Frames that are not later are not looked at.
    ///   - moment: Frames that are not later are no pictures; in microseconds of the frames' clock, as `earliest`.
    init(flash: FlashMode, earliest: Int64, moment: Int64) {
        self.flash = flash
        self.earliest = earliest
        self.moment = moment
        settling = ExposureSettling(before: moment)
        hasAsked = flash == .off
    }

    /// Whether the light has to be on before the first frame.
    var lightsAtOnce: Bool { flash == .on && earliest == moment }

    /// Whether a frame of that time counts at all.
    func looks(at microseconds: Int64) -> Bool { microseconds > earliest }

    /// Looks at the next frame that counts.
    mutating func judge(luma: Double?, taken microseconds: Int64) -> Verdict {
        let verdict = settling.look(at: luma, taken: microseconds)
        if flash == .on, !hasAsked, microseconds > moment - Self.lightLead { return .light }
        guard microseconds > moment else { return .wait }
        if taken == 0 {
            guard verdict != .wait else { return .wait }
            if flash == .auto, !hasAsked, (luma ?? 255) < Self.darkness { return .light }
        }
        return .take(converged: verdict == .settled)
    }

    /// The light was asked for; exposure settles anew under it.
    mutating func asked(isLit: Bool) {
        hasAsked = true
        if isLit { settling.restart() }
    }

    /// A frame became a picture.
    mutating func took() { taken += 1 }
}
