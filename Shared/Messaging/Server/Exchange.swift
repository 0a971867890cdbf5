import EventLoop

/// One open exchange, confined to the server's loop.
final class Exchange {
    enum Kind: Hashable, Sendable { case request, stream, upload }

    let serial: UInt64
    let id: String
    let connection: ConnectionID
    /// Whose share it is of, and how many bytes its request has.
    let owner: ServerShares.Owner
    let requestBytes: Int
    let kind: Kind
    let state = CallState()

    var task: Task<Void, Never>?
    var deadline: EventLoop.Token?
    /// Whether the final message is out; the handler may still be running.
    var isClosed = false
    var liveness: Liveness
    var outgoing: CreditWindow {
        didSet { state.setCredit(outgoing.credit) }
    }
    /// Told of each acknowledgement: the number that was applied, and the acknowledgement's own.
    var onAcknowledgement: (@Sendable (Int64, Int64) -> Void)?
    var incoming: UploadBuffer
    private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

    init(
        serial: UInt64,
        id: String,
        connection: ConnectionID,
        owner: ServerShares.Owner,
        requestBytes: Int,
        kind: Kind,
        liveness: Liveness,
        creditLimit: Int,
        uploadWindow: Int
    ) {
        self.serial = serial
        self.id = id
        self.connection = connection
        self.owner = owner
        self.requestBytes = requestBytes
        self.kind = kind
        self.liveness = liveness
        outgoing = CreditWindow(limit: creditLimit)
        incoming = UploadBuffer(window: uploadWindow)
    }

    func addWaiter(_ number: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        waiters[number] = continuation
    }

    /// Lets whoever waits for credit, chunks, room or the end look again.
    func wakeWaiters() {
        guard !waiters.isEmpty else { return }
        let woken = waiters
        waiters = [:]
        for continuation in woken.values { continuation.resume() }
    }

    func wakeWaiter(_ number: UInt64) { waiters.removeValue(forKey: number)?.resume() }
}

/// The chunks of an upload that have come and have not been used.
struct UploadBuffer {
    private(set) var window: ReceiveWindow
    /// Whether the client was given credit: not before the handler wants chunks, which may be after a person was asked.
    private var isOpen = false
    // At most a window of them.
    private var chunks: [Attachment] = []
    var isComplete = false
    private(set) var byteCount: Int64 = 0

    init(window: Int) { self.window = ReceiveWindow(size: window) }

    /// The first credit, once.
    mutating func open() -> Int? {
        guard !isOpen else { return nil }
        isOpen = true
        return window.size
    }

    mutating func receive(_ chunk: Attachment, sequence: Int64?) throws(ReceiveWindow.Violation) {
        guard isOpen else { throw .beyondCredit }
        try window.receive(sequence: sequence)
        chunks.append(chunk)
        byteCount += Int64(chunk.count)
    }

    /// The next chunk, and how much credit to give for it.
    mutating func next() -> (chunk: Attachment, credit: Int?)? {
        guard !chunks.isEmpty else { return nil }
        let chunk = chunks.removeFirst()
        return (chunk, window.consume())
    }
}
