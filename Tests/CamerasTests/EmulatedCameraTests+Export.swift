import Cameras
import Foundation
import Glibc
import MessageSchema
import TestSupport
import Testing
import Video4Linux

extension EmulatedCameraTests {
    /// DMABUF export, and a process that is held; after one another with the others, which use the same cameras.
    @Suite struct Sharing {
        /// What a frame and its descriptor have to say of each other.
        private struct Seen {
            var isShared = false
            var isSame = false
            var descriptor: Int32 = -1
            /// One that the test owns.
            var duplicate: Int32 = -1
        }

        private static func camera() throws -> VideoDevice {
            let cameras = CameraCatalogue(CameraScanner().scan(), builtIn: .never).cameras
            var device = try VideoDevice(path: try #require(cameras.first?.node))
            _ = try device.setFormat(
                .yuyv,
                width: 320,
                height: 180,
                interval: FrameInterval(numerator: 1, denominator: 10)
            )
            return device
        }

        /// The next frame, compared with what is seen through its descriptor.
        private static func next(_ device: inout VideoDevice) throws -> Seen {
            while true {
                let seen = try device.withNextSharedFrame { bytes, _, shared -> Seen in
                    guard let shared else { return Seen() }
                    var seen = Seen(isShared: true, descriptor: shared.descriptor)
                    let length = shared.offset + shared.byteCount
                    guard let memory = unsafe mmap(nil, length, PROT_READ, MAP_SHARED, shared.descriptor, 0),
                        unsafe memory != MAP_FAILED
                    else { return seen }
                    let through = unsafe UnsafeRawBufferPointer(start: memory + shared.offset, count: shared.byteCount)
                    seen.isSame = unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(through) }
                    unsafe munmap(memory, length)
                    seen.duplicate = fcntl(shared.descriptor, F_DUPFD_CLOEXEC, 0)
                    return seen
                }
                if let seen { return seen }
                var item = pollfd(fd: device.pollDescriptor, events: Int16(POLLIN), revents: 0)
                #expect(unsafe poll(&item, 1, 20_000) == 1)
            }
        }

        private static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

        @Test func `an exported descriptor shows the bytes of its buffer, and is closed when streaming stops`() throws {
            var device = try Self.camera()
            try device.startStreaming()
            #expect(try !Self.next(&device).isShared)
            do throws(VideoError) {
                try device.exportBuffers()
            } catch {
                // Two areas that are joined, on the multi-planar node, are not exported; these frames are of one.
                Issue.record(error)
                return
            }
            var descriptors: Set<Int32> = []
            for _ in 0..<6 {
                let seen = try Self.next(&device)
                #expect(seen.isShared && seen.isSame)
                descriptors.insert(seen.descriptor)
                close(seen.duplicate)
            }
            #expect(descriptors.count > 1)
            device.stopStreaming()
            #expect(!descriptors.contains(where: Self.isOpen))
            // The buffers were released: the format can be set, which a queue with buffers refuses.
            _ = try device.setFormat(.yuyv, width: 320, height: 180)
            try device.startStreaming()
            #expect(try !Self.next(&device).isShared)
        }

        @Test func `a duplicate that somebody keeps outlives the queue, and does not keep the camera`() throws {
            var device = try Self.camera()
            try device.startStreaming()
            try device.exportBuffers()
            let seen = try Self.next(&device)
            try #require(seen.duplicate >= 0)
            defer { close(seen.duplicate) }
            device.stopStreaming()
            #expect(!Self.isOpen(seen.descriptor))
            let memory = unsafe mmap(nil, 320 * 180 * 2, PROT_READ, MAP_SHARED, seen.duplicate, 0)
            #expect(unsafe memory != MAP_FAILED)
            // The kernel's buffers can be orphaned; streaming begins anew with others.
            try device.startStreaming()
            try device.exportBuffers()
            #expect(try Self.next(&device).isSame)
            if let memory = unsafe memory, unsafe memory != MAP_FAILED { unsafe munmap(memory, 320 * 180 * 2) }
        }

        @Test func `descriptors are closed with a device that is dropped while it streams`() throws {
            var descriptor: Int32 = -1
            do {
                var device = try Self.camera()
                try device.startStreaming()
                try device.exportBuffers()
                let seen = try Self.next(&device)
                descriptor = seen.descriptor
                close(seen.duplicate)
                #expect(Self.isOpen(descriptor))
            }
            #expect(!Self.isOpen(descriptor))
            // Nobody has the camera any more.
            var again = try Self.camera()
            try again.startStreaming()
        }

        @Test func `a picture of several areas is not exported, and streams on`() throws {
            let cameras = CameraCatalogue(CameraScanner().scan(), builtIn: .never).cameras
            var device = try VideoDevice(path: try #require(cameras.first?.node))
            guard device.formats().contains(where: { $0.pixelFormat == "NM12" }) else {
                try Test.cancel("the single-planar interface has no such format")
            }
            _ = try device.setFormat("NM12", width: 320, height: 180)
            try device.startStreaming()
            do throws(VideoError) {
                try device.exportBuffers()
                Issue.record("it is exported")
            } catch {
                #expect(error.code == .notSupported && error.operation == "VIDIOC_EXPBUF")
            }
            #expect(try !Self.next(&device).isShared)
        }

        /// A process that was held for longer than a camera may be silent finds its frames, and does not start the camera anew.
        @Test func `a camera is not called silent by a process that did not run`() async throws {
            let found = try #require(CameraCatalogue(CameraScanner().scan(), builtIn: .never).cameras.first)
            var configuration = V4L2Camera.Configuration(firstFrameMilliseconds: 20_000, leastMilliseconds: 2_000)
            // The first restart is one too many.
            configuration.restarts = 0
            let camera = V4L2Camera(found, path: try #require(found.node), configuration: configuration)
            _ = try await camera.open(WantedFormat(width: 320, height: 180, framesPerSecond: 10))
            for _ in 0..<3 { _ = try await camera.nextFrame() }
            // Stops this process, and lets it go on after three seconds.
            let other = Process()
            other.executableURL = URL(filePath: "/bin/sh")
            other.arguments = ["-c", "kill -STOP $PPID; sleep 3; kill -CONT $PPID"]
            try other.run()
            // Waits for frames while it is held, wherever in the wait that is.
            for _ in 0..<12 { _ = try await camera.nextFrame() }
            other.waitUntilExit()
            for _ in 0..<3 { _ = try await camera.nextFrame() }
            await camera.close()
        }
    }
}
