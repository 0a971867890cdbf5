import CLinux
import Files
import Glibc
import Testing

@testable import HotPlug

/// The other end of a socket of devices' events, in the hand of a test.
final class Mouth: Sendable {
    private let descriptor: FileDescriptor
    private let otherEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe clinux_packet_pair(&ends) == 0)
        descriptor = FileDescriptor(adopting: ends[0])
        otherEnd = ends[1]
    }

    /// The socket that hears it; there is only one.
    func socket(isTrusted: Bool = true) -> DeviceEventSocket {
        DeviceEventSocket(adopting: FileDescriptor(adopting: otherEnd)) { _ in isTrusted }
    }

    func say(_ message: [UInt8]) throws {
        let count = try descriptor.write(message[...])
        #expect(count == message.count)
    }
}

/// Real multicast on NETLINK_KOBJECT_UEVENT, in a group that neither the kernel nor udev uses.
enum SpareGroup {
    static let group: UInt32 = 1 << 29

    /// Whether this process may speak to groups: it takes CAP_NET_ADMIN.
    static let isAllowed: Bool = {
        guard let speaker = try? speaker() else { return false }
        return unsafe [UInt8](repeating: 0, count: 1).withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return unsafe clinux_send_device_event(speaker.rawValue, group, start, bytes.count) == 0 || errno == ESRCH
        }
    }()

    static func speaker() throws -> FileDescriptor {
        let number = clinux_device_event_socket(0, 0)
        try #require(number >= 0)
        return FileDescriptor(adopting: number)
    }

    static func listener(room: Int32 = 1 << 20) throws -> FileDescriptor {
        let number = clinux_device_event_socket(group, room)
        try #require(number >= 0)
        return FileDescriptor(adopting: number)
    }

    static func say(_ message: [UInt8], through speaker: borrowing FileDescriptor) {
        unsafe message.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            // ENOBUFS tells that a listener has lost it, which is what one test wants.
            _ = unsafe clinux_send_device_event(speaker.rawValue, group, start, bytes.count)
        }
    }
}
