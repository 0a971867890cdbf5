private import CLinux
private import Glibc

/// A name in a directory.
package struct DirectoryEntry: Hashable, Sendable {
    /// The name; bytes that are not UTF-8 are replaced, see `isExact`.
    package let name: String
    /// Is `name` exactly what is on the disk? Linux allows any bytes.
    package let isExact: Bool
    /// The kind; nil when the file system does not say without asking for the status.
    package let kind: FileStatus.Kind?
}

extension Directory {
    /// All entries but `.` and `..`, in the order of their names.
    package func entries() throws(FilesError) -> [DirectoryEntry] {
        let copy = try open(".", [.read, .directory]).release()
        let collected = EntryCollector()
        let result = withExtendedLifetime(collected) {
            unsafe clinux_list(
                copy,
                { context, name, type in
                    guard let context = unsafe context else { return 1 }
                    unsafe Unmanaged<EntryCollector>.fromOpaque(context).takeUnretainedValue().add(name, type)
                    return 0
                },
                Unmanaged.passUnretained(collected).toOpaque()
            )
        }
        guard result == 0 else { throw .last("list") }
        return collected.entries.sorted { $0.name < $1.name }
    }
}

private final class EntryCollector {
    private(set) var entries: [DirectoryEntry] = []

    func add(_ name: UnsafePointer<CChar>, _ type: UInt8) {
        let kind: FileStatus.Kind? =
            switch Int(type) {
            case Int(DT_REG): .regular
            case Int(DT_DIR): .directory
            case Int(DT_LNK): .symbolicLink
            case Int(DT_UNKNOWN): nil
            default: .other
            }
        let exact = unsafe String(validatingCString: name)
        let repaired = unsafe String(cString: name)
        entries.append(DirectoryEntry(name: exact ?? repaired, isExact: exact != nil, kind: kind))
    }
}
