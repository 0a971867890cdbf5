package import Cameras
private import EventLoop
private import Imaging
package import Movies
private import Video4Linux

/// Writes one film, on a thread that may wait for the disk and the codec.
package actor FilmWriter {
    private static let quality = 85
    /// A frame that would be shown for fewer microseconds before the film's end is left out.
    private static let shortestFrame: Int64 = 1_000

    private let loop = EventLoop(name: "film")
    private let path: String
    private let encoder: FrameEncoder
    private var writer: MovieWriter<DescriptorMovieFile>?
    private var maximum = Int64.max
    private var first: Int64?
    private var last: Int64 = 0
    private(set) package var frames: Int64 = 0
    /// Frames that were no pictures, or that the camera lost before they came.
    private(set) package var dropped: Int64 = 0
    private(set) package var bytes: Int64 = 0
    /// Frames since the last good one that could not be added.
    private(set) package var badInARow = 0
    /// Whether no further frame fits into the film.
    private(set) package var isComplete = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// Makes the file and its head.
    package init(path: String) throws {
        self.path = path
        encoder = try FrameEncoder(quality: Self.quality)
    }

    isolated deinit {}

    /// Microseconds of film so far.
    package var duration: Int64 { first.map { last - $0 } ?? 0 }

    /// Begins the film with what its first frame tells; its last frame ends after `maximum` microseconds at the latest.
    package func begin(_ description: MovieDescription, maximum: Int64 = .max) throws {
        self.maximum = maximum
        writer = try MovieWriter(description, file: DescriptorMovieFile(creating: path))
    }

    /// Adds a frame; one that is no picture is dropped and counted, one behind the film's end is not looked at.
    ///
    /// - Throws: `MovieError` when the disk fails or is full: what was written stays.
    package func add(_ frame: CapturedFrame) throws {
        if let first, frame.stamp.microseconds - first > maximum - Self.shortestFrame {
            isComplete = true
            return
        }
        dropped += Int64(first == nil ? 0 : frame.stamp.lostBefore)
        let picture: [UInt8]
        do throws(JPEGError) {
            picture = try encoder.picture(of: frame)
        } catch {
            drop()
            return
        }
        do throws(MovieError) {
            try writer?.append(picture, at: frame.stamp.microseconds)
        } catch {
            guard error.code == .timeWentBack || error.code == .badFrame else { throw error }
            drop()
            return
        }
        badInARow = 0
        first = first ?? frame.stamp.microseconds
        last = frame.stamp.microseconds
        frames += 1
        bytes += Int64(picture.count)
        isComplete = duration >= maximum - (writer?.frameMicroseconds ?? 0)
    }

    /// Counts frames that were lost on the way here.
    package func lose(_ count: Int) { dropped += Int64(count) }

    private func drop() {
        dropped += 1
        badInARow += 1
    }

    /// Finishes the film; it is an ordinary movie then.
    package func finish() throws -> Int64 {
        guard let summary = try writer?.finish(within: maximum) else { throw MovieError(.badFrame) }
        writer = nil
        return summary.byteCount
    }
}
