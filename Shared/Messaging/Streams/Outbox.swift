/// Messages that a peer could not take yet, in order and bounded.
struct Outbox {
    /// A message that waits.
    struct Message {
        var header: [UInt8]
        var body: [UInt8]
        var attachments: [Attachment]

        var byteCount: Int { header.count + body.count + attachments.reduce(0) { $0 + $1.count } }
    }

    private let capacity: Int
    private let byteCapacity: Int
    private var messages: [Message] = []
    private(set) var byteCount = 0

    init(capacity: Int = 4_096, byteCapacity: Int = 16 << 20) {
        self.capacity = capacity
        self.byteCapacity = byteCapacity
    }

    var isEmpty: Bool { messages.isEmpty }
    var count: Int { messages.count }
    var first: Message? { messages.first }

    /// - Returns: `false` if there is no room.
    mutating func append(_ message: Message) -> Bool {
        guard messages.count < capacity, byteCount + message.byteCount <= byteCapacity else { return false }
        messages.append(message)
        byteCount += message.byteCount
        return true
    }

    mutating func removeFirst() {
        byteCount -= messages.removeFirst().byteCount
    }
}
