/// How long a client waits before it connects again: not at all after a connection that lasted, else longer each time.
///
/// A service that lets in and ends at once, or refuses, is not asked in a busy loop; one that was restarted is found at once.
struct ReconnectPause: Hashable, Sendable {
    /// A connection that was up for so long has proven itself.
    static let proof = Duration.seconds(1)
    /// With what libzmq itself waits, a service that is there again is noticed within two seconds.
    static let longest = Duration.milliseconds(800)
    private static let shortest = Duration.milliseconds(50)

    private var next = Duration.zero

    /// The pause after a connection that was up for so long; zero for one that was refused.
    mutating func after(life: Duration) -> Duration {
        if life >= Self.proof { next = .zero }
        defer { next = min(max(next * 2, Self.shortest), Self.longest) }
        return next
    }
}
