/// One thing that a request needs: an access to a resource that is no pattern.
package struct Need: Codable, Hashable, Sendable, CustomStringConvertible {
    /// What it is about.
    package var resource: Resource
    /// What would be done with it.
    package var access: Access

    /// Makes a need; `access` is by default the least that the resource has.
    package init(_ resource: Resource, _ access: Access? = nil) {
        self.resource = resource
        self.access = access ?? resource.leastAccess
    }

    /// Whether the resource is one thing and has such an access.
    package var isValid: Bool {
        !resource.isPattern && resource.accesses.contains(access)
    }

    package var description: String { "\(resource) \(access)" }
}
