import EventLoop
import Timekeeping

/// One connection to a service, from its first try to its loss; it is never used for another.
///
/// Confined to the client's loop. With `ZMQ_IMMEDIATE` libzmq would drop, at the loss, what came before it and was not yet
/// received (4.3.4, `socket_base_t::hiccuped`). Without it libzmq takes messages for a connection that is not there, and
/// would hand them to the next one; so nothing is sent before the handshake, and what is left ends with the socket.
final class ClientConnection {
    let socket: SocketHandle
    let monitor: ConnectionMonitor
    /// Whether the service has let this client in.
    var isUp: Bool { upSince != nil }
    /// When it did.
    var upSince: BootInstant?
    /// What the loop waits for; taken back before the connection goes.
    var registrations: [EventLoop.Token] = []

    /// Starts to connect; libzmq tries again until it is up.
    init(to address: String, as credentials: Credentials, context: MessagingContext) throws(MessagingError) {
        let socket = try SocketHandle(.dealer, in: context)
        try SocketOptions.setClient(socket, as: credentials)
        monitor = try ConnectionMonitor(of: socket, context: context)
        try socket.connect(address)
        self.socket = socket
    }
}
