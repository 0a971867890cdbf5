import MessageSchema

/// The settings of a pattern camera, which its pictures show; they stay while it is closed, as those of hardware do.
struct PatternSettings: Hashable, Sendable {
    private(set) var look = PatternPicture.Look()
    /// Whether the bars go the other way.
    private(set) var isFlipped = false

    /// Numbers of linux/v4l2-controls.h.
    private enum Identifier {
        static let brightness: Int64 = 0x0098_0900
        static let horizontalFlip: Int64 = 0x0098_0914
        static let colourEffects: Int64 = 0x0098_091F
    }

    /// As a driver lists them; the menu has a hole.
    var controls: [CameraControl] {
        [
            control(
                "Brightness",
                Identifier.brightness,
                .integer,
                minimum: -100,
                maximum: 100,
                value: Int64(look.brightness),
                flags: [.slider]
            ),
            control("Horizontal Flip", Identifier.horizontalFlip, .boolean, maximum: 1, value: isFlipped ? 1 : 0),
            control(
                "Color Effects",
                Identifier.colourEffects,
                .menu,
                maximum: 3,
                value: look.effect.rawValue,
                menu: PatternPicture.Look.Effect.allCases.map { effect in
                    CameraControl.MenuItem(index: Int(effect.rawValue), name: Self.name(of: effect))
                }
            ),
        ]
    }

    /// Takes a value that was checked.
    mutating func set(_ control: CameraControl, to value: ControlValue) throws(CameraError) {
        guard case .number(let number) = value else { throw CameraError(.notSupported, "no number") }
        switch control.id {
        case Identifier.brightness: look.brightness = Int(clamping: number)
        case Identifier.horizontalFlip: isFlipped = number != 0
        case Identifier.colourEffects:
            guard let effect = PatternPicture.Look.Effect(rawValue: number) else {
                throw CameraError(.notSupported, "no such effect")
            }
            look.effect = effect
        default: throw CameraError(.notSupported, "no such setting")
        }
    }

    private func control(
        _ title: String,
        _ identifier: Int64,
        _ type: CameraControl.Kind,
        minimum: Int64 = 0,
        maximum: Int64,
        value: Int64,
        menu: [CameraControl.MenuItem]? = nil,
        flags: [CameraControl.Flag] = []
    ) -> CameraControl {
        CameraControl(
            name: CameraControl.name(spelling: title),
            title: title,
            id: identifier,
            type: type,
            minimum: minimum,
            maximum: maximum,
            step: 1,
            default: 0,
            value: .number(value),
            menu: menu,
            flags: flags
        )
    }

    private static func name(of effect: PatternPicture.Look.Effect) -> String {
        switch effect {
        case .none: "None"
        case .blackAndWhite: "Black & White"
        case .negative: "Negative"
        }
    }
}
