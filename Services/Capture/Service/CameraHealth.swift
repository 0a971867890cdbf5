package import Cameras
package import MessageSchema

/// Whether a camera gives what it should: by the age of its last good frame while it is open, and by how its last use ended.
///
/// Times are microseconds of a clock that only goes forward.
package struct CameraHealth: Hashable, Sendable {
    /// An open camera without a good frame for so long gives nothing; one that is slow has longer.
    package static let patience: Int64 = 2_000_000
    /// How much longer than between the frames before.
    private static let slack: Int64 = 4
    /// How long it counts that a use ended so, where nobody has used it since.
    package static let memory: Int64 = 60_000_000

    private struct Failure: Hashable {
        let code: CameraError.Code
        let time: Int64
    }

    /// Whether it is open now.
    package private(set) var isOpen = false
    /// When the last good frame came, or it was opened.
    private var last: Int64 = 0
    /// The longest time between the frames of late.
    private var usual: Int64 = 0
    private var failure: Failure?

    /// A camera that was not used yet.
    package init() {}

    /// It was opened: the bus has room for it.
    package mutating func opened(at time: Int64) {
        isOpen = true
        last = time
        usual = 0
        if failure?.code == .noBandwidth { failure = nil }
    }

    /// A good frame came.
    package mutating func frame(at time: Int64) {
        // Falls slowly: in the dark frames come seldom, and not at once as often again when there is light.
        usual = max(time - last, usual - usual / 8)
        last = time
        failure = nil
    }

    /// Opening it, or its use, failed.
    package mutating func failed(_ error: CameraError, at time: Int64) {
        isOpen = false
        failure = Failure(code: error.code, time: time)
    }

    /// Nobody uses it any more.
    package mutating func closed() { isOpen = false }

    /// What is wrong with it; nil where nothing is known to be.
    ///
    /// The words stay the same as long as it is.
    package func trouble(at time: Int64) -> Availability? {
        if isOpen, time - last > max(Self.patience, usual * Self.slack) {
            return Availability(.stalled, reason: "it is in use and gives no pictures")
        }
        guard let failure, time - failure.time < Self.memory else { return nil }
        switch failure.code {
        case .stalled: return Availability(.stalled, reason: "its last use ended because it gave no pictures")
        case .noBandwidth: return Availability(.noBandwidth, reason: "its bus had no room for its pictures")
        // Whoever looks at the camera sees these.
        case .absent, .denied, .inUse, .removed, .noSignal, .notSupported, .fault, .cancelled: return nil
        }
    }
}
