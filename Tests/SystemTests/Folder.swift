import Foundation
import Glibc

/// A folder with a short path, since the path of a socket can have 107 bytes only.
struct Folder: Sendable {
    let path: String

    init(owner: UInt32? = nil) throws {
        path = "/tmp/obs\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        if let owner { unsafe chown(path, owner, owner) }
    }

    /// A folder that is there already, and stays.
    init(path: String) { self.path = path }

    /// Lends a folder that is gone afterwards.
    static func with<T>(_ body: (Folder) async throws -> T) async throws -> T {
        let folder = try Folder()
        defer { folder.remove() }
        return try await body(folder)
    }

    func remove() {
        // What is left over lies in a temporary folder.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file that everybody may read.
    @discardableResult
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        unsafe chmod(file, 0o644)
        return file
    }

    /// The paths of the regular files below, relative to the folder.
    func files(below name: String) -> [String] {
        FileManager.default.enumerator(atPath: "\(path)/\(name)")?.compactMap { $0 as? String } ?? []
    }
}
