private import Glibc
package import ServiceRuntime

/// What the library can be told, beside what all services can.
package struct LibraryConfiguration: Sendable {
    /// The settings, for the help and the command line.
    package static let settings: [Setting] = [
        Setting("media", "DIR", "the originals; DATA/library/store when not given"),
        Setting("decoder", "FILE", "obscura-decoder; the one beside obscura-library when not given"),
        Setting("decoders", "N", "how many decoders at a time", fallback: "2"),
        Setting("decoder-seconds", "N", "how long one file may take", fallback: "20"),
    ]

    /// Where the library is.
    package let location: Library.Location
    /// What its decoders may use.
    package let limits: DecoderPool.Limits

    /// Reads the settings.
    ///
    /// - Throws: `SettingsError` for a number that is none.
    package init(_ settings: Settings, dataDirectory: String) throws {
        let index = "\(dataDirectory)/library"
        location = Library.Location(
            index: index,
            media: settings["media"] ?? "\(index)/store",
            decoder: settings["decoder"] ?? LibraryConfiguration.besideUs("obscura-decoder")
        )
        var limits = DecoderPool.Limits()
        limits.workers = try settings.number("decoders", in: 1...64) ?? limits.workers
        limits.deadline = .seconds(try settings.number("decoder-seconds", in: 1...3600) ?? 20)
        self.limits = limits
    }

    /// A file in the folder of this executable (proc(5), /proc/self/exe).
    private static func besideUs(_ name: String) -> String {
        let path = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = max(0, unsafe readlink("/proc/self/exe", start, buffer.count))
        }
        let text = String(decoding: path.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/\(name)"
    }
}
