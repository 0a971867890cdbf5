private import CLinux
package import Files
private import Glibc

/// A socket on which the kernel and udev tell of devices, owned; it never waits.
package struct DeviceEventSocket: ~Copyable, Sendable {
    /// Who sent a message, as the kernel vouches for it.
    package struct Sender: Hashable, Sendable {
        package var isNetlink: Bool
        /// The sender's address; 0 is the kernel.
        package var port: UInt32
        /// The multicast groups to which it was sent.
        package var groups: UInt32
        /// The user that sent it; nil where nobody vouches for one.
        package var user: UInt32?

        /// A sender with all its parts.
        package init(isNetlink: Bool, port: UInt32, groups: UInt32, user: UInt32?) {
            self.isNetlink = isNetlink
            self.port = port
            self.groups = groups
            self.user = user
        }

        /// Whether it is the kernel in its group, or root in udev's.
        ///
        /// Anybody may send to a netlink socket itself, and whoever may configure the network to its groups.
        package var isTrusted: Bool {
            isNetlink && (groups == Group.kernel && port == 0 || groups == Group.udev && port != 0 && user == 0)
        }
    }

    /// Multicast groups of NETLINK_KOBJECT_UEVENT, a bit each.
    package enum Group {
        package static let kernel: UInt32 = 1
        /// Nobody sends there on a machine without udevd, as in most containers.
        package static let udev: UInt32 = 2
    }

    enum Received: Hashable, Sendable {
        case event(DeviceEvent)
        /// From somebody else, or of no form that is known.
        case nonsense
        /// Messages were lost.
        case overflow
        /// There is no message now.
        case nothing
        /// The socket can not be read any more.
        case failed(Int32)
    }

    /// Bytes of the longest message: the kernel's have 2 KiB of properties at most, udev's 8 KiB.
    private static let messageLimit = 16 << 10
    /// Bytes of messages that wait: some thousand, as many as a whole machine's devices make at once.
    private static let room: Int32 = 2 << 20

    private let descriptor: FileDescriptor
    private let trusts: @Sendable (Sender) -> Bool

    /// The machine's own: the kernel's group and udev's.
    ///
    /// - Throws: `FilesError`: kernels can be built without netlink, and sandboxes forbid it.
    package init() throws(FilesError) {
        let number = clinux_device_event_socket(Group.kernel | Group.udev, Self.room)
        guard number >= 0 else { throw FilesError(errorNumber: errno, operation: "netlink") }
        self.init(adopting: FileDescriptor(adopting: number)) { $0.isTrusted }
    }

    /// A socket of one's own making that carries whole messages.
    package init(adopting descriptor: consuming FileDescriptor, trusting trusts: @escaping @Sendable (Sender) -> Bool) {
        self.descriptor = descriptor
        self.trusts = trusts
    }

    var pollDescriptor: Int32 { descriptor.rawValue }

    /// Takes one message.
    borrowing func receive() -> Received {
        var sender = clinux_sender()
        var isCut: Int32 = 0
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.messageLimit) { buffer, filled in
            filled = 0
            guard let start = buffer.baseAddress else { return }
            count = unsafe clinux_receive_device_event(descriptor.rawValue, start, buffer.count, &sender, &isCut)
            filled = max(0, min(count, buffer.count))
        }
        guard count >= 0 else {
            return switch Int32(-count) {
            case EAGAIN: .nothing
            case ENOBUFS: .overflow
            case let number: .failed(number)
            }
        }
        let from = Sender(
            isNetlink: sender.is_netlink != 0,
            port: sender.port,
            groups: sender.groups,
            user: UInt32(exactly: sender.user)
        )
        guard trusts(from) else { return .nonsense }
        if isCut != 0 { return .overflow }
        return DeviceEvent(message: bytes).map { .event($0) } ?? .nonsense
    }
}
