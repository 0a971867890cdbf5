package import Timekeeping

/// Decides from looks now and then whether an input has lost its signal; a value without any device.
///
/// A look that misses it may be one while the source changes its mode, so it takes two in a row.
package struct SignalWatch: Sendable {
    /// Between looks: two of them, and the wait for the first, are less than two seconds.
    package static let pause = Duration.milliseconds(750)

    private var lookedAt: BootInstant
    private var isMissing = false

    /// A watch of an input that has its signal now.
    package init(from now: BootInstant) { lookedAt = now }

    /// When to look again.
    package var nextLook: BootInstant { lookedAt.advanced(by: Self.pause) }

    /// Looks, if it is time to.
    ///
    /// - Returns: Whether the signal is lost.
    package mutating func look(at now: BootInstant, hasSignal: () -> Bool) -> Bool {
        guard now >= nextLook else { return false }
        lookedAt = now
        let wasMissing = isMissing
        isMissing = !hasSignal()
        return isMissing && wasMissing
    }
}
