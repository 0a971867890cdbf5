import Cameras
import Media
import MessageSchema
import Synchronization

/// A frame that becomes a picture, and what is known about it.
struct Shot: Sendable {
    let frame: CapturedFrame
    let time: CaptureTime
    let readings: ExposureReadings
    let facts: PictureFacts
    /// From 0.
    let index: Int
}

/// Bytes of frames that wait to be made files; bounded, because cameras are faster than disks.
final class ShotBacklog: Sendable {
    /// Frames beyond this are lost, but for one.
    private static let limit = 192 << 20

    private let waiting = Atomic<Int>(0)

    /// Whether there is room for a frame, which is taken then.
    func add(_ frame: CapturedFrame) -> Bool {
        let count = waiting.load(ordering: .relaxed)
        guard count == 0 || count + frame.bytes.count <= Self.limit else { return false }
        waiting.add(frame.bytes.count, ordering: .relaxed)
        return true
    }

    /// A frame waits no more.
    func remove(_ frame: CapturedFrame) { waiting.subtract(frame.bytes.count, ordering: .relaxed) }
}
