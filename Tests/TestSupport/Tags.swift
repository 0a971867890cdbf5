package import Testing

extension Tag {
    /// One type or one module, no other process.
    @Tag package static var unit: Self
    /// The wire: bytes and messages as they are promised.
    @Tag package static var contract: Self
    /// Real executables and real sockets.
    @Tag package static var system: Self
    /// Seconds rather than milliseconds; left out of the quick run.
    @Tag package static var slow: Self
    /// Needs a camera or the emulated machine.
    @Tag package static var hardware: Self
}
