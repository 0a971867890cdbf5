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
    private let hasBuiltInCamera: @Sendable () async -> Bool
    private let whyForbidden: @Sendable (String) -> String?
    private let opening: AlsaMicrophone.Opening

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// The microphones that a scanner finds, and the built-in one where there are built-in cameras.
    ///
    /// - Parameters:
    ///   - scanner: What finds the microphones.
    ///   - builtIn: When the built-in cameras appear, and the built-in microphone with them.
    ///   - whyForbidden: Why nobody may use the microphone of an identity, nil for one that
    ///     is not forbidden: it is not the usual one where there is another.
    ///   - opening: How devices of hardware are opened.
    ///   - hasBuiltInCamera: Whether there are built-in cameras now.
    package init(
        scanner: MicrophoneScanner = MicrophoneScanner(),
        builtIn: BuiltInChoice,
        whyForbidden: @escaping @Sendable (String) -> String? = { _ in nil },
        opening: @escaping AlsaMicrophone.Opening = AlsaMicrophone.alsa,
        hasBuiltInCamera: @escaping @Sendable () async -> Bool
    ) {
        self.scanner = scanner
        self.builtIn = BuiltInMicrophoneChoice(builtIn)
        self.whyForbidden = whyForbidden
        self.opening = opening
        self.hasBuiltInCamera = hasBuiltInCamera
    }

    isolated deinit {}

    /// Finds a microphone by identity, or the usual one when nothing is named; opens nothing.
    ///
    /// What is opened later is the device that has this identity then, whatever number its card has.
    ///
    /// - Throws: `ErrorReply` with code `microphoneAbsent`, or `microphoneDenied` where the service may not open any: nobody
    ///   needs to be asked then.
    package func device(_ name: String) async throws -> any SoundDevice {
        let hasBuiltInCamera = await hasBuiltInCamera()
        let scan = scanner.scan()
        let catalogue = MicrophoneCatalogue(
            scan,
            builtIn: builtIn,
            hasBuiltInCamera: hasBuiltInCamera,
            whyForbidden: whyForbidden
        )
        guard let microphone = catalogue.microphone(name) else {
            throw ErrorReply(
                scan.deniedCards > 0 ? .microphoneDenied : .microphoneAbsent,
                name.isEmpty ? "There is no microphone" : "There is no microphone \"\(name)\"",
                // What is wrong with the machine is no reason where there are others than the one that was named.
                reason: name.isEmpty || catalogue.microphones.isEmpty || scan.deniedCards > 0
                    ? catalogue.problem
                    : "There \(catalogue.microphones.count == 1 ? "is" : "are") "
                        + catalogue.microphones.map(\.id).joined(separator: ", "),
                recoverySuggestion: "obscura microphones list",
                parameters: ["microphone": name]
            )
        }
        guard !microphone.builtIn else { return PatternMicrophone(microphone, clock: ContinuousClock()) }
        return AlsaMicrophone(microphone, opening: opening) { [scanner] in
            MicrophoneCatalogue(scanner.scan(), builtIn: .never, hasBuiltInCamera: false).names(of: microphone)
        }
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
