private import Video4Linux

/// Names cameras so that replugging and renumbering do not change the name: by serial number, else by place.
///
/// `by-id` and `by-path` links of udev are no help: without a serial two cameras share one link, and containers have no
/// udev at all. Two webcams plugged in another order swap their node numbers (WendyOS issue 1853).
package enum CameraIdentity {
    /// An identity for each node, in order; all different.
    package static func identities(of nodes: [NodeFacts]) -> [String] {
        // A serial that two present devices share names neither of them.
        var devicesOfSerial: [String: Set<String>] = [:]
        for node in nodes {
            guard let usb = node.usb, !usb.serial.isEmpty else { continue }
            devicesOfSerial[model(usb) + usb.serial, default: []].insert(usb.controller + "/" + usb.ports)
        }
        var used: [String: Int] = [:]
        return nodes.map { node in
            var name: String
            if let usb = node.usb {
                let isUnique = devicesOfSerial[model(usb) + usb.serial]?.count == 1
                let place = "port-\(usb.controller)-\(usb.ports)"
                name = "usb-\(model(usb))-" + (isUnique ? usb.serial : place)
                if node.index > 0 { name += "-index\(node.index)" }
            } else if case .success(let opened) = node.opened, !opened.capabilities.busInfo.isEmpty {
                name = opened.capabilities.busInfo
            } else if let known = node.knownBusInfo, !known.isEmpty {
                name = known
            } else {
                name = node.devicePath
            }
            name = spelled(name)
            // Several capture nodes of one device, in the order of their places.
            let count = used[name, default: 0]
            used[name] = count + 1
            return count == 0 ? name : "\(name)-\(count + 1)"
        }
    }

    private static func model(_ usb: NodeFacts.USB) -> String { "\(usb.vendor)-\(usb.product)" }

    /// Letters, digits, dots and hyphens, at most 100: an identity is part of `camera/<id>`, a command line and a URL.
    private static func spelled(_ name: String) -> String {
        let bytes = name.utf8.prefix(100).map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: byte
            default: 0x2D
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
