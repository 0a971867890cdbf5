import Cameras

/// The camera's light while one request's photos are taken.
final class PhotoLight {
    private let session: CameraSession
    private let feed: CameraSession.Feed
    private(set) var isOn = false

    init(_ session: CameraSession, for feed: CameraSession.Feed) {
        self.session = session
        self.feed = feed
    }

    /// - Returns: Whether it is on now; a camera that refuses takes the photo without it.
    func turnOn() async throws -> Bool {
        do throws(CameraError) {
            try await session.setLight(true, for: feed)
            isOn = true
        } catch {
            guard error.code == .notSupported else { throw error }
        }
        return isOn
    }

    func turnOff() async throws {
        guard isOn else { return }
        try await session.setLight(false, for: feed)
        isOn = false
    }

    /// The light is off whatever happened; the first error is the one to tell.
    func end() async { try? await turnOff() }
}
