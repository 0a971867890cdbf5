import CZeroMQ
import EventLoop
import Glibc
import Testing

/// What libzmq said instead of sending.
struct RawPeerError: Error {
    let number: CInt
}

/// A DEALER with nothing between it and libzmq; it blocks a thread of its own.
@safe actor RawPeer {
    private let loop = EventLoop(name: "raw peer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }
    private let context: UnsafeMutableRawPointer
    private let socket: UnsafeMutableRawPointer

    init(
        _ endpoint: String,
        routingID: String? = nil,
        receiveLimit: CInt? = nil,
        credentials: (name: String, key: String)? = nil
    ) throws {
        unsafe context = try #require(unsafe zmq_ctx_new())
        unsafe socket = try #require(unsafe zmq_socket(context, ZMQ_DEALER))
        var linger: CInt = 0
        unsafe zmq_setsockopt(socket, ZMQ_LINGER, &linger, MemoryLayout.size(ofValue: linger))
        var immediate: CInt = 1
        unsafe zmq_setsockopt(socket, ZMQ_IMMEDIATE, &immediate, MemoryLayout.size(ofValue: immediate))
        if let routingID { unsafe zmq_setsockopt(socket, ZMQ_ROUTING_ID, routingID, routingID.utf8.count) }
        if let credentials {
            unsafe zmq_setsockopt(socket, ZMQ_PLAIN_USERNAME, credentials.name, credentials.name.utf8.count)
            unsafe zmq_setsockopt(socket, ZMQ_PLAIN_PASSWORD, credentials.key, credentials.key.utf8.count)
        }
        if var receiveLimit {
            unsafe zmq_setsockopt(socket, ZMQ_RCVHWM, &receiveLimit, MemoryLayout.size(ofValue: receiveLimit))
            unsafe zmq_setsockopt(socket, ZMQ_RCVBUF, &receiveLimit, MemoryLayout.size(ofValue: receiveLimit))
        }
        try #require(unsafe zmq_connect(socket, endpoint) == 0)
    }

    isolated deinit { close() }

    private var isClosed = false

    /// Dies as a killed process would.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        unsafe zmq_close(socket)
        unsafe zmq_ctx_term(context)
    }

    func setSendTimeout(_ milliseconds: CInt) {
        var timeout = milliseconds
        unsafe zmq_setsockopt(socket, ZMQ_SNDTIMEO, &timeout, MemoryLayout.size(ofValue: timeout))
    }

    func send(_ frames: [[UInt8]], isWhole: Bool = true) throws {
        for (index, frame) in frames.enumerated() {
            let isLast = isWhole && index == frames.count - 1
            // Waits for the connection, if there is none yet.
            let sent = unsafe zmq_send(socket, frame, frame.count, isLast ? 0 : ZMQ_SNDMORE)
            if sent < 0 { throw RawPeerError(number: zmq_errno()) }
        }
    }

    func send(_ header: String, _ body: String = "{}", attachments: [[UInt8]] = []) throws {
        try send([Array("OBS1".utf8), Array(header.utf8), Array(body.utf8)] + attachments)
    }

    /// The next message, waiting for it at most that many milliseconds.
    func receive(within milliseconds: CInt = 10_000) throws -> [[UInt8]]? {
        var timeout = milliseconds
        unsafe zmq_setsockopt(socket, ZMQ_RCVTIMEO, &timeout, MemoryLayout.size(ofValue: timeout))
        var frames: [[UInt8]] = []
        while true {
            var message = zmq_msg_t()
            unsafe zmq_msg_init(&message)
            defer { unsafe zmq_msg_close(&message) }
            guard unsafe zmq_msg_recv(&message, socket, 0) >= 0 else { return nil }
            frames.append(
                unsafe Array(UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message)))
            )
            if unsafe zmq_msg_more(&message) == 0 { return frames }
        }
    }

    /// The next message that is no ping: its header and body as text.
    func answer(within milliseconds: CInt = 10_000) throws -> (header: String, body: String)? {
        while let frames = try receive(within: milliseconds) {
            try #require(frames.count >= 3)
            let header = String(decoding: frames[1], as: UTF8.self)
            if !header.contains(#""kind":"ping""#) { return (header, String(decoding: frames[2], as: UTF8.self)) }
        }
        return nil
    }
}

/// A ROUTER that is bound and never read.
@safe final class RawRouter {
    private let context: UnsafeMutableRawPointer
    private let socket: UnsafeMutableRawPointer

    init(_ endpoint: String) throws {
        unsafe context = try #require(unsafe zmq_ctx_new())
        unsafe socket = try #require(unsafe zmq_socket(context, ZMQ_ROUTER))
        let status = unsafe zmq_bind(socket, endpoint)
        try #require(status == 0)
    }

    /// The next message with its sender in front; fails after ten seconds.
    func receive() throws -> [[UInt8]] {
        var timeout: CInt = 10_000
        unsafe zmq_setsockopt(socket, ZMQ_RCVTIMEO, &timeout, MemoryLayout.size(ofValue: timeout))
        var frames: [[UInt8]] = []
        while true {
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = unsafe zmq_recv(socket, &bytes, bytes.count, 0)
            guard count >= 0 else { throw RawPeerError(number: zmq_errno()) }
            frames.append(Array(bytes.prefix(Int(count))))
            var more: CInt = 0
            var size = MemoryLayout.size(ofValue: more)
            unsafe zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size)
            if more == 0 { return frames }
        }
    }

    func close() {
        unsafe zmq_close(socket)
        unsafe zmq_ctx_term(context)
    }
}
