/// Who is kept apart from whom.
package enum Deployment: String, Sendable, Codable, CaseIterable {
    /// One user's cluster: consent between that user's programs is advisory, because Linux does not isolate them.
    case personal
    /// All services run as the user `obscura`, and consent holds against every other user's programs.
    case system

    /// The user that a system deployment runs as.
    package static let systemUser = "obscura"
}
