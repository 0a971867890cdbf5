/// The services of a cluster, by the word that names their endpoint.
package enum ServiceName: String, Hashable, Sendable, Codable, CaseIterable {
    case coordinator, probe, capture, library, exporter

    /// The executable's file name.
    package var executable: String { "obscura-\(rawValue)" }
}
