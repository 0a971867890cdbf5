import Foundation
import Glibc

extension Executables {
    static let names =
        ["obscura"]
        + ["coordinator", "probe", "capture", "library", "decoder", "exporter"].map {
            "obscura-" + $0
        }

    /// Lends a copy of the executables where every user can reach them: the build may lie in somebody's home.
    static func with<T>(_ body: (String) async throws -> T) async throws -> T {
        try await Folder.with { folder in
            for name in names {
                let copy = "\(folder.path)/\(name)"
                try FileManager.default.copyItem(atPath: "\(directory)/\(name)", toPath: copy)
                unsafe chmod(copy, 0o755)
            }
            return try await body(folder.path)
        }
    }
}
