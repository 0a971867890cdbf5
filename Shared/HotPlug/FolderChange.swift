/// A change in a folder that is watched with inotify(7); a value.
struct FolderChange: Hashable, Sendable {
    /// What it tells.
    enum Kind: Hashable, Sendable {
        /// An entry came, went, was renamed, or its owner or mode changed.
        case entry
        /// Changes were lost (IN_Q_OVERFLOW).
        case overflow
        /// The folder itself went, and is watched no more (IN_DELETE_SELF, IN_MOVE_SELF, IN_UNMOUNT, IN_IGNORED).
        case gone
    }

    let kind: Kind
    /// The entry's name; empty for what concerns the folder.
    let name: String

    /// The changes in what read(2) gave, in order; bytes that make no whole record end the list.
    ///
    /// A record is `wd`, `mask`, `cookie`, `len` of four bytes each in the machine's order, and the name in `len` bytes,
    /// filled up with zeros.
    static func all(in bytes: [UInt8]) -> [FolderChange] {
        var found: [FolderChange] = []
        var rest = bytes[...]
        while rest.count >= 16 {
            let mask = number(rest, 4)
            let length = Int(number(rest, 12))
            guard length <= rest.count - 16 else { break }
            let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
            rest = rest.dropFirst(16 + length)
            if let kind = kind(mask) {
                found.append(FolderChange(kind: kind, name: String(decoding: name, as: UTF8.self)))
            }
        }
        return found
    }

    private static func kind(_ mask: UInt32) -> Kind? {
        // IN_Q_OVERFLOW.
        if mask & 0x4000 != 0 { return .overflow }
        // IN_DELETE_SELF, IN_MOVE_SELF, IN_UNMOUNT, IN_IGNORED.
        if mask & (0x400 | 0x800 | 0x2000 | 0x8000) != 0 { return .gone }
        // IN_ATTRIB, IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE.
        return mask & (0x4 | 0x40 | 0x80 | 0x100 | 0x200) != 0 ? .entry : nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt32 {
        let start = bytes.startIndex + offset
        let value = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
        return UInt32(littleEndian: value)
    }
}
