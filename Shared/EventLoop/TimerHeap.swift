import Timekeeping

/// Deadlines in order, each with the wait it belongs to.
///
/// Taking one back costs nothing at once: it stays until it is due, or until most of the heap is such leftovers.
struct TimerHeap {
    private struct Entry {
        var deadline: BootInstant
        var id: WaitID
    }

    private var entries: [Entry] = []
    private var live: Set<WaitID> = []

    /// The number of deadlines that have neither come nor been taken back.
    var count: Int { live.count }

    /// The next deadline; may be one that was taken back, never a later one than the true next.
    var earliest: BootInstant? { live.isEmpty ? nil : entries.first?.deadline }

    mutating func insert(_ id: WaitID, at deadline: BootInstant) {
        live.insert(id)
        entries.append(Entry(deadline: deadline, id: id))
        siftUp(from: entries.count - 1)
    }

    mutating func remove(_ id: WaitID) {
        guard live.remove(id) != nil else { return }
        if live.isEmpty {
            entries.removeAll(keepingCapacity: true)
        } else if entries.count > 64, entries.count > 4 * live.count {
            compact()
        }
    }

    /// Takes out the next deadline that is not later than `now`; equal ones in the order of their identifiers.
    mutating func popDue(at now: BootInstant) -> WaitID? {
        while let first = entries.first, first.deadline <= now {
            removeFirst()
            if live.remove(first.id) != nil { return first.id }
        }
        return nil
    }

    private mutating func compact() {
        entries.removeAll { !live.contains($0.id) }
        // A sorted array is a heap.
        entries.sort(by: Self.isBefore)
    }

    private static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        (left.deadline, left.id) < (right.deadline, right.id)
    }

    private mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard Self.isBefore(entries[child], entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && Self.isBefore(entries[child], entries[first]) {
                first = child
            }
            guard first != parent else { return }
            entries.swapAt(parent, first)
            parent = first
        }
    }
}
