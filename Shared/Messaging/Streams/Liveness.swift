/// Whether the other side of an open stream still shows life, and when to show ours.
///
/// It counts ticks, not time: a machine that slept, or a loop that was held up, has not been silent.
package struct Liveness: Hashable, Sendable {
    /// What to do on a tick.
    enum Action: Hashable, Sendable { case nothing, ping, silent }

    /// How often to show life, and after how much silence the other side is taken for gone.
    package struct Intervals: Hashable, Sendable {
        package var heartbeat: Duration
        package var silence: Duration

        /// One second and three are what the wire says; tests use less.
        package init(heartbeat: Duration = .seconds(1), silence: Duration = .seconds(3)) {
            self.heartbeat = heartbeat
            self.silence = silence
        }

        /// How long a tick is.
        var tick: Duration { heartbeat / 2 }
        var ticksOfSilence: Int { max(1, Int((silence / tick).rounded(.up))) }
    }

    private let ticksOfSilence: Int
    private var ticksSinceHeard = 0
    private var ticksSinceSaid = 0

    init(_ intervals: Intervals) { ticksOfSilence = intervals.ticksOfSilence }

    mutating func heard() { ticksSinceHeard = 0 }

    mutating func said() { ticksSinceSaid = 0 }

    /// Call it once each tick; after `ping`, something was said.
    mutating func tick() -> Action {
        ticksSinceHeard += 1
        ticksSinceSaid += 1
        if ticksSinceHeard > ticksOfSilence { return .silent }
        // Half the heartbeat is a tick: the second silent one is a heartbeat's time.
        guard ticksSinceSaid >= 2 else { return .nothing }
        ticksSinceSaid = 0
        return .ping
    }
}
