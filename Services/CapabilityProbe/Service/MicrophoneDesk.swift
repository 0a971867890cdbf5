package import Cameras
private import EventLoop
package import MessageSchema
package import Sound

/// Looks at the microphones when somebody asks, on a thread that may wait for drivers.
package actor MicrophoneDesk {
    private let loop = EventLoop(name: "microphones")
    private let scanner: MicrophoneScanner
    private let builtIn: BuiltInMicrophoneChoice
    private let isForbidden: @Sendable (String) -> Bool

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// - Parameters:
    ///   - scanner: What finds the microphones.
    ///   - builtIn: When the built-in one appears: by the rule of the built-in cameras.
    ///   - isForbidden: Whether nobody may use the microphone of an identity.
    package init(
        scanner: MicrophoneScanner = MicrophoneScanner(),
        builtIn: BuiltInChoice,
        isForbidden: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.scanner = scanner
        self.isForbidden = isForbidden
        switch builtIn {
        case .auto: self.builtIn = .auto
        case .always: self.builtIn = .always
        case .never: self.builtIn = .never
        }
    }

    isolated deinit {}

    /// The microphones as they are now.
    package func list() -> ListMicrophones.Reply {
        let catalogue = MicrophoneCatalogue(scanner.scan(), builtIn: builtIn)
        let microphones = catalogue.microphones.map { found in
            guard isForbidden(found.id) else { return found }
            var microphone = found
            microphone.availability = Availability(.disabled, reason: "the policy forbids it to everybody")
            return microphone
        }
        return ListMicrophones.Reply(microphones: microphones, problem: catalogue.problem)
    }
}
