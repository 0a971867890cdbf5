package import Consent

/// Something that a program does right now by what it was allowed.
package struct Use: Hashable, Sendable, Codable {
    /// Names the use to `permissions.stop`.
    package var use: UseID
    /// The service that does it.
    package var service: ServiceName
    package var principal: Principal
    package var provenBy: String
    package var label: String?
    /// What is used.
    package var needs: [Need]
    /// By which decisions, in the order of `needs`.
    package var grants: [DecisionID]
    /// The program's claim, escaped.
    package var purpose: String?
    /// RFC 3339.
    package var since: String

    package init(
        use: UseID,
        service: ServiceName,
        principal: Principal,
        label: String?,
        needs: [Need],
        grants: [DecisionID],
        purpose: String?,
        since: String
    ) {
        self.use = use
        self.service = service
        self.principal = principal
        provenBy = principal.proof.rawValue
        self.label = label
        self.needs = needs
        self.grants = grants
        self.purpose = purpose
        self.since = since
    }
}

/// Lists what goes on right now: an operator sees all, a program its own.
package struct ListUses: Request {
    package static let name = "permissions.uses"
    package var principal: Principal?

    package init(principal: Principal? = nil) { self.principal = principal }

    package struct Reply: Hashable, Sendable, Codable {
        /// In the order in which they began.
        package var uses: [Use]

        package init(uses: [Use]) { self.uses = uses }
    }
}

/// A use has begun, or is over.
package struct UseEvent: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// It goes on now.
        case begun
        /// It is over.
        case ended
    }

    package var kind: Kind
    package var use: Use

    package init(kind: Kind, use: Use) {
        self.kind = kind
        self.use = use
    }
}

/// Follows uses, those that go on first: an operator sees all, a program its own.
package struct FollowUses: StreamRequest {
    package typealias Item = UseEvent
    package typealias Summary = Empty
    package static let name = "permissions.uses.follow"

    package init() {}
}

/// Ends a use and changes no decision; returns when every service has applied it; an operator alone may.
package struct StopUse: Request {
    package typealias Reply = Use
    package static let name = "permissions.stop"
    package var use: UseID

    package init(use: UseID) { self.use = use }
}

/// Tells what a service does right now for programs, all of it; a role alone may.
package struct ReportUses: Request {
    package typealias Reply = Empty
    package static let name = "permissions.uses.report"
    package var uses: [Use]
    /// Grants that were used since the service told last, by what is over again.
    package var past: [DecisionID]?

    package init(uses: [Use], past: [DecisionID]? = nil) {
        self.uses = uses
        self.past = past
    }
}

/// Keeps a session as long as the stream is open, so that grants with the lifespan `session` hold.
///
/// The items are the program's decisions as they change.
package struct KeepSession: StreamRequest {
    package typealias Item = PermissionState
    package typealias Summary = Empty
    package static let name = "permissions.session"

    package init() {}
}

/// The global switch: switches something off for everybody, or on again, and tells what is off; an operator alone may.
package struct TurnResource: Request {
    package static let name = "permissions.switch"
    /// A resource, or a pattern such as `camera/*`.
    package var resource: Resource?
    /// Which way; nothing is changed when one of the two is absent.
    package var on: Bool?

    package init(resource: Resource? = nil, on: Bool? = nil) {
        self.resource = resource
        self.on = on
    }

    package struct Reply: Hashable, Sendable, Codable {
        package var switchedOff: [Resource]

        package init(switchedOff: [Resource]) { self.switchedOff = switchedOff }
    }
}
