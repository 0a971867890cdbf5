private import CZeroMQ
private import Glibc
import Timekeeping

typealias WaitID = UInt64

/// Something `zmq_poll` can wait for, and the `ZMQ_POLL…` events to wait for.
@safe package enum WaitSource {
    /// A libzmq socket of this loop.
    case socket(UnsafeMutableRawPointer, events: CShort)
    /// A file descriptor; an error or a hang-up on it counts as ready.
    case descriptor(CInt, events: CShort)
}

/// The suspended waits, registrations and timers of one event loop.
///
/// Not thread safe: it belongs to the loop's thread. Adding and removing cost the same however many there are, and a turn
/// on which nothing changed rebuilds nothing.
@safe struct WaitSet {
    /// Who is told when a wait ends.
    enum Waiter {
        case continuation(CheckedContinuation<EventLoop.Wake, Never>)
        case callback(@Sendable () -> Void, repeats: Bool)
    }

    /// A wait that has ended, for the executor to deliver.
    enum Ended {
        case resume(CheckedContinuation<EventLoop.Wake, Never>, EventLoop.Wake)
        case call(WaitID)
    }

    private struct Wait {
        var waiter: Waiter
        /// The place in `items`, if there is something to poll.
        var slot: Int?
        var hasTimer: Bool
    }

    /// The longest wait in one call, in milliseconds: poll(2) does not count the time the machine sleeps, so a timer may
    /// be this late after a suspend.
    private static let longestPoll: Int64 = 5_000

    private let wakeDescriptor: CInt
    private var waits: [WaitID: Wait] = [:]
    // Parallel arrays; slot 0 is the wake descriptor.
    private var items: [zmq_pollitem_t]
    private var owners: [WaitID]
    private var timers = TimerHeap()
    private var lastID: WaitID = 0

    init(wakeDescriptor: CInt) {
        self.wakeDescriptor = wakeDescriptor
        unsafe items = [zmq_pollitem_t(socket: nil, fd: wakeDescriptor, events: CShort(ZMQ_POLLIN), revents: 0)]
        owners = [0]
    }

    /// The number of waits, registrations and timers.
    var count: Int { waits.count }

    mutating func makeID() -> WaitID {
        lastID += 1
        return lastID
    }

    mutating func insert(_ waiter: Waiter, _ source: WaitSource?, until deadline: BootInstant?, id: WaitID) {
        var wait = Wait(waiter: waiter, slot: nil, hasTimer: deadline != nil)
        if let source {
            wait.slot = owners.count
            unsafe items.append(zmq_pollitem_t(source))
            owners.append(id)
        }
        if let deadline { timers.insert(id, at: deadline) }
        waits[id] = wait
    }

    /// Removes a wait without telling anybody.
    @discardableResult
    mutating func remove(_ id: WaitID) -> Waiter? {
        guard let wait = waits.removeValue(forKey: id) else { return nil }
        if wait.hasTimer { timers.remove(id) }
        if let slot = wait.slot { removeSlot(slot) }
        return wait.waiter
    }

    /// Ends a suspended wait because its task was cancelled.
    mutating func cancel(_ id: WaitID) {
        guard case .continuation(let continuation)? = remove(id) else { return }
        continuation.resume(returning: .cancelled)
    }

    /// The callback to run now, if it is still wanted.
    mutating func takeCallback(_ id: WaitID) -> (@Sendable () -> Void)? {
        guard let wait = waits[id], case .callback(let body, let repeats) = wait.waiter else { return nil }
        if !repeats { remove(id) }
        return body
    }

    /// Waits for the first ready source, the next deadline, or the wake descriptor.
    ///
    /// - Parameters:
    ///   - mayBlock: Whether there is nothing else to do.
    ///   - ended: What became ready or due is appended here.
    mutating func poll(mayBlock: Bool, into ended: inout [Ended]) {
        let ready = unsafe zmq_poll(&items, CInt(items.count), mayBlock ? timeout : 0)
        if ready > 0 {
            collectReady(into: &ended)
        } else if ready < 0, errno != EINTR {
            // A socket that was closed while somebody waited for it: going on would spin for ever.
            preconditionFailure("zmq_poll: errno \(errno)")
        }
        guard timers.count > 0 else { return }
        let now = BootInstant.now()
        while let id = timers.popDue(at: now) { end(id, with: .timedOut, into: &ended) }
    }

    /// Milliseconds until the next deadline, rounded up; -1 without one.
    private var timeout: CLong {
        guard let deadline = timers.earliest else { return -1 }
        let remaining = deadline.nanoseconds - BootInstant.now().nanoseconds
        return CLong(max(0, min(Self.longestPoll, (remaining + 999_999) / 1_000_000)))
    }

    private mutating func collectReady(into ended: inout [Ended]) {
        if unsafe items[0].revents != 0 {
            var count: UInt64 = 0
            _ = unsafe read(wakeDescriptor, &count, MemoryLayout.size(ofValue: count))
        }
        // Downwards, so that the slot which moves into a removed one's place has been looked at.
        for slot in stride(from: owners.count - 1, to: 0, by: -1) {
            if unsafe items[slot].revents != 0 { end(owners[slot], with: .ready, into: &ended) }
        }
    }

    private mutating func end(_ id: WaitID, with wake: EventLoop.Wake, into ended: inout [Ended]) {
        switch waits[id]?.waiter {
        case .continuation(let continuation)?:
            remove(id)
            ended.append(.resume(continuation, wake))
        case .callback?:
            ended.append(.call(id))
        case nil:
            break
        }
    }

    private mutating func removeSlot(_ slot: Int) {
        let last = owners.count - 1
        if slot != last {
            unsafe items[slot] = items[last]
            owners[slot] = owners[last]
            waits[owners[slot]]?.slot = slot
        }
        unsafe items.removeLast()
        owners.removeLast()
    }
}

extension zmq_pollitem_t {
    fileprivate init(_ source: WaitSource) {
        switch source {
        case .socket(let handle, let events):
            unsafe self.init(socket: handle, fd: -1, events: events, revents: 0)
        case .descriptor(let descriptor, let events):
            unsafe self.init(socket: nil, fd: descriptor, events: events, revents: 0)
        }
    }
}
