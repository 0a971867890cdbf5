import Cameras
import Consent
import Foundation
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct CameraShelfTests {
    /// A shelf of a machine with one node, which can not be opened.
    private static func shelf(_ root: String, errorNumber: Int32) throws -> CameraShelf {
        try FileManager.default.createDirectory(
            atPath: root + "/sys/class/video4linux/video7",
            withIntermediateDirectories: true
        )
        let scanner = CameraScanner(devices: root, sysfs: root + "/sys", procfs: root + "/proc") { _ in
            .failure(VideoError(operation: "open", errorNumber: errorNumber))
        }
        return CameraShelf(scanner: scanner, builtIn: .auto, positions: [:])
    }

    @Test(arguments: ["", "back", "front", "external"])
    func `a camera that the service may not open is told so, with its node`(name: String) async throws {
        try await withTemporaryDirectory { root in
            let shelf = try Self.shelf(root, errorNumber: 13)
            let error = await #expect(throws: ErrorReply.self) { _ = try await shelf.camera(name) }
            #expect(error?.code == .cameraDenied)
            #expect(error?.reason?.contains("/video7") == true)
            let other = await #expect(throws: ErrorReply.self) { _ = try await shelf.camera("usb-of-nobody") }
            #expect(other?.code == .cameraAbsent)
        }
    }

    @Test func `a node that is not there leaves the built-in camera to be the usual one`() async throws {
        try await withTemporaryDirectory { root in
            let shelf = try Self.shelf(root, errorNumber: 2)
            #expect(try await shelf.camera("").id == "pattern-back")
        }
    }

    private static func works(_ bus: String) -> Result<NodeFacts.Opened, VideoError> {
        let format = VideoFormatDescription(
            pixelFormat: .yuyv,
            text: "YUYV 4:2:2",
            isCompressed: false,
            isEmulated: false,
            sizes: [VideoSizes(width: 640, height: 480, intervals: .unknown)]
        )
        let capabilities = VideoCapabilities(
            driver: "test",
            card: "Test",
            busInfo: bus,
            capabilities: 0x8420_0001,
            deviceCapabilities: 0x0420_0001
        )
        return .success(NodeFacts.Opened(capabilities: capabilities, formats: [format]))
    }

    @Test func `a camera that is found again by its identity has its new node, and so has its session`() async throws {
        try await withTemporaryDirectory { root in
            for node in ["video0", "video1"] {
                try FileManager.default.createDirectory(
                    atPath: root + "/sys/class/video4linux/" + node,
                    withIntermediateDirectories: true
                )
            }
            let order = Mutex(["platform:a", "platform:b"])
            let scanner = CameraScanner(devices: root, sysfs: root + "/sys", procfs: root + "/proc") { node in
                Self.works(order.withLock { $0[node.hasSuffix("video0") ? 0 : 1] })
            }
            let opened = Mutex<[String]>([])
            let shelf = CameraShelf(
                scanner: scanner,
                builtIn: .never,
                positions: [:],
                device: { camera in
                    opened.withLock { $0.append(camera.node ?? "") }
                    return ScriptedCamera()
                },
                freshness: .zero
            )
            let named = try await shelf.camera("platform-a")
            #expect(named.node?.hasSuffix("video0") == true)
            _ = await shelf.session(of: named)
            // While the person is asked both are plugged in anew, the other way round.
            order.withLock { $0.reverse() }
            let camera = try await shelf.camera(again: named)
            #expect(camera.id == named.id && camera.node?.hasSuffix("video1") == true)
            _ = await shelf.session(of: camera)
            #expect(opened.withLock { $0 } == [named.node, camera.node].compactMap(\.self))
            #expect(await !shelf.showsBuiltIn)
        }
    }

    @Test func `a camera that was found a moment ago is not looked for again`() async throws {
        let looks = Mutex(0)
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(
                atPath: root + "/sys/class/video4linux/video0",
                withIntermediateDirectories: true
            )
            let scanner = CameraScanner(devices: root, sysfs: root + "/sys", procfs: root + "/proc") { _ in
                looks.withLock { $0 += 1 }
                return Self.works("platform:a")
            }
            // An hour, so that a slow machine changes nothing.
            let shelf = CameraShelf(scanner: scanner, builtIn: .never, positions: [:], freshness: .seconds(3600))
            let named = try await shelf.camera("")
            let before = looks.withLock { $0 }
            #expect(before > 0)
            #expect(try await shelf.camera(again: named) == named)
            #expect(looks.withLock { $0 } == before)
        }
    }

    @Test func `a file camera is the usual one where there is no other, and its pictures are seen live`() async throws {
        try await withTemporaryDirectory { root in
            let folder = root + "/pictures"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            for index in 0..<8 {
                try Data(try Frames.jpeg(index, at: 0).bytes).write(to: URL(filePath: "\(folder)/\(index).jpg"))
            }
            let scanner = CameraScanner(devices: root, sysfs: root + "/sys", procfs: root + "/proc") { _ in
                .failure(VideoError(operation: "open", errorNumber: 2))
            }
            let shelf = CameraShelf(
                scanner: scanner,
                builtIn: .auto,
                positions: [:],
                files: FileCameras(folder + "@100")
            )
            let camera = try await shelf.camera("")
            #expect(camera.id == "file-pictures")
            let preview = await shelf.preview(of: camera)
            let viewer = await preview.join(PreviewWish(), owner: .user(1000))
            let first = try await preview.next(for: viewer)
            let second = try await preview.next(for: viewer)
            await preview.leave(viewer)
            #expect(second.frame.number > first.frame.number)
            for seen in [first, second] {
                #expect(try Frames.index(in: seen.picture.jpeg.bytes) == Int(seen.frame.number) % 8)
            }
        }
    }
}
