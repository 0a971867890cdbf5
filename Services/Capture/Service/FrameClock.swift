private import Cameras
private import Timekeeping
package import Video4Linux

/// Maps frames' stamps, which are of CLOCK_MONOTONIC, to the wall clock.
///
/// The offset is taken once, so that a step of the wall clock does not bend a film.
package struct FrameClock: Sendable {
    private let offset: Int64

    /// Takes the offset now.
    package init() {
        offset = Timestamp.now().microseconds - MonotonicTime.now()
    }

    /// Microseconds since 1970 at which a frame was taken.
    package func microsecondsSince1970(_ stamp: FrameStamp) -> Int64 { stamp.microseconds + offset }
}
