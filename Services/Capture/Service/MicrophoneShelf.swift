package import Cameras
private import EventLoop
private import MessageSchema
package import Sound

/// The microphones of this machine.
///
/// Looks for them on a thread that may wait for drivers.
package actor MicrophoneShelf {
    private let loop = EventLoop(name: "microphones")
    private let scanner: MicrophoneScanner
    private let builtIn: BuiltInMicrophoneChoice

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// The microphones that a scanner finds, and the built-in one where there are built-in cameras.
    package init(scanner: MicrophoneScanner = MicrophoneScanner(), builtIn: BuiltInChoice) {
        self.scanner = scanner
        self.builtIn = BuiltInMicrophoneChoice(builtIn)
    }

    isolated deinit {}

    /// Finds a microphone by identity, or the usual one when nothing is named; opens nothing.
    ///
    /// - Throws: `ErrorReply` with code `microphoneAbsent`, or `microphoneDenied` where the service may not open any: nobody
    ///   needs to be asked then.
    package func device(_ name: String) throws -> any SoundDevice {
        let scan = scanner.scan()
        let catalogue = MicrophoneCatalogue(scan, builtIn: builtIn)
        guard let microphone = catalogue.microphone(name) else {
            throw ErrorReply(
                scan.deniedCards > 0 ? .microphoneDenied : .microphoneAbsent,
                name.isEmpty ? "There is no microphone" : "There is no microphone \"\(name)\"",
                reason: catalogue.problem,
                recoverySuggestion: "obscura microphones list",
                parameters: ["microphone": name]
            )
        }
        guard !microphone.builtIn else { return PatternMicrophone(microphone, clock: ContinuousClock()) }
        return AlsaMicrophone(microphone, names: catalogue.names(of: microphone))
    }
}

extension BuiltInMicrophoneChoice {
    /// There is a built-in microphone by the rule of the built-in cameras.
    package init(_ choice: BuiltInChoice) {
        switch choice {
        case .auto: self = .auto
        case .always: self = .always
        case .never: self = .never
        }
    }
}
