import Media
import MessageSchema
import Messaging

extension Camera {
    /// Begins to film into the library with the camera that looks there.
    ///
    /// - Returns: The film under way; a film with ``FilmSettings/preRoll`` is paused.
    /// - Throws: ``ObscuraError``: `accessDenied`, `cameraAbsent`, `inUse`, `dismissed`, `invalidArgument` …
    public func film(
        with device: CameraDevice,
        _ settings: FilmSettings = FilmSettings()
    ) async throws -> CameraRecording {
        try await film(with: device.position.rawValue, settings)
    }

    /// Begins to film into the library with the camera of that identity.
    ///
    /// - Returns: The film under way; a film with ``FilmSettings/preRoll`` is paused.
    /// - Throws: ``ObscuraError``: `accessDenied`, `cameraAbsent`, `inUse`, `dismissed`, `invalidArgument` …
    public func film(with id: String, _ settings: FilmSettings = FilmSettings()) async throws -> CameraRecording {
        let stream = try await cluster.stream(RecordMovie(settings: settings.message(for: id)), window: 2)
        // The person has so much time, and the camera.
        let first = try await translating { try await stream.next() }
        return CameraRecording(cluster, stream, first?.value)
    }
}

/// A film while it is taken, for as long as the program lives and keeps this value, and the person allows it.
///
/// Iterating over it tells how far the film is, twice a second, until it ends. Losing the last copy of the value before
/// ``finished()`` has returned discards the film; a program that dies leaves it in the library.
public struct CameraRecording: AsyncSequence, Sendable {
    public typealias Element = FilmProgress

    private let cluster: ObscuraCluster
    private let stream: PatientStream<RecordMovie>
    private let first: RecordingProgress?

    init(_ cluster: ObscuraCluster, _ stream: PatientStream<RecordMovie>, _ first: RecordingProgress?) {
        self.cluster = cluster
        self.stream = stream
        self.first = first
    }

    /// Its name, by which other programs of the same principal can pause, resume and stop it; empty when it has ended already.
    public var id: String { first?.recording ?? "" }

    /// Goes on with the film, or begins it: with the seconds of pre-roll that were kept, if any were asked for.
    ///
    /// - Throws: ``ObscuraError``: `unknownRecording` when it has ended.
    public func resume() async throws { _ = try await cluster.call(ResumeRecording(recording: id)) }

    /// Films nothing until it is resumed; the camera stays in use.
    ///
    /// - Throws: ``ObscuraError``: `unknownRecording` when it has ended.
    public func pause() async throws { _ = try await cluster.call(PauseRecording(recording: id)) }

    /// Ends the film.
    ///
    /// - Returns: The film in the library.
    /// - Throws: ``ObscuraError``: as ``finished()``.
    public func stop() async throws -> Film {
        do {
            _ = try await cluster.call(StopRecording(recording: id))
        } catch let error as ObscuraError where error.code == "unknownRecording" {
            // It has ended by itself; its stream tells how.
        }
        return try await finished()
    }

    /// Discards the film.
    public func cancel() async { await stream.cancel() }

    /// Waits until the film ends; one task at a time, and not while another one iterates.
    ///
    /// - Returns: The film in the library.
    /// - Throws: ``ObscuraError``: `revoked`, `removed`, `diskFull` …: what there was of the film is in the library then, if
    ///   the program may still add to it; `cancelled` when there was nothing. `CancellationError`, and the film is discarded.
    public func finished() async throws -> Film {
        try await translating {
            while try await stream.nextWhenever() != nil {}
            guard let result = stream.summary else { throw CancellationError() }
            return Film(result, cluster)
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(stream: stream, first: first) }

    /// Waits for one step of the progress after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: PatientStream<RecordMovie>
        fileprivate var first: RecordingProgress?

        /// How far the film is; nil when it has ended.
        ///
        /// - Throws: ``ObscuraError``: as ``CameraRecording/finished()``.
        public mutating func next() async throws -> FilmProgress? {
            if let first = first.take() { return FilmProgress(first) }
            return try await translating { try await stream.nextWhenever() }.map { FilmProgress($0.value) }
        }
    }
}
