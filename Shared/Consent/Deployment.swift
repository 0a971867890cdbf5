/// Who is kept apart from whom.
package enum Deployment: String, Hashable, Sendable, Codable, CaseIterable {
    /// One user's cluster: consent between that user's programs is advice, because Linux does not isolate them.
    case personal
    /// Services run as a user of their own; consent is enforced against every other user's programs.
    case system

    /// The user that a system deployment runs as.
    package static let systemUser = "obscura"
}
