/// Follows the decisions in force: a snapshot, then numbered updates, each acknowledged; a role alone may.
///
/// Items are numbered by the stream and acknowledged by `credit` with `ack`; the bodies are the replica's own.
package enum Replica {
    /// The name on the wire.
    package static let name = "replica.follow"
}
