package import Cameras
private import EventLoop
package import MessageSchema
package import Sound

/// Looks at the microphones when somebody asks, on a thread that may wait for drivers.
package actor MicrophoneDesk {
    private let loop = EventLoop(name: "microphones")
    private let scanner: MicrophoneScanner
    private let builtIn: BuiltInMicrophoneChoice
    private let whyForbidden: @Sendable (String) -> String?
    private let hasBuiltInCamera: @Sendable () async -> Bool

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// - Parameters:
    ///   - scanner: What finds the microphones.
    ///   - builtIn: When the built-in one appears: by the rule of the built-in cameras.
    ///   - whyForbidden: Why nobody may use the microphone of an identity; nil where programs may be allowed to.
    ///   - hasBuiltInCamera: Whether there are built-in cameras now.
    package init(
        scanner: MicrophoneScanner = MicrophoneScanner(),
        builtIn: BuiltInChoice,
        whyForbidden: @escaping @Sendable (String) -> String? = { _ in nil },
        hasBuiltInCamera: @escaping @Sendable () async -> Bool
    ) {
        self.scanner = scanner
        self.hasBuiltInCamera = hasBuiltInCamera
        self.whyForbidden = whyForbidden
        switch builtIn {
        case .auto: self.builtIn = .auto
        case .always: self.builtIn = .always
        case .never: self.builtIn = .never
        }
    }

    isolated deinit {}

    /// The microphones as they are now.
    package func list() async -> ListMicrophones.Reply {
        let hasBuiltInCamera = await hasBuiltInCamera()
        let catalogue = MicrophoneCatalogue(
            scanner.scan(),
            builtIn: builtIn,
            hasBuiltInCamera: hasBuiltInCamera,
            whyForbidden: whyForbidden
        )
        return ListMicrophones.Reply(microphones: catalogue.microphones, problem: catalogue.problem)
    }
}
