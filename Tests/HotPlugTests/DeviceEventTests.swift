import TestSupport
import Testing

@testable import HotPlug

@Suite("What devices' messages mean", .tags(.unit), .timeLimit(.minutes(1)))
struct DeviceEventTests {
    private static let path = "/devices/platform/vivid.0/video4linux/video0"

    @Test(arguments: DeviceEvent.Action.allCases.filter { $0 != .other })
    func `the kernel and udev say the same in their own forms`(action: DeviceEvent.Action) {
        let kernel = DeviceEvent(message: Samples.kernel(action.rawValue, "video0"))
        #expect(kernel == DeviceEvent(action, "video4linux", path: Self.path, node: "video0", sequence: 1234))
        let udev = DeviceEvent(message: Samples.udev(action.rawValue, "video0"))
        let wanted = DeviceEvent(action, "video4linux", path: Self.path, node: "video0", sequence: 1234, origin: .udev)
        #expect(udev == wanted)
    }

    @Test func `an action of a later kernel is understood as another one`() {
        #expect(DeviceEvent(message: Samples.kernel("levitate", "video0"))?.action == .other)
    }

    @Test(arguments: [
        "", "add", "add@", "@/devices/x\0ACTION=add\0", "add@devices\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=y\0",
        "add@/devices/x\0", "add@/x\0ACTION=add\0DEVPATH=/x\0", "add@/x\0ACTION=add\0SUBSYSTEM=y\0",
        "add@/x\0DEVPATH=/x\0SUBSYSTEM=y\0", "add@/x\0ACTION=add\0DEVPATH=x\0SUBSYSTEM=y\0",
        "add@/x\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=\0", "add@/x ACTION=add",
    ])
    func `what is no message is nothing`(text: String) {
        #expect(DeviceEvent(message: Array(text.utf8)) == nil)
    }

    @Test func `an event without a node, or with an impossible one, has none`() {
        let text = "add@/x\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=leds\0"
        #expect(DeviceEvent(message: Array(text.utf8))?.node == nil)
        #expect(DeviceEvent(message: Array((text + "DEVNAME=\0").utf8))?.node == nil)
        #expect(DeviceEvent(message: Array((text + "DEVNAME=/etc/passwd\0").utf8))?.node == nil)
    }

    @Test func `a header of udev that points outside the message, or of another magic, is refused`() {
        let list = Array(Samples.udev("add", "video0").dropFirst(40))
        #expect(DeviceEvent(message: Samples.header(count: list.count) + list) != nil)
        #expect(DeviceEvent(message: Samples.header(count: list.count + 1) + list) == nil)
        #expect(DeviceEvent(message: Samples.header(count: Int(UInt32.max)) + list) == nil)
        #expect(DeviceEvent(message: Samples.header(start: 41, count: list.count) + list) == nil)
        #expect(DeviceEvent(message: Samples.header(start: .max, count: list.count) + list) == nil)
        #expect(DeviceEvent(message: Samples.header(start: 8, count: list.count) + list) == nil)
        #expect(DeviceEvent(message: Samples.header(count: list.count, magic: [0xFE, 0xCA, 0xED, 0xFE]) + list) == nil)
    }

    @Test func `no cut and no changed byte makes more of a message than an event or nothing`() {
        var random = SystemRandomNumberGenerator()
        for message in [Samples.kernel("add", "video0"), Samples.udev("remove", "v4l-subdev3")] {
            for end in 0...message.count { check(Array(message.prefix(end))) }
            for _ in 0..<20_000 {
                var changed = message
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<changed.count, using: &random)
                    changed[place] = UInt8.random(in: 0...255, using: &random)
                }
                check(changed)
            }
        }
    }

    private func check(_ bytes: [UInt8]) {
        guard let event = DeviceEvent(message: bytes) else { return }
        #expect(event.path.hasPrefix("/"))
        #expect(!event.subsystem.isEmpty)
        #expect(event.node.map { !$0.isEmpty && !$0.hasPrefix("/") } ?? true)
    }
}

@Suite("What inotify's records mean", .tags(.unit), .timeLimit(.minutes(1)))
struct FolderChangeTests {
    @Test func `entries, overflows and the folder's own end are told apart`() {
        let bytes =
            Samples.record(mask: 0x100, name: "video0", length: 16) + Samples.record(mask: 0x4, name: "", length: 0)
            + Samples.record(mask: 0x20, name: "opened", length: 16)
            + Samples.record(mask: 0x4000, name: "", length: 0) + Samples.record(mask: 0x8000, name: "", length: 0)
        #expect(
            FolderChange.all(in: bytes) == [
                FolderChange(kind: .entry, name: "video0"), FolderChange(kind: .entry, name: ""),
                FolderChange(kind: .overflow, name: ""), FolderChange(kind: .gone, name: ""),
            ]
        )
    }

    @Test func `records that are cut or lie about their length end the list`() {
        let whole = Samples.record(mask: 0x100, name: "video0", length: 16)
        let liar = Samples.record(mask: 0x100, name: "x", length: 16).prefix(16) + Samples.native(0)
        for end in 0..<whole.count { #expect(FolderChange.all(in: whole + whole.prefix(end)).count == 1) }
        #expect(FolderChange.all(in: Array(liar)).isEmpty)
        #expect(
            FolderChange.all(in: Samples.native(1) + Samples.native(0x100) + Samples.native(0) + Samples.native(.max))
                .isEmpty
        )
    }
}
