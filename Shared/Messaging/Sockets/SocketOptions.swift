private import CZeroMQ
import Consent
import MessageSchema

/// The options that are always set; libzmq's defaults wait for ever, buffer without limit or drop in silence.
enum SocketOptions {
    /// `ZMQ_ZAP_ENFORCE_DOMAIN`, a draft constant that zmq.h of 4.3.4 hides and the library knows: without an authenticator
    /// nobody gets in, instead of everybody.
    private static let enforceDomain: CInt = 93
    /// Messages in each direction of each connection, beside the credit of streams.
    private static let highWaterMark: CInt = 64
    private static let heartbeatInterval: CInt = 5_000
    private static let heartbeatTimeout: CInt = 15_000
    private static let handshakeLimit: CInt = 5_000
    private static let firstReconnect: CInt = 20
    private static let longestReconnect: CInt = 500

    private static func setCommon(_ socket: borrowing SocketHandle) throws(MessagingError) {
        try socket.set(ZMQ_LINGER, to: 0)
        try socket.setLong(ZMQ_MAXMSGSIZE, to: Int64(Limits.frameBytes))
        try socket.set(ZMQ_SNDHWM, to: highWaterMark)
        try socket.set(ZMQ_RCVHWM, to: highWaterMark)
        try socket.set(ZMQ_HEARTBEAT_IVL, to: heartbeatInterval)
        try socket.set(ZMQ_HEARTBEAT_TIMEOUT, to: heartbeatTimeout)
        try socket.set(ZMQ_HANDSHAKE_IVL, to: handshakeLimit)
    }

    /// Options of a server's socket, before it is bound.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - domain: Its authentication domain.
    ///   - acceptsKeys: Whether callers name a role and its key, instead of nothing.
    /// - Throws: ``MessagingError`` with `authenticationUnavailable` if this libzmq would let in everybody.
    static func setServer(
        _ socket: borrowing SocketHandle,
        domain: String,
        acceptsKeys: Bool
    ) throws(MessagingError) {
        try setCommon(socket)
        try socket.set(ZMQ_ROUTER_MANDATORY, to: 1)
        try socket.set(ZMQ_ZAP_DOMAIN, to: domain)
        if acceptsKeys { try socket.set(ZMQ_PLAIN_SERVER, to: 1) }
        do throws(MessagingError) {
            try socket.set(enforceDomain, to: 1)
            guard try socket.get(enforceDomain) == 1 else {
                throw MessagingError(.authenticationUnavailable, "ZMQ_ZAP_ENFORCE_DOMAIN")
            }
        } catch {
            throw MessagingError(
                .authenticationUnavailable,
                "ZMQ_ZAP_ENFORCE_DOMAIN, which this libzmq does not know",
                errorNumber: error.errorNumber
            )
        }
    }

    /// Options of a client's socket, before it is connected.
    static func setClient(_ socket: borrowing SocketHandle, as credentials: Credentials) throws(MessagingError) {
        try setCommon(socket)
        try socket.set(ZMQ_RECONNECT_IVL, to: firstReconnect)
        try socket.set(ZMQ_RECONNECT_IVL_MAX, to: longestReconnect)
        if case .role(let role, let key) = credentials {
            try socket.set(ZMQ_PLAIN_USERNAME, to: role.rawValue)
            try socket.set(ZMQ_PLAIN_PASSWORD, to: key)
        }
    }
}
