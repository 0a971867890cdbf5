import Media
import MessageSchema

/// What makes a film of `record` more than all that the camera gives from now on.
enum FilmParameters {
    private static let flash = Option(
        "flash",
        "auto|on|off",
        "Whether the camera's light is on while it films (default: off)",
        as: ValueReader<FlashMode>.word
    )
    private static let interval = Option(
        "interval",
        "SECONDS",
        "Make a timelapse: a picture each so long, 0.1 seconds to an hour; --duration is a day then, unless it is given",
        as: .time(Limits.timelapseSeconds, "from 0.1 seconds to an hour")
    )
    private static let playback = Option(
        "playback-fps",
        "N",
        "Pictures of a timelapse that are shown in a second, 1 to 120 (default: 30)",
        as: ValueReader<Double>(expecting: "a number, 1 to 120") { text in
            guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }), let rate = Double(text) else {
                return nil
            }
            return Limits.playbackRates.contains(rate) ? rate : nil
        }
    )

    static let preRoll = Option(
        "pre-roll",
        "SECONDS",
        "Keep the newest seconds, 0.1 to 30, and wait: Enter begins the film with them, and pauses it",
        as: .time(Limits.preRollSeconds, "from 0.1 to 30 seconds")
    )

    static var all: [any Parameter] { [flash, interval, playback, preRoll] }

    /// Adds to the settings what the arguments say.
    static func add(_ arguments: Arguments, to settings: inout CaptureSettings) {
        settings.flash = arguments[flash]
        settings.interval = arguments[interval].map { $0 / .seconds(1) }
        settings.playbackFramesPerSecond = arguments[playback]
        settings.preRoll = arguments[preRoll].map { $0 / .seconds(1) }
    }
}
