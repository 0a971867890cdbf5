package import Consent
package import Hashing

/// The key of a request about a consent record, so that repeating it has its effect once, also when the coordinator was killed
/// in between (24 hours).
package struct ConsentKey: Hashable, Sendable {
    /// Whom it is scoped to.
    package let principal: Principal
    /// The request's name.
    package let name: String
    /// The caller's key.
    package let key: String
    /// The hash of the request: another one with the same key is a conflict.
    package let request: SHA256Digest
    /// When the request came.
    package let time: Moment

    /// Makes a key.
    package init(principal: Principal, name: String, key: String, request: SHA256Digest, time: Moment) {
        self.principal = principal
        self.name = name
        self.key = key
        self.request = request
        self.time = time
    }
}
