import Files
import Glibc
import TestSupport
import Testing

@testable import HotPlug

@Suite("The socket of devices' events", .timeLimit(.minutes(1)))
struct DeviceEventSocketTests {
    private static let event = DeviceEvent(
        .add,
        "video4linux",
        path: "/devices/platform/vivid.0/video4linux/video0",
        node: "video0",
        sequence: 1234
    )

    @Test func `messages come one by one, and nothing is waited for`() throws {
        let mouth = try Mouth()
        let socket = mouth.socket()
        #expect(socket.receive() == .nothing)
        try mouth.say(Samples.kernel("add", "video0"))
        try mouth.say([1, 2, 3])
        #expect(socket.receive() == .event(Self.event))
        #expect(socket.receive() == .nonsense)
        #expect(socket.receive() == .nothing)
    }

    @Test func `a message of somebody else is not believed`() throws {
        let mouth = try Mouth()
        let socket = mouth.socket(isTrusted: false)
        try mouth.say(Samples.kernel("add", "video0"))
        #expect(socket.receive() == .nonsense)
    }

    @Test func `a message that is longer than any is a loss`() throws {
        let mouth = try Mouth()
        let socket = mouth.socket()
        try mouth.say(Samples.kernel("add", "video0") + [UInt8](repeating: 65, count: 20_000))
        #expect(socket.receive() == .overflow)
    }

    @Test(
        arguments: [
            (true, 0, 1, nil, true), (true, 0, 1, 65_534, true), (true, 0, 2, 0, false), (true, 7, 1, 0, false),
            (true, 7, 2, 0, true), (true, 7, 2, 1000, false), (true, 7, 2, 65_534, false), (true, 7, 2, nil, false),
            (true, 7, 0, 0, false), (true, 0, 0, 0, false), (true, 7, 3, 0, false), (false, 0, 1, 0, false),
        ] as [(Bool, UInt32, UInt32, UInt32?, Bool)]
    )
    func `only the kernel in its group and root in udev's are believed`(
        isNetlink: Bool,
        port: UInt32,
        groups: UInt32,
        user: UInt32?,
        isTrusted: Bool
    ) {
        let sender = DeviceEventSocket.Sender(isNetlink: isNetlink, port: port, groups: groups, user: user)
        #expect(sender.isTrusted == isTrusted)
    }

    @Test(.enabled(if: SpareGroup.isAllowed))
    func `netlink says who speaks, and to which group`() throws {
        let speaker = try SpareGroup.speaker()
        let heard = try SpareGroup.listener()
        let wanted = getuid()
        let socket = DeviceEventSocket(adopting: heard) { sender in
            sender.isNetlink && sender.port != 0 && sender.groups == SpareGroup.group && sender.user == wanted
                && !sender.isTrusted
        }
        SpareGroup.say(Samples.kernel("add", "video0"), through: speaker)
        #expect(socket.receive() == .event(Self.event))
        #expect(socket.receive() == .nothing)
    }

    @Test(.enabled(if: SpareGroup.isAllowed))
    func `messages that netlink has no room for are a loss, and those after it are heard`() throws {
        let speaker = try SpareGroup.speaker()
        let socket = DeviceEventSocket(adopting: try SpareGroup.listener(room: 1)) { _ in true }
        for _ in 0..<1_000 { SpareGroup.say(Samples.kernel("add", "video0"), through: speaker) }
        var received: [DeviceEventSocket.Received] = []
        while received.last != .nothing { received.append(socket.receive()) }
        #expect(received.filter { $0 == .overflow }.count == 1)
        #expect(received.count < 1_000)
        SpareGroup.say(Samples.kernel("add", "video0"), through: speaker)
        #expect(socket.receive() == .event(Self.event))
    }
}
