import Cameras
package import Media
package import MessageSchema
private import Video4Linux

/// The light of a film: on while it films, and never while it does not.
package actor FilmLight {
    private let mode: FlashMode
    private let session: CameraSession
    private var isOn = false
    /// Whether the camera has no light, or does not give it.
    private var isRefused: Bool
    /// Whether `auto` has looked at what there is to film.
    private var isDecided = false
    private var settling = ExposureSettling()
    /// Whether any of the film was taken with light.
    package private(set) var wasOn = false

    /// The light of a camera for a film, off.
    package init(_ mode: FlashMode?, of camera: Camera, _ session: CameraSession) {
        self.mode = mode ?? .off
        self.session = session
        isRefused = !camera.torch
    }

    /// The film takes its next frames: the light goes on if it shall be on.
    ///
    /// `auto` decides once, when the exposure has settled, and again after a pause: a light that came and went in a film
    /// would be seen. A light that refuses costs no film.
    ///
    /// - Parameters:
    ///   - frame: What the camera gives; nil before the first.
    ///   - feed: Whose frames they are.
    func film(_ frame: CapturedFrame?, _ feed: CameraSession.Feed) async {
        guard !isOn, !isRefused else { return }
        switch mode {
        case .off: break
        case .on: await turnOn(feed)
        case .auto:
            guard !isDecided, let frame else { return }
            let luma = LumaMeter.mean(of: frame)
            guard settling.look(at: luma, taken: frame.stamp.microseconds) != .wait else { return }
            isDecided = true
            if let luma, luma < Shutter.darkness { await turnOn(feed) }
        }
    }

    /// The film rests, or is over: the light goes off.
    func rest(_ feed: CameraSession.Feed) async {
        isDecided = false
        settling.restart()
        guard isOn else { return }
        isOn = false
        // What can not be turned off now is off when the camera is closed.
        try? await session.setLight(false, for: feed)
    }

    private func turnOn(_ feed: CameraSession.Feed) async {
        do throws(CameraError) {
            try await session.setLight(true, for: feed)
            isOn = true
            wasOn = true
        } catch {
            isRefused = true
        }
    }
}
