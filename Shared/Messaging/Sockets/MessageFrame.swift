import CZeroMQ

/// Owns one `zmq_msg_t`.
@safe struct MessageFrame: ~Copyable {
    private var message: zmq_msg_t

    /// A frame to receive into.
    init() {
        message = zmq_msg_t()
        unsafe zmq_msg_init(&message)
    }

    init(copying bytes: UnsafeRawBufferPointer) {
        message = zmq_msg_t()
        let status = unsafe zmq_msg_init_size(&message, bytes.count)
        precondition(status == 0, "no memory for a frame")
        if let source = bytes.baseAddress {
            unsafe zmq_msg_data(&message).copyMemory(from: source, byteCount: bytes.count)
        }
    }

    /// A frame over memory that stays with `owner` until libzmq calls `release`, on any thread.
    init(
        lending memory: UnsafeMutableRawPointer?,
        count: Int,
        owner: UnsafeMutableRawPointer,
        release: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
    ) {
        message = zmq_msg_t()
        let status = unsafe zmq_msg_init_data(&message, memory, count, release, owner)
        precondition(status == 0, "no memory for a frame")
    }

    deinit {
        // zmq_msg_close(3) wants a mutable pointer; the copy is the same message.
        var message = message
        unsafe zmq_msg_close(&message)
    }

    var count: Int {
        mutating get { unsafe zmq_msg_size(&message) }
    }

    var hasMore: Bool {
        mutating get { unsafe zmq_msg_more(&message) != 0 }
    }

    mutating func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe body(UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message)))
    }

    /// The identifier that authentication gave to the frame's connection (zmq_msg_gets(3), `User-Id`).
    var userID: String? {
        mutating get {
            guard let text = unsafe zmq_msg_gets(&message, "User-Id") else { return nil }
            return unsafe String(validatingCString: text)
        }
    }

    /// Moves the content away; this frame is empty then.
    mutating func move(to other: UnsafeMutablePointer<zmq_msg_t>) {
        unsafe zmq_msg_move(other, &message)
    }

    /// Receives the next frame into this one.
    ///
    /// - Returns: `false` if none is there.
    mutating func receive(from socket: UnsafeMutableRawPointer) throws(MessagingError) -> Bool {
        while unsafe zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) < 0 {
            switch zmq_errno() {
            case EINTR: continue
            case EAGAIN: return false
            default: throw .current("zmq_msg_recv")
            }
        }
        return true
    }

    /// Sends the content; on success libzmq owns it and this frame is empty.
    ///
    /// - Returns: Zero, or the error's number.
    mutating func send(to socket: UnsafeMutableRawPointer, more: Bool) -> CInt {
        while unsafe zmq_msg_send(&message, socket, more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT) < 0 {
            let number = zmq_errno()
            if number != EINTR { return number }
        }
        return 0
    }
}
