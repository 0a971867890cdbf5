private import Media
import MessageSchema
import Messaging

extension Camera {
    /// What the camera that looks there sees, live.
    ///
    /// - Parameters:
    ///   - device: Where the camera looks.
    ///   - size: The box that pictures fit into; they have the camera's shape and are never enlarged.
    ///   - framesPerSecond: At most so many pictures a second, 0.01 to 1000; every frame when nil.
    /// - Returns: Pictures, which are asked for while they are iterated over.
    public func preview(
        with device: CameraDevice,
        fitting size: PixelSize? = nil,
        framesPerSecond: Double? = nil
    ) -> CameraPreview {
        preview(with: device.position.rawValue, fitting: size, framesPerSecond: framesPerSecond)
    }

    /// What the camera of that identity sees, live.
    ///
    /// - Parameters:
    ///   - id: The camera's identity.
    ///   - size: The box that pictures fit into; they have the camera's shape and are never enlarged.
    ///   - framesPerSecond: At most so many pictures a second, 0.01 to 1000; every frame when nil.
    /// - Returns: Pictures, which are asked for while they are iterated over.
    public func preview(
        with id: String,
        fitting size: PixelSize? = nil,
        framesPerSecond: Double? = nil
    ) -> CameraPreview {
        CameraPreview(
            cluster,
            PreviewCamera(camera: id, width: size?.width, height: size?.height, framesPerSecond: framesPerSecond)
        )
    }
}

/// A picture of a preview.
public struct CameraPicture: Hashable, Sendable {
    /// Counts the camera's frames, so that a gap is what was not shown.
    public let number: Int64
    /// Pixels.
    public let size: PixelSize
    /// The picture as a JPEG file.
    public let jpeg: [UInt8]
    /// When it was taken, since the machine was started (CLOCK_BOOTTIME).
    public let captured: Duration
    /// Frames so far that were due and not shown.
    public let droppedFrames: Int64
}

/// What a camera sees, picture by picture, for as long as the program iterates and the person allows it.
///
/// The camera is opened with the first `next()`; leaving the loop lets go of it. Whoever takes its time misses
/// pictures, and gets the newest. A permission that is taken back ends the loop with the error `revoked`.
public struct CameraPreview: AsyncSequence, Sendable {
    public typealias Element = CameraPicture

    private let cluster: ObscuraCluster
    private let request: PreviewCamera

    init(_ cluster: ObscuraCluster, _ request: PreviewCamera) {
        self.cluster = cluster
        self.request = request
    }

    public func makeAsyncIterator() -> Iterator { Iterator(cluster, request) }

    /// Takes one picture after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let cluster: ObscuraCluster
        private let request: PreviewCamera
        private var stream: PatientStream<PreviewCamera>?

        init(_ cluster: ObscuraCluster, _ request: PreviewCamera) {
            self.cluster = cluster
            self.request = request
        }

        /// The next picture; nil after the end.
        ///
        /// - Throws: ``ObscuraError``: `accessDenied`, `revoked`, `cameraAbsent`, `removed`, `inUse` …
        public mutating func next() async throws -> CameraPicture? {
            let current: PatientStream<PreviewCamera>
            if let stream { current = stream } else { current = try await cluster.stream(request, window: 1) }
            stream = current
            guard let item = try await translating({ try await current.next() }) else { return nil }
            return CameraPicture(
                number: item.value.number,
                size: PixelSize(width: item.value.width, height: item.value.height),
                jpeg: item.attachments.first?.bytes ?? [],
                captured: .milliseconds(item.value.captured),
                droppedFrames: item.value.dropped
            )
        }
    }
}
