/// Messages as they come on a NETLINK_KOBJECT_UEVENT socket.
enum Samples {
    /// What the kernel says; the nodes' names are relative to `/dev`.
    static func kernel(_ action: String, _ node: String, subsystem: String = "video4linux") -> [UInt8] {
        let path = "/devices/platform/vivid.0/\(subsystem)/\(node)"
        return bytes(["\(action)@\(path)"] + properties(action, path, subsystem, node))
    }

    /// What udevd says: its header of 40 bytes, then the properties, the node's name with `/dev`.
    static func udev(_ action: String, _ node: String, subsystem: String = "video4linux") -> [UInt8] {
        let path = "/devices/platform/vivid.0/\(subsystem)/\(node)"
        let list = bytes(properties(action, path, subsystem, "/dev/" + node) + ["USEC_INITIALIZED=5"])
        return header(count: list.count) + list
    }

    static func header(start: UInt32 = 40, count: Int, magic: [UInt8] = [0xFE, 0xED, 0xCA, 0xFE]) -> [UInt8] {
        Array("libudev\0".utf8) + magic + native(40) + native(start) + native(UInt32(count))
            + [UInt8](repeating: 0, count: 16)
    }

    /// One record of inotify(7).
    static func record(mask: UInt32, name: String, length: Int) -> [UInt8] {
        let name = Array(name.utf8) + [UInt8](repeating: 0, count: max(0, length - name.utf8.count))
        return native(1) + native(mask) + native(0) + native(UInt32(length)) + name
    }

    static func native(_ number: UInt32) -> [UInt8] {
        let number = number.littleEndian
        return (0..<4).map { UInt8(truncatingIfNeeded: UInt32(littleEndian: number) >> (8 * $0)) }
    }

    private static func properties(_ action: String, _ path: String, _ subsystem: String, _ name: String) -> [String] {
        [
            "ACTION=\(action)", "DEVPATH=\(path)", "SUBSYSTEM=\(subsystem)", "MAJOR=81", "MINOR=0", "DEVNAME=\(name)",
            "SEQNUM=1234",
        ]
    }

    private static func bytes(_ texts: [String]) -> [UInt8] { texts.flatMap { Array($0.utf8) + [0] } }
}
