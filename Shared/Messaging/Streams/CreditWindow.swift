import MessageSchema

/// How many items the receiver still wants, and the number of the next one; of the side that sends.
struct CreditWindow: Hashable, Sendable {
    private(set) var credit: Int
    /// The number of the next item; also how many were sent.
    private(set) var nextSequence: Int64 = 0
    private let limit: Int

    init(credit: Int = 0, limit: Int = Limits.credit) {
        self.limit = limit
        self.credit = min(max(0, credit), limit)
    }

    /// Adds credit; what exceeds the limit is taken as the limit.
    mutating func grant(_ count: Int) { credit = min(credit + max(0, count), limit) }

    /// Uses up one credit for the next item, and gives its number; `nil` without credit.
    mutating func take() -> Int64? {
        guard credit > 0 else { return nil }
        credit -= 1
        defer { nextSequence += 1 }
        return nextSequence
    }
}

/// What the sender may still send, of the side that receives; decides when to allow more.
struct ReceiveWindow: Hashable, Sendable {
    /// What is wrong with an item.
    enum Violation: Error { case beyondCredit, outOfOrder }

    let size: Int
    private(set) var received: Int64 = 0
    private var allowed: Int64
    private var consumed: Int64 = 0

    /// A window of which everything has been allowed already.
    init(size: Int) {
        self.size = max(1, min(size, Limits.credit))
        allowed = Int64(self.size)
    }

    /// Notes that an item has come.
    mutating func receive(sequence: Int64?) throws(Violation) {
        guard received < allowed else { throw .beyondCredit }
        guard sequence == received else { throw .outOfOrder }
        received += 1
    }

    /// Notes that an item has been used.
    ///
    /// - Returns: How much credit to give now; half a window at a time, so that not every item costs a message.
    mutating func consume() -> Int? {
        consumed += 1
        let due = consumed + Int64(size) - allowed
        guard due * 2 >= Int64(size) else { return nil }
        allowed += due
        return Int(due)
    }
}
