package import Consent

/// As whom a client connects.
package enum Credentials: Hashable, Sendable {
    /// As a program: the kernel says who it is.
    case program
    /// As a service, over the roles' socket, with the key that the supervisor gave it.
    case role(Role, key: String)
}
