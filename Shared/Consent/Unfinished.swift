/// What becomes of work that is ended and was to leave something behind: a film, photos that are not in the library yet.
package enum Unfinished: String, Codable, Sendable, Hashable, CaseIterable {
    /// What there is of it is kept.
    case kept
    /// Nothing of it is.
    case discarded
}
