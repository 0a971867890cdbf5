private import EventLoop
private import Files
package import MessageSchema
private import Movies
package import Video4Linux

/// A camera that replays a folder of JPEG pictures or a film, over and over, with the times that the frames had.
///
/// Frames are numbered from the opening, which is when the footage starts; their stamps are exactly as far apart as in the
/// file. Runs on a thread of its own, which may wait for the disk.
package actor FileCamera<Time: Clock>: CameraDevice where Time.Duration == Duration {
    package nonisolated let camera: Camera
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    private let loop = EventLoop(name: "file-camera")
    private let path: String
    private let framesPerSecond: Double?
    private let clock: Time
    private let now: @Sendable () -> Int64
    private var stream: Stream?
    /// The film that is open; none for a folder.
    private var film: FileDescriptor?
    /// Counts openings, so that a wait that ends after a close does not touch the next one.
    private var generation = 0
    private var wait = FrameWait<Time>()

    private struct Stream {
        let footage: FileFootage
        let start: Time.Instant
        /// The stamp of the opening.
        let firstStamp: Int64
        /// The number of the frame that comes next.
        var next = 0
        var lost = 0
    }

    /// A camera that is not opened yet.
    ///
    /// - Parameters:
    ///   - camera: What it is listed as.
    ///   - path: The folder or the film; looked at anew with each opening.
    ///   - framesPerSecond: The rate of a folder's pictures.
    ///   - clock: What paces the frames.
    ///   - now: Microseconds of CLOCK_MONOTONIC, asked once with each opening, for the frames' stamps.
    package init(
        _ camera: Camera,
        path: String,
        framesPerSecond: Double? = nil,
        clock: Time,
        now: @escaping @Sendable () -> Int64 = { MonotonicTime.now() }
    ) {
        self.camera = camera
        self.path = path
        self.framesPerSecond = framesPerSecond
        self.clock = clock
        self.now = now
    }

    isolated deinit {}

    package func open(_ wanted: WantedFormat) throws(CameraError) -> VideoFormat {
        guard stream == nil else { throw CameraError(.inUse, "open already") }
        let footage = try FileFootage(path, framesPerSecond: framesPerSecond)
        guard FormatChoice(wanted, among: [footage.description]) != nil else {
            throw CameraError(.notSupported, "it gives \(footage.format.pixelFormat) alone")
        }
        do throws(FilesError) {
            film = nil
            if case .sample = footage.frames.first?.place { film = try FileDescriptor(opening: path, [.read]) }
        } catch {
            throw FileFootage.error(error)
        }
        generation += 1
        stream = Stream(footage: footage, start: clock.now, firstStamp: now())
        return footage.format
    }

    package func nextFrame() async throws(CameraError) -> CapturedFrame {
        let generation = generation
        // A folder none of whose pictures can be used is looked through once.
        var unusable = 0
        while true {
            guard self.generation == generation else { throw CameraError(.cancelled) }
            guard var stream else { throw CameraError(.fault, "not open") }
            let footage = stream.footage
            let elapsed = stream.start.duration(to: clock.now)
            let number = footage.chosen(next: stream.next, upcoming: footage.upcoming(Self.microseconds(elapsed)))
            let due = footage.due(number)
            try await FrameWait<Time>.ended(
                wait.begin(until: stream.start.advanced(by: .microseconds(due)), on: clock)
            )
            guard self.generation == generation else { throw CameraError(.cancelled) }
            stream.lost += number - stream.next
            stream.next = number + 1
            guard let bytes = try bytes(of: number, in: footage) else {
                stream.lost += 1
                self.stream = stream
                unusable += 1
                guard unusable < footage.frames.count else {
                    throw CameraError(.stalled, "none of the pictures can be used any more")
                }
                continue
            }
            let stamp = FrameStamp(
                microseconds: stream.firstStamp + due,
                isDriverTime: true,
                lostBefore: stream.lost
            )
            stream.lost = 0
            self.stream = stream
            return CapturedFrame(bytes: bytes, format: footage.format, stamp: stamp)
        }
    }

    package func close() {
        generation += 1
        wait.end()
        stream = nil
        film = nil
    }

    package func setLight(_ isOn: Bool) throws(CameraError) { throw CameraError(.notSupported, "no light") }

    package func readings() -> ExposureReadings { ExposureReadings() }

    /// The bytes of a frame; nil for a picture that is gone, or has another size than the first.
    private func bytes(of number: Int, in footage: FileFootage) throws(CameraError) -> [UInt8]? {
        let frame = footage.frames[number % footage.frames.count]
        switch frame.place {
        case .picture(let name):
            do throws(FilesError) {
                let bytes = try Directory(opening: path).read(name, limit: FileFootage.mostPictureByteCount) ?? []
                let size = FileFootage.pictureSize(bytes)
                return size?.width == footage.format.width && size?.height == footage.format.height ? bytes : nil
            } catch {
                guard error.code == .tooLarge else { throw FileFootage.error(error) }
                return nil
            }
        case .sample(let offset, let byteCount):
            // Whatever keeps it from being read, the film is not what it was when it was opened.
            let found = try? film?.read(at: offset, upTo: byteCount)
            guard let found, found.count == byteCount else { throw CameraError(.removed, "the film was cut short") }
            guard let configuration = footage.configuration else { return found }
            guard
                let bytes = H264AccessUnit.annexB(
                    sample: found,
                    lengthByteCount: footage.lengthByteCount,
                    preceding: frame.isKey ? configuration : nil
                )
            else { throw CameraError(.fault, "a picture of the film makes no sense") }
            return bytes
        }
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }
}
