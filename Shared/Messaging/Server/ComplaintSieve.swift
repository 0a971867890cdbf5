import Timekeeping

/// Lets through the first complaint about a peer, and sums up those that follow, so that a peer can not fill the log.
///
/// Pure: whoever has it asks for the summaries in time. Bounded: peers beyond its capacity share one anonymous sum.
struct ComplaintSieve<Peer: Hashable> {
    /// What was not said yet of a peer.
    struct Sum: Hashable {
        /// `nil` stands for all the peers that there was no room for.
        var peer: Peer?
        var count: Int
        /// What was wrong most lately.
        var cause: String
    }

    private struct Entry {
        var count = 0
        var cause = ""
    }

    /// How long after a line about a peer the next one comes, at the earliest.
    let interval: Duration
    private let capacity: Int
    private var entries: [Peer: Entry] = [:]
    private var others = Entry()
    /// When the summaries are due, if anything was said of anybody lately.
    private(set) var due: BootInstant?

    init(interval: Duration = .seconds(10), capacity: Int = 256) {
        self.interval = interval
        self.capacity = capacity
    }

    /// Notes a complaint.
    ///
    /// - Returns: Whether it is to be said at once.
    mutating func admit(_ peer: Peer?, cause: String, at now: BootInstant) -> Bool {
        if due == nil { due = now + interval }
        if let peer, entries[peer] == nil, entries.count < capacity {
            entries[peer] = Entry()
            return true
        }
        if let peer, entries[peer] != nil {
            entries[peer]?.count += 1
            entries[peer]?.cause = cause
        } else {
            others.count += 1
            others.cause = cause
        }
        return false
    }

    /// What is to be said now, if it is time; a peer that kept quiet since the last time is forgotten.
    mutating func takeSums(at now: BootInstant) -> [Sum] {
        guard let due, due <= now else { return [] }
        var sums = entries.compactMap { peer, entry in
            entry.count > 0 ? Sum(peer: peer, count: entry.count, cause: entry.cause) : nil
        }
        if others.count > 0 { sums.append(Sum(peer: nil, count: others.count, cause: others.cause)) }
        entries = entries.filter { $0.value.count > 0 }.mapValues { _ in Entry() }
        others = Entry()
        self.due = entries.isEmpty && sums.isEmpty ? nil : now + interval
        return sums
    }
}
