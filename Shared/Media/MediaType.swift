/// What kind of media something is, as a uniform type identifier; compared exactly, never by conformance.
package struct MediaType: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Pictures.
    package static let image = MediaType(rawValue: "public.image")
    /// Films.
    package static let movie = MediaType(rawValue: "public.movie")

    package let rawValue: String

    /// Any text is a media type; one nobody offers is simply never available.
    package init(rawValue: String) { self.rawValue = rawValue }

    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    package var description: String { rawValue }
}
