import MessageSchema

/// A microphone of the machine, as it was when it was asked for.
public struct MicrophoneInfo: Hashable, Sendable {
    /// Survives renumbering.
    public let id: String
    /// The name that people see.
    public let name: String
    /// The kernel's driver; `pattern` for the built-in one.
    public let driver: String
    /// Whether it needs no hardware.
    public let isBuiltIn: Bool
    /// Whether it can be used, in a word.
    public let state: CameraInfo.State
    /// Whether it can be used now.
    public var isAvailable: Bool { state == .available }
    /// Why it can not be used, for a person, or a word such as `busy`; nil when it can.
    public let reason: String?

    init(_ microphone: Microphone) {
        let availability = microphone.availability
        id = microphone.id
        name = microphone.name
        driver = microphone.driver
        isBuiltIn = microphone.builtIn
        state = CameraInfo.State(rawValue: availability.state.rawValue) ?? .unknown
        reason = availability.state == .available ? nil : availability.reason ?? availability.state.rawValue
    }
}
