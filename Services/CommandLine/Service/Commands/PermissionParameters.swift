import Consent
import MessageSchema
private import ServiceRuntime

/// The options of the `permissions` verbs.
enum PermissionParameters {
    static let resource = Option(
        "resource",
        "R",
        "camera/ID, camera/front|back|external, 'camera/*', microphone/ID, the name of one, library, location or export",
        isRequired: true,
        as: ValueReader<ResourceName>.resource
    )
    static let access = Option(
        "access",
        "A",
        "use, addOnly, read or readWrite (default: the least that the resource has)",
        as: ValueReader<Access>.word
    )
    /// For what takes decisions away.
    static let anyAccess = Option(
        "access",
        "A",
        "use, addOnly, read or readWrite (default: every one that the resource has)",
        as: ValueReader<Access>.word
    )
    static let lifespan = Option(
        "lifespan",
        "L",
        "once, session, forever, until=RFC3339 or unusedFor=30d (default: forever); a denial: forever or until",
        as: ValueReader<Lifespan>.written("once, session, forever, until=2026-12-01T00:00:00Z or unusedFor=30d")
    )
    static let principal = Option(
        "principal",
        "P",
        "uid:1000, unit:booth.service, key:HEX or container:NAME (default, in personal mode: this user's programs)",
        as: reader
    )
    /// For a list.
    static let onlyPrincipal = Option(
        "principal",
        "P",
        "Only about uid:1000, unit:booth.service, key:HEX or container:NAME; others than yourself: an operator alone may",
        as: reader
    )
    private static let reader = ValueReader<Principal>.written("a principal such as uid:1000 or unit:booth.service")
    /// What becomes of films that are ended.
    static let discard = Flag(
        "discard",
        "Discard the films that this ends, and photos on their way (default: what was filmed until then is kept)"
    )
    static let label = Option("label", "TEXT", "Only programs with this label", as: .name)

    /// What an operator's decision is about.
    static let decision: [any Parameter] = [resource, access, lifespan, principal, label]
    /// Which decisions an operator takes away.
    static let removal: [any Parameter] = [resource, anyAccess, principal, label, discard]

    /// The needs that `--resource` and `--access` name: one, or one for each camera where `camera/*` is named.
    ///
    /// - Parameters:
    ///   - arguments: Those with the options.
    ///   - cluster: Knows which cameras there are.
    ///   - look: Takes what was named, and may refuse it.
    /// - Returns: At least one, but for `camera/*` where there are no cameras.
    /// - Throws: `ErrorReply` of an access that the resource does not have, of the cluster, and what `look` throws.
    static func needs(
        _ arguments: Arguments,
        _ cluster: any Cluster,
        _ look: (NamedResource) throws -> Void
    ) async throws -> [Need] {
        let chosen = arguments[access]
        let named = try await named(arguments, cluster)
        let resource = named.resource
        let access = chosen ?? resource.leastAccess
        try look(named)
        try check(access, of: resource)
        guard resource.isPattern else { return [Need(resource, access)] }
        guard case .camera = resource else {
            throw ErrorReply.usage("Invalid value", "'\(resource)' is a pattern; ask about one thing")
        }
        let cameras = try await cluster.call(ListCameras()).cameras
        guard !cameras.isEmpty else { throw ErrorReply.noCamera(Resource.wildcard) }
        return cameras.map { Need(.camera($0.id), access) }
    }

    /// The decision that an operator's verb is about.
    static func change(_ arguments: Arguments, _ context: CommandContext, _ cluster: any Cluster) async throws
        -> (change: PermissionChange, named: NamedResource)
    {
        let (label, access, lifespan) = (arguments[label], arguments[access], arguments[lifespan])
        let unfinished: Unfinished? = arguments[discard] ? .discarded : nil
        let named = try await named(arguments, cluster)
        if let access { try check(access, of: named.resource) }
        let change = PermissionChange(
            principal: try await principal(arguments, context, cluster),
            label: label,
            resource: named.resource,
            access: access,
            lifespan: lifespan,
            unfinished: unfinished
        )
        return (change, named)
    }

    /// What becomes of films that were ended, for a person.
    static func fate(_ arguments: Arguments) -> String {
        arguments[discard] ? "is discarded." : "is kept (--discard discards it)."
    }

    /// What `--resource` names; a position means the camera that looks there now, since decisions are about cameras.
    private static func named(_ arguments: Arguments, _ cluster: any Cluster) async throws -> NamedResource {
        guard let name = arguments[resource] else { preconditionFailure("--resource is required") }
        return try await cluster.resource(name)
    }

    private static func check(_ access: Access, of resource: Resource) throws {
        guard !resource.accesses.contains(access) else { return }
        let words = resource.accesses.map(\.rawValue).joined(separator: ", ")
        throw ErrorReply.usage("Invalid value", "'\(resource)' has no access '\(access)', expected one of \(words)")
    }

    private static func principal(_ arguments: Arguments, _ context: CommandContext, _ cluster: any Cluster)
        async throws -> Principal
    {
        if let named = arguments[principal] { return named }
        guard try await cluster.call(ListServices()).deployment == Deployment.personal.rawValue else {
            throw ErrorReply.usage(
                "Missing option",
                "in a system deployment the program must be named",
                "say whom with --principal uid:1000, unit:NAME.service, key:HEX or container:NAME"
            )
        }
        return .user(context.user.userID)
    }
}

/// A permission as the verbs print it.
enum PermissionText {
    /// A line of what is forbidden, among those of decisions; it has no principal where it is for everybody.
    private struct RestrictionLine: Encodable {
        let resource: Resource
        let principal: Principal?
        let status = Status.restricted
        let cause: RestrictionState.Cause
    }

    static func write(
        _ permissions: [PermissionState],
        _ restrictions: [RestrictionState] = [],
        asJSON: Bool,
        _ terminal: Terminal
    ) {
        if asJSON {
            for permission in permissions { terminal.writeJSON(permission) }
            for restriction in restrictions {
                let (resource, principal, cause) = (restriction.resource, restriction.principal, restriction.cause)
                terminal.writeJSON(RestrictionLine(resource: resource, principal: principal, cause: cause))
            }
            return
        }
        var table = TextTable("principal", "label", "resource", "access", "status", "lifespan", "decided by", "at")
        for permission in permissions {
            table.add(
                permission.principal.description,
                permission.label,
                permission.resource.description,
                permission.access.rawValue,
                [permission.status.rawValue, permission.cause].compactMap(\.self).joined(separator: ": "),
                permission.lifespan?.description,
                permission.decidedBy,
                permission.decidedAt
            )
        }
        for restriction in restrictions {
            table.add(
                restriction.principal?.description ?? "everybody",
                nil,
                restriction.resource.description,
                "every",
                "restricted: \(restriction.cause.rawValue)",
                nil,
                nil,
                nil
            )
        }
        terminal.write(table, orSay: "no decisions")
    }
}
