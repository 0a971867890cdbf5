import Cameras

/// The camera's light while one request's photos are taken.
final class PhotoLight {
    private let session: CameraSession
    private(set) var isOn = false

    init(_ session: CameraSession) { self.session = session }

    /// - Returns: Whether it is on now; a camera that refuses takes the photo without it.
    func turnOn() async throws -> Bool {
        do throws(CameraError) {
            try await session.setLight(true)
            isOn = true
        } catch {
            guard error.code == .notSupported else { throw error }
        }
        return isOn
    }

    func turnOff() async throws {
        guard isOn else { return }
        try await session.setLight(false)
        isOn = false
    }

    /// The light is off whatever happened; the first error is the one to tell.
    func end() async { try? await turnOff() }
}
