import EventLoop
import MessageSchema

/// What closed an exchange well, or one item of it.
struct RawMessage: Sendable {
    var sequence: Int64 = 0
    var body: Attachment?
    var attachments: [Attachment] = []
}

/// One open exchange of a client, confined to its loop.
final class ClientExchange {
    enum Kind: Hashable, Sendable { case request, stream, upload }

    let serial: UInt64
    let kind: Kind
    /// Whether libzmq has the request; before that, nothing has to be cancelled at the service.
    var isSent = false
    /// Set once, by the final message or by what went wrong.
    private(set) var outcome: Result<RawMessage, ErrorReply>?
    var deadline: EventLoop.Token?
    var liveness: Liveness
    var incoming: ReceiveWindow
    var outgoing = CreditWindow()
    /// Credit and acknowledgement that could not go out yet.
    var unsaid: Header?
    /// Items that have come and have not been taken; never more than the window.
    var items: [RawMessage] = []
    private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

    init(serial: UInt64, kind: Kind, liveness: Liveness, window: Int) {
        self.serial = serial
        self.kind = kind
        self.liveness = liveness
        incoming = ReceiveWindow(size: window)
    }

    var id: String { String(serial) }

    /// The first outcome stays.
    func finish(_ result: Result<RawMessage, ErrorReply>) {
        guard outcome == nil else { return }
        outcome = result
        wakeWaiters()
    }

    func addWaiter(_ number: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        waiters[number] = continuation
    }

    func wakeWaiters() {
        guard !waiters.isEmpty else { return }
        let woken = waiters
        waiters = [:]
        for continuation in woken.values { continuation.resume() }
    }

    func wakeWaiter(_ number: UInt64) { waiters.removeValue(forKey: number)?.resume() }
}
