/// How a principal stands towards an access to a resource.
package enum Status: String, Codable, Sendable, Hashable, CaseIterable {
    /// Nobody decided yet; a request will ask the person.
    case notDetermined
    /// Forbidden by the policy or the global switch; the person can not change it.
    case restricted
    /// The person said no; only an operator changes it.
    case denied
    /// The person allowed a part of the library.
    case limited
    /// The person said yes.
    case authorized
}
