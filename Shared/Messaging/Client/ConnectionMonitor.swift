private import CZeroMQ
import EventLoop

/// Tells when a client's connection is up, lost or refused (zmq_socket_monitor(3)).
///
/// Confined to the client's loop.
struct ConnectionMonitor: ~Copyable {
    enum Event: Hashable, Sendable {
        /// The service has let the client in.
        case up
        /// There was a connection, perhaps not up yet, and it is gone.
        case lost
        /// The service's authentication said no.
        case refused
    }

    private let events: SocketHandle

    init(of socket: borrowing SocketHandle, context: MessagingContext) throws(MessagingError) {
        let endpoint = context.makeEndpoint()
        let refusals = ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        try socket.monitor(at: endpoint, events: ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | refusals)
        let events = try SocketHandle(.pair, in: context)
        try events.connect(endpoint)
        self.events = events
    }

    var readable: WaitSource { events.readable }

    /// The next event, if there is one.
    func next() throws(MessagingError) -> Event? {
        while let frames = try events.receiveAll() {
            // The first frame is the event's number in 16 bits of this machine's byte order, then 32 bits of value.
            guard let first = frames.first, first.count >= 2 else { continue }
            switch CInt(first[0]) | CInt(first[1]) << 8 {
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .up
            case ZMQ_EVENT_DISCONNECTED: return .lost
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: return .refused
            default: continue
            }
        }
        return nil
    }
}
