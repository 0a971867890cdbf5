import Cameras
import Consent
import Foundation
import Imaging
import Media
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing
import Video4Linux

@testable import CaptureService

/// A camera of the emulated machine, as capture uses it.
struct LabCamera {
    /// What came of a use.
    struct Outcome: Sendable, CustomTestStringConvertible {
        /// The files of the photos, or of the film.
        var files: [[UInt8]] = []
        var pictures = 0
        /// Frames that were lost or no sound pictures, as the use counts them.
        var lost: Int64 = 0
        /// What ended it early, and when it ended.
        var error: (any Error)?
        var ended = ContinuousClock.now

        /// Without the files' bytes.
        var testDescription: String {
            "\(pictures) pictures, \(lost) lost, ended by \(error.map { "\($0)" } ?? "nothing")"
        }
    }

    /// Calls with the number of each frame before it is looked at, from 1.
    typealias OnFrame = @Sendable (Int) throws -> Void

    static var isHere: Bool { ProcessInfo.processInfo.environment["OBSCURA_IN_CAMERA_LAB"] != nil }
    /// Whether everything is tried, however long it takes.
    static var isWhole: Bool { ProcessInfo.processInfo.environment["OBSCURA_IN_CAMERA_LAB"] == "full" }
    static let small = WantedFormat(width: 320, height: 180, framesPerSecond: 10)

    let camera: Camera
    let node: String
    /// What every use asks for.
    let wanted: WantedFormat

    /// The camera that the catalogue shows for a node of this driver, counted from 0.
    init(driver: String, number: Int, wanted: WantedFormat = small) throws {
        self.wanted = wanted
        let cameras = CameraCatalogue(CameraScanner().scan(), builtIn: .never).cameras.filter { $0.driver == driver }
        camera = try #require(cameras.dropFirst(number).first)
        node = try #require(camera.node)
    }

    /// A session of its own: as after a restart of the service.
    ///
    /// Others may change the camera, so that faults can be injected, and emulation is fifty times slower than a machine.
    ///
    /// - Parameter pixelFormat: The only one that it may use; any where it is nil.
    /// - Returns: Not yet open.
    func session(in pixelFormat: PixelFormat? = nil) -> CameraSession {
        var configuration = V4L2Camera.Configuration(firstFrameMilliseconds: 20_000, leastMilliseconds: 10_000)
        configuration.locksSettings = false
        configuration.pixelFormats = pixelFormat.map { [$0] }
        return CameraSession(device: V4L2Camera(camera, path: node, configuration: configuration))
    }

    /// Takes photos.
    func photos(
        _ count: Int,
        in session: CameraSession? = nil,
        format: PhotoFormat? = nil,
        _ onFrame: @escaping OnFrame = { _ in }
    ) async -> Outcome {
        let number = Mutex(0)
        let taker = PhotoTaker(session: session ?? self.session(), camera: camera) {
            try onFrame(number.withLock { Self.next(&$0) })
        }
        var settings = CaptureSettings(camera: camera.id)
        (settings.width, settings.height) = (wanted.width, wanted.height)
        settings.count = count
        settings.format = format
        var outcome = Outcome()
        do {
            for photo in try await taker.takeAll(settings, requested: MonotonicTime.now()) {
                outcome.files.append(photo.bytes)
                outcome.pictures += 1
                outcome.lost += Int64(photo.facts.lostBefore)
            }
        } catch {
            outcome.error = error
        }
        outcome.ended = .now
        return outcome
    }

    /// Films until there are so many frames, and it may end.
    func film(
        _ count: Int,
        in session: CameraSession? = nil,
        mayEnd: @escaping @Sendable () -> Bool = { true },
        _ onFrame: @escaping OnFrame = { _ in }
    ) async -> Outcome {
        var outcome = Outcome()
        do {
            try await withTemporaryDirectory { folder in
                let film = FilmWriter(path: folder + "/film.mov")
                let stop = Latch()
                let recording = Recording(
                    id: "r",
                    camera: camera,
                    session: session ?? self.session(),
                    film: film,
                    stop: stop
                )
                let number = Mutex(0)
                let result = await recording.run(
                    wanted,
                    maximum: 300_000_000,
                    check: { try onFrame(number.withLock { Self.next(&$0) }) },
                    isGone: { false },
                    progress: { if $0.frames >= count, mayEnd() { stop.open() } }
                )
                outcome.ended = .now
                if case .broken(let error) = result.end { outcome.error = error }
                outcome.pictures = Int(await film.frames)
                outcome.lost = await film.dropped
                guard outcome.pictures > 0 else { return }
                _ = try await film.finish()
                outcome.files = [[UInt8](try Data(contentsOf: URL(filePath: folder + "/film.mov")))]
            }
        } catch {
            outcome.error = error
        }
        return outcome
    }

    /// Looks until so many frames of the camera have passed, seen or not, and it may end.
    func preview(
        _ count: Int,
        in session: CameraSession? = nil,
        mayEnd: @escaping @Sendable () -> Bool = { true },
        _ onFrame: @escaping OnFrame = { _ in }
    ) async -> Outcome {
        let preview = Preview(session: session ?? self.session())
        let viewer = await preview.join(PreviewWish(width: wanted.width, height: wanted.height), owner: .user(1))
        var outcome = Outcome()
        var passed: Int64 = 0
        do {
            while passed < count || !mayEnd() {
                try onFrame(outcome.pictures + 1)
                let delivery = try await preview.next(for: viewer)
                outcome.files.append(delivery.picture.jpeg.bytes)
                outcome.pictures += 1
                passed = delivery.frame.number + 1
            }
        } catch {
            outcome.error = error
        }
        outcome.ended = .now
        let counts = await preview.counts
        outcome.lost = Int64(counts.lost + counts.bad)
        await preview.leave(viewer)
        return outcome
    }

    private static func next(_ number: inout Int) -> Int {
        number += 1
        return number
    }

    /// Sets a control of the node, by the driver's name for it.
    static func set(_ name: String, to value: Int32, at node: String) throws {
        let device = try VideoDevice(path: node)
        let control = try #require(device.controls().first { $0.name == name }, "\(node) has no control \(name)")
        try device.set(control.identifier, to: value)
    }
}
