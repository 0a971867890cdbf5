import Cameras
import Consent
import Foundation
import MessageSchema
import Messaging
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
