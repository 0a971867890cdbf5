private import Consent
import MessageSchema

/// `obscura cameras controls`.
struct CameraControlsCommand: Command {
    /// What a control shall be set to.
    struct Setting: Sendable {
        let name: String
        let value: ControlValue
    }

    private static let camera = Positional("CAMERA", "An identity, or front, back, external", as: .device)
    private static let set = Option(
        "set",
        "NAME=VALUE,…",
        "Set these; menus take an index or an item's name",
        as: ValueReader<[Setting]>(expecting: "settings such as brightness=10,contrast=20") { text in
            let settings = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> Setting? in
                guard let equals = part.firstIndex(of: "="), equals > part.startIndex else { return nil }
                let value = String(part[part.index(after: equals)...])
                return Setting(
                    name: String(part[..<equals]),
                    value: Int64(value).map { ControlValue.number($0) } ?? .text(value)
                )
            }
            return settings.contains { $0 == nil } ? nil : settings.compactMap(\.self)
        }
    )
    private static let reset = Flag("reset", "Set all to what the camera starts with")

    var signature: CommandSignature {
        CommandSignature(
            "cameras controls",
            "Shows and changes the settings of a camera that you are using",
            discussion:
                "Settings can be changed while a preview or a film of yours runs, and are put back when nobody\n"
                + "uses the camera any more. Without --set and --reset they are shown, whoever uses it.",
            parameters: [Self.camera, Self.set, Self.reset] + CommonParameters.asking,
            examples: [
                ("cameras controls back", "names, ranges and values"),
                ("cameras controls back --set brightness=20,horizontal_flip=1", "two at once, or none of them"),
                ("cameras controls back --reset", "as the camera starts"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let camera = arguments.one(Self.camera)
        let settings = arguments[Self.set]
        let resets = arguments[Self.reset]
        let names = (settings ?? []).map(\.name)
        guard settings == nil || !resets else {
            throw ErrorReply.usage("Set or reset?", "one call can not do both", "use --reset first, then --set")
        }
        guard Set(names).count == names.count else {
            throw ErrorReply.usage("Which value?", "a setting is named twice", "name each setting once")
        }
        let controls = try await context.asking(arguments, cluster, about: [Need(.camera(camera))]) { rules in
            if let settings {
                let values = Dictionary(settings.map { ($0.name, $0.value) }) { first, _ in first }
                return try await cluster.call(SetControls(camera: camera, values: values), rules).controls
            }
            if resets { return try await cluster.call(ResetControls(camera: camera), rules).controls }
            return try await Self.shown(camera, cluster, rules)
        }
        if arguments[CommonParameters.json] {
            for control in controls { context.terminal.writeJSON(control) }
            return .success
        }
        var table = TextTable("setting", "value", "range", "initial", "flags")
        for control in controls {
            table.add(
                control.name,
                control.shownValue,
                control.shownRange,
                control.default.map { "\($0)" },
                control.flags.map(\.rawValue).joined(separator: " ")
            )
        }
        context.terminal.write(table, orSay: "no settings")
        return .success
    }

    /// Of a camera in use as capture has them, else as the probe finds them.
    private static func shown(_ camera: String, _ cluster: any Cluster, _ rules: CallRules) async throws
        -> [CameraControl]
    {
        var quiet = rules
        // Looking at what anybody may look at asks nobody.
        quiet.mayPrompt = false
        do {
            return try await cluster.call(ReadControls(camera: camera), quiet).controls
        } catch let error as ErrorReply
            where [.notHeld, .dismissed, .accessDenied, .accessRestricted].contains(error.code)
        {
            let reply = try await cluster.call(ShowCamera(camera: camera))
            guard reply.camera != nil else { throw ErrorReply.noCamera(camera) }
            return reply.controls ?? []
        }
    }
}

extension CameraControl {
    /// The value, with the item's name for menus.
    fileprivate var shownValue: String? {
        guard case .number(let number)? = value, let item = menu?.first(where: { Int64($0.index) == number }) else {
            return value?.description
        }
        return "\(number) (\(item.name))"
    }

    /// What it can be set to.
    fileprivate var shownRange: String? {
        if let menu { return menu.map { "\($0.index) (\($0.name))" }.joined(separator: ", ") }
        guard type != .button, let minimum, let maximum else { return type.rawValue }
        return "\(minimum) to \(maximum)" + ((step ?? 1) > 1 ? " by \(step ?? 1)" : "")
    }
}
