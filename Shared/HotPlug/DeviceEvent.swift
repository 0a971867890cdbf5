/// That a device came, went or changed, as the kernel or udev says it; a value.
///
/// Two forms are understood, and whatever else comes is nil:
/// - the kernel's (lib/kobject_uevent.c): `ACTION@DEVPATH`, then `KEY=VALUE`, each ended by a zero byte;
/// - udev's (systemd, src/libsystemd/sd-device/device-monitor.c): a header that begins with `libudev` and the magic number
///   0xfeedcafe, in which offset and length of the same `KEY=VALUE` list stand in the machine's own byte order.
package struct DeviceEvent: Hashable, Sendable {
    /// Who speaks: the kernel at once, udev when it has set permissions and made its links.
    package enum Origin: String, Hashable, Sendable, CaseIterable {
        case kernel, udev
    }

    /// What happened (`enum kobject_action`); words that come later are understood as `other`.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        case add, remove, change, move, online, offline, bind, unbind, other
    }

    package let origin: Origin
    package let action: Action
    /// Such as `video4linux`.
    package let subsystem: String
    /// The device's folder below `/sys`, such as `/devices/platform/vivid.0/video4linux/video0`.
    package let path: String
    /// The node's name below `/dev`, such as `video0`; nil for a device without one.
    package let node: String?
    /// The kernel's number of the event; both speakers say the same one.
    package let sequence: UInt64?

    /// An event with all its parts.
    package init(
        _ action: Action,
        _ subsystem: String,
        path: String,
        node: String? = nil,
        sequence: UInt64? = nil,
        origin: Origin = .kernel
    ) {
        self.origin = origin
        self.action = action
        self.subsystem = subsystem
        self.path = path
        self.node = node
        self.sequence = sequence
    }

    /// Understands a message of NETLINK_KOBJECT_UEVENT; nil for what is none, whatever the bytes are.
    package init?(message: some RandomAccessCollection<UInt8>) {
        let bytes = Array(message)
        let origin: Origin
        let list: ArraySlice<UInt8>
        if let properties = Self.propertiesOfUdev(bytes) {
            (origin, list) = (.udev, properties)
        } else if let properties = Self.propertiesOfKernel(bytes) {
            (origin, list) = (.kernel, properties)
        } else {
            return nil
        }
        var action: Action?
        var subsystem: String?
        var path: String?
        var node: String?
        var sequence: UInt64?
        for entry in list.split(separator: 0) {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = String(decoding: entry[entry.index(after: equals)...], as: UTF8.self)
            switch String(decoding: entry[..<equals], as: UTF8.self) {
            case "ACTION": action = Action(rawValue: value) ?? .other
            case "SUBSYSTEM": subsystem = value
            case "DEVPATH": path = value
            case "DEVNAME": node = Self.name(ofNode: value)
            case "SEQNUM": sequence = UInt64(value)
            default: break
            }
        }
        guard let action, let subsystem, !subsystem.isEmpty, let path, path.hasPrefix("/") else { return nil }
        self.init(action, subsystem, path: path, node: node, sequence: sequence, origin: origin)
    }

    /// What follows `ACTION@DEVPATH`, where the message begins with that.
    private static func propertiesOfKernel(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard let end = bytes.firstIndex(of: 0), let at = bytes[..<end].firstIndex(of: UInt8(ascii: "@")), at > 0,
            at + 1 < end, bytes[at + 1] == UInt8(ascii: "/")
        else { return nil }
        return bytes[(end + 1)...]
    }

    /// The list that udev's header names.
    private static func propertiesOfUdev(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        // prefix[8], magic, header_size, properties_off, properties_len.
        guard bytes.count >= 24, bytes.starts(with: Array("libudev\0".utf8)),
            bytes[8..<12].elementsEqual([0xFE, 0xED, 0xCA, 0xFE])
        else { return nil }
        let start = Int(number(bytes, at: 16))
        let count = Int(number(bytes, at: 20))
        guard start >= 24, start <= bytes.count, count <= bytes.count - start else { return nil }
        return bytes[start..<start + count]
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        let value = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
        return UInt32(littleEndian: value)
    }

    /// The kernel names a node relative to `/dev`, udev with it.
    private static func name(ofNode value: String) -> String? {
        let name = value.hasPrefix("/dev/") ? String(value.dropFirst(5)) : value
        return name.isEmpty || name.hasPrefix("/") ? nil : name
    }
}
