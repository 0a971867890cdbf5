private import CZeroMQ
import EventLoop

/// Owns one libzmq socket: exactly one owner, exactly one `zmq_close`, and no operation that blocks.
///
/// It belongs to one event loop's thread, which is also where it must be closed.
@safe struct SocketHandle: ~Copyable {
    /// The socket types that are used.
    enum Kind { case router, dealer, reply, pair }

    /// What became of a message that was to be sent.
    enum Sending: Equatable {
        case sent
        /// The peer, or every peer, takes nothing now.
        case wouldBlock
        /// The peer is gone.
        case unreachable
    }

    let raw: UnsafeMutableRawPointer
    // Ending a context waits for its sockets, so each keeps it.
    private let context: MessagingContext

    init(_ kind: Kind, in context: MessagingContext) throws(MessagingError) {
        guard let raw = unsafe zmq_socket(context.handle.raw, kind.rawValue) else { throw .current("zmq_socket") }
        // The default waits for ever, and would hold up the end of the context.
        var linger: CInt = 0
        unsafe zmq_setsockopt(raw, ZMQ_LINGER, &linger, MemoryLayout.size(ofValue: linger))
        unsafe self.raw = raw
        self.context = context
    }

    deinit { unsafe zmq_close(raw) }

    /// What to wait for to receive.
    var readable: WaitSource { unsafe .socket(raw, events: CShort(ZMQ_POLLIN)) }
    /// What to wait for to send.
    var writable: WaitSource { unsafe .socket(raw, events: CShort(ZMQ_POLLOUT)) }

    func set(_ option: CInt, to value: CInt) throws(MessagingError) {
        var value = value
        guard unsafe zmq_setsockopt(raw, option, &value, MemoryLayout.size(ofValue: value)) == 0 else {
            throw .current("socket option \(option)")
        }
    }

    func setLong(_ option: CInt, to value: Int64) throws(MessagingError) {
        var value = value
        guard unsafe zmq_setsockopt(raw, option, &value, MemoryLayout.size(ofValue: value)) == 0 else {
            throw .current("socket option \(option)")
        }
    }

    func set(_ option: CInt, to value: String) throws(MessagingError) {
        guard unsafe zmq_setsockopt(raw, option, value, value.utf8.count) == 0 else {
            throw .current("socket option \(option)")
        }
    }

    func get(_ option: CInt) throws(MessagingError) -> CInt {
        var value: CInt = 0
        var size = MemoryLayout.size(ofValue: value)
        guard unsafe zmq_getsockopt(raw, option, &value, &size) == 0 else { throw .current("socket option \(option)") }
        return value
    }

    func bind(_ endpoint: String) throws(MessagingError) {
        guard unsafe zmq_bind(raw, endpoint) == 0 else { throw .current(endpoint) }
    }

    func connect(_ endpoint: String) throws(MessagingError) {
        guard unsafe zmq_connect(raw, endpoint) == 0 else { throw .current(endpoint) }
    }

    /// Reports the socket's connections to a pair socket at `endpoint` (zmq_socket_monitor(3)).
    func monitor(at endpoint: String, events: CInt) throws(MessagingError) {
        guard unsafe zmq_socket_monitor(raw, endpoint, events) == 0 else { throw .current(endpoint) }
    }

    /// Receives the next frame into `frame`.
    ///
    /// - Returns: `false` if no message is there; libzmq delivers whole messages only, so a first frame has its others.
    func receive(into frame: inout MessageFrame) throws(MessagingError) -> Bool {
        try unsafe frame.receive(from: raw)
    }

    /// The next whole message of a few short frames, or `nil` if none is there.
    func receiveAll() throws(MessagingError) -> [[UInt8]]? {
        var frames: [[UInt8]] = []
        var frame = MessageFrame()
        repeat {
            guard try receive(into: &frame) else { return nil }
            frames.append(unsafe frame.withBytes { unsafe Array($0) })
        } while frame.hasMore
        return frames
    }

    /// Sends all frames as one message, or none.
    ///
    /// A socket whose connection went within a message drops what comes until a last frame (lb.cpp, `sendpipe`); a
    /// ``ClientConnection`` is not used again then, and a router drops the rest by itself.
    func send(_ frames: [[UInt8]], _ attachments: [Attachment] = []) throws(MessagingError) -> Sending {
        for (index, bytes) in frames.enumerated() {
            let isLast = index == frames.count - 1 && attachments.isEmpty
            let flags = isLast ? ZMQ_DONTWAIT : ZMQ_DONTWAIT | ZMQ_SNDMORE
            while unsafe zmq_send(raw, bytes, bytes.count, flags) < 0 {
                switch zmq_errno() {
                case EINTR: continue
                case EAGAIN: return .wouldBlock
                case EHOSTUNREACH where index == 0: return .unreachable
                default: throw .current("zmq_send")
                }
            }
        }
        for (index, attachment) in attachments.enumerated() {
            var frame = attachment.makeFrame()
            switch unsafe frame.send(to: raw, more: index < attachments.count - 1) {
            case 0: continue
            case EAGAIN: return .wouldBlock
            case let number: throw MessagingError(.init(errorNumber: number), "zmq_msg_send", errorNumber: number)
            }
        }
        return .sent
    }
}

extension SocketHandle.Kind {
    fileprivate var rawValue: CInt {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .reply: ZMQ_REP
        case .pair: ZMQ_PAIR
        }
    }
}
