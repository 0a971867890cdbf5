private import Glibc

/// Small readers for the kernel's file trees; what can not be read is nil.
enum SystemTree {
    /// Why a folder can not be listed.
    struct Failure: Error {
        let errorNumber: Int32
    }

    /// The names in a folder, without `.` and `..`, sorted.
    static func entries(_ folder: String) -> [String]? { try? listing(folder).get() }

    /// The names in a folder, without `.` and `..`, sorted; or why there are none.
    static func listing(_ folder: String) -> Result<[String], Failure> {
        guard let stream = unsafe opendir(folder) else { return .failure(Failure(errorNumber: errno)) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return .success(names.sorted())
    }

    /// The first 4 KiB of an attribute file, without the white space around it.
    static func text(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { return nil }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        let scalars = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        return String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
    }

    /// The path without any link in it (realpath(3)).
    static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Writes an attribute.
    ///
    /// - Returns: errno, or 0.
    static func write(_ text: String, to path: String) -> Int32 {
        let descriptor = unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { _ = close(descriptor) }
        let bytes = Array(text.utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        return count < 0 ? errno : 0
    }

    /// Whether this process may write to a file.
    static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    /// What a symbolic link says.
    static func link(_ path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = unsafe buffer.assumingMemoryBound(to: CChar.self).baseAddress else { return -1 }
            return unsafe readlink(path, start, buffer.count)
        }
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// The group of a file by name, or its number where it has none.
    static func group(_ path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        let lines = text(path: "/etc/group")
        for line in lines {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, fields[2] == String(status.st_gid) { return String(fields[0]) }
        }
        return String(status.st_gid)
    }

    private static func text(path: String) -> [Substring] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
    }
}
