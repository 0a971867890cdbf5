import Glibc
import Testing

@testable import Video4Linux

/// Every answer of VIDIOC_EXPBUF, without a device.
@Suite(.timeLimit(.minutes(1)))
struct ExportedBuffersTests {
    /// Makes descriptors, until one fails.
    private final class Driver {
        private(set) var asked: [[UInt32]] = []
        private(set) var made: [Int32] = []
        let failure: (index: Int, errorNumber: Int32)?

        init(failure: (Int, Int32)? = nil) { self.failure = failure }

        func export(_ buffer: UInt32, _ area: UInt32) -> Int32 {
            asked.append([buffer, area])
            if let failure, failure.index == asked.count - 1 { return -failure.errorNumber }
            let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            made.append(descriptor)
            return descriptor
        }

        var isAnyOpen: Bool { made.contains { fcntl($0, F_GETFD) >= 0 } }
    }

    @Test(arguments: [1, 2, 3])
    func `each area of each buffer has a descriptor, and all are closed with the value`(areas: Int) throws {
        let driver = Driver()
        do {
            let exported = try ExportedBuffers(count: 4, areas: areas, export: driver.export)
            #expect(driver.asked == (0..<4).flatMap { buffer in (0..<areas).map { [UInt32(buffer), UInt32($0)] } })
            let last = exported.descriptor(of: 3, area: areas - 1)
            #expect(last == driver.made.last)
            #expect(driver.made.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
        }
        #expect(!driver.isAnyOpen)
    }

    static let failures: [(Int32, VideoError.Code)] = [
        (ENOTTY, .notSupported), (EINVAL, .notSupported), (ENODEV, .absent), (EMFILE, .fault), (ENOMEM, .fault),
    ]

    @Test(arguments: failures, [0, 1, 3])
    func `one that can not be exported says why, and none stays open`(
        failure: (errorNumber: Int32, code: VideoError.Code),
        index: Int
    ) {
        let driver = Driver(failure: (index, failure.errorNumber))
        do throws(VideoError) {
            _ = try ExportedBuffers(count: 4, areas: 1, export: driver.export)
            Issue.record("it is exported")
        } catch {
            #expect(error.code == failure.code && error.errorNumber == failure.errorNumber)
            #expect(error.operation == "VIDIOC_EXPBUF")
        }
        #expect(driver.made.count == index && !driver.isAnyOpen)
    }
}
