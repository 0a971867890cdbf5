private import Media
package import MessageSchema

extension FilmPlan {
    /// What a program asks of a film.
    package init(_ asked: CaptureSettings) {
        self.init()
        container = asked.container ?? .mov
        codec = asked.codec
        quality = asked.quality ?? .medium
        maximumByteCount = asked.maximumBytes
        light = asked.flash
        preRoll = asked.preRoll.map { Int64($0 * 1_000_000) }
        timelapse = asked.interval.map {
            Timelapse(
                interval: $0,
                framesPerSecond: asked.playbackFramesPerSecond ?? Timelapse.usualFramesPerSecond
            )
        }
    }
}

extension CaptureSettings {
    /// Seconds of filming at most: ten minutes unless something else is asked.
    ///
    /// A timelapse is there for what takes long: a day, after which Motion, too, begins a new one (`timelapse_mode daily`).
    package var filmingSeconds: Double { maximumDuration ?? (interval == nil ? 600 : 86_400) }
}
