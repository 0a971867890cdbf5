package import HotPlug
package import Timekeeping

/// When the machine is looked at: soon after an event, again while a new node can not be opened yet, and now and then while
/// somebody watches; a value that is told what happens and says what is due.
package struct LookPlan: Sendable {
    /// The times.
    package struct Pace: Hashable, Sendable {
        /// From the first event to the look: a camera makes several nodes, one after the other.
        package var gathering = Duration.milliseconds(30)
        /// How long a node is new, and may have its permissions yet to come.
        package var settling = Duration.seconds(2)
        /// From a look that could not open a new node to the next look; it doubles.
        package var retry = Duration.milliseconds(50)
        /// Between looks while somebody watches: no event tells that a camera is used, or has lost its signal.
        package var watching = Duration.seconds(2)
        /// How long a look serves those who ask.
        package var freshness = Duration.milliseconds(500)

        /// The times of a running service.
        package init() {}
    }

    /// Nodes that are remembered as new; more are treated as any other.
    private static let limit = 256

    private let pace: Pace
    /// When each new node stops being new.
    private var settles: [String: BootInstant] = [:]
    private var retry: Duration
    private var lastLook: BootInstant?
    /// When the first event was heard that no look has followed yet.
    package private(set) var heardSince: BootInstant?
    private var retryAt: BootInstant?
    private var watchers = 0

    /// A plan for a machine that nobody has looked at yet.
    package init(pace: Pace = Pace()) {
        self.pace = pace
        retry = pace.retry
    }

    /// When to look by oneself; nil while nobody watches: cameras are left asleep then.
    package var due: BootInstant? {
        guard watchers > 0 else { return nil }
        let gathered = heardSince.map { $0 + pace.gathering }
        let watched = lastLook.map { $0 + pace.watching }
        return [gathered, retryAt, watched].compactMap(\.self).min()
    }

    /// Whether who asks now needs a new look.
    package func isStale(at now: BootInstant) -> Bool {
        guard heardSince == nil, let lastLook else { return true }
        return now >= lastLook + pace.freshness
    }

    /// Whether a node came a moment ago, so that what keeps it from being opened may pass.
    package func isSettling(_ node: String, at now: BootInstant) -> Bool {
        settles[node].map { now < $0 } ?? false
    }

    /// An event was heard.
    package mutating func hear(_ news: PlugNews, at now: BootInstant) {
        heardSince = heardSince ?? news.since
        retry = pace.retry
        settles = settles.filter { now < $0.value }
        for node in news.nodes.sorted() where settles.count < Self.limit || settles[node] != nil {
            settles[node] = now + pace.settling
        }
    }

    /// Somebody began or stopped to watch.
    package mutating func watch(by count: Int) {
        watchers += count
        precondition(watchers >= 0, "Who stops has begun.")
    }

    /// The machine was looked at.
    ///
    /// - Parameters:
    ///   - now: When.
    ///   - unready: The names of nodes that could not be opened.
    package mutating func look(at now: BootInstant, unready: some Sequence<String>) {
        lastLook = now
        heardSince = nil
        retryAt = nil
        guard let latest = unready.compactMap({ settles[$0] }).filter({ now < $0 }).max() else {
            retry = pace.retry
            return
        }
        // The last look comes when the node has settled, however the doubling falls.
        retryAt = min(now + retry, latest)
        retry = retry * 2
    }
}
