package import Cameras
private import EventLoop
private import Media
private import MessageSchema
package import Timekeeping

/// Looks at the cameras when somebody asks, on a thread that may wait for drivers.
///
/// A scan serves everybody who asks within half a second of it: many askers cost no more than one.
package actor CameraDesk {
    /// Asks the library what it has.
    package typealias LibraryQuestion = @Sendable () async -> ProbeMachine.Library

    private static let freshness = Duration.milliseconds(500)

    private let loop = EventLoop(name: "scan")
    private let scanner: CameraScanner
    private let builtIn: BuiltInChoice
    private let positions: CameraCatalogue.Positions
    private let library: LibraryQuestion
    private let now: @Sendable () -> BootInstant
    private var latest: (catalogue: CameraCatalogue, at: BootInstant)?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// - Parameters:
    ///   - scanner: What finds the nodes.
    ///   - builtIn: When the built-in cameras appear.
    ///   - positions: Positions that the administrator gave, by identity.
    ///   - library: Asks the library.
    ///   - now: The clock by which a scan becomes old.
    package init(
        scanner: CameraScanner,
        builtIn: BuiltInChoice,
        positions: CameraCatalogue.Positions,
        library: @escaping LibraryQuestion,
        now: @escaping @Sendable () -> BootInstant = { .now() }
    ) {
        self.scanner = scanner
        self.builtIn = builtIn
        self.positions = positions
        self.library = library
        self.now = now
    }

    /// The cameras as they are now, without the library.
    package func cameras() -> ProbeMachine { ProbeMachine(catalogue: catalogue(), library: .unavailable) }

    /// The cameras and the library as they are now.
    package func everything() async -> ProbeMachine {
        let library = await library()
        return ProbeMachine(catalogue: catalogue(), library: library)
    }

    /// Why there is no camera of hardware, where that is the machine's nature.
    package func problem() -> String? { catalogue().problem }

    private func catalogue() -> CameraCatalogue {
        if let latest, now() < latest.at + Self.freshness { return latest.catalogue }
        let catalogue = CameraCatalogue(scanner.scan(), builtIn: builtIn, positions: positions)
        latest = (catalogue, now())
        return catalogue
    }
}
