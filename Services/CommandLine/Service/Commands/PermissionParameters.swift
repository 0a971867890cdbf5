import Consent
import MessageSchema
private import ServiceRuntime

/// The options of the `permissions` verbs.
enum PermissionParameters {
    static let resource = Option(
        "resource",
        "R",
        "camera/ID, camera/front|back|external, 'camera/*', microphone/ID, library, location or export",
        isRequired: true,
        as: ValueReader<Resource>.written("a resource such as camera/front, 'camera/*', library, location or export")
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
    static let label = Option("label", "TEXT", "Only programs with this label", as: .text)

    /// What an operator's decision is about.
    static let decision: [any Parameter] = [resource, access, lifespan, principal, label]
    /// Which decisions an operator takes away.
    static let removal: [any Parameter] = [resource, anyAccess, principal, label, discard]

    /// The needs that `--resource` and `--access` name: one, or one for each camera where `camera/*` is named.
    static func needs(_ arguments: Arguments, _ cluster: any Cluster) async throws -> [Need] {
        let resource = try await named(arguments, cluster)
        let access = arguments[access] ?? resource.leastAccess
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
        -> PermissionChange
    {
        let resource = try await named(arguments, cluster)
        if let access = arguments[access] { try check(access, of: resource) }
        return PermissionChange(
            principal: try await principal(arguments, context, cluster),
            label: arguments[label],
            resource: resource,
            access: arguments[access],
            lifespan: arguments[lifespan],
            unfinished: arguments[discard] ? .discarded : nil
        )
    }

    /// What becomes of films that were ended, for a person.
    static func fate(_ arguments: Arguments) -> String {
        arguments[discard] ? "is discarded." : "is kept (--discard discards it)."
    }

    /// What `--resource` names; a position means the camera that looks there now, since decisions are about cameras.
    private static func named(_ arguments: Arguments, _ cluster: any Cluster) async throws -> Resource {
        guard let resource = arguments[resource] else { preconditionFailure("--resource is required") }
        return try await cluster.decided(resource)
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
    static func write(_ permissions: [PermissionState], asJSON: Bool, _ terminal: Terminal) {
        if asJSON {
            for permission in permissions { terminal.writeJSON(permission) }
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
        terminal.write(table, orSay: "no decisions")
    }
}
