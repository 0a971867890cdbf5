package import Consent

/// Something that a program does right now by what it was allowed; work that looks the same is one use.
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
    /// RFC 3339; of the first work of it.
    package var since: String
    /// How many pieces of work it is.
    package var count: Int

    package init(
        use: UseID,
        service: ServiceName,
        principal: Principal,
        label: String?,
        needs: [Need],
        grants: [DecisionID],
        purpose: String?,
        since: String,
        count: Int = 1
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
        self.count = count
    }
}

extension Use {
    /// At least as many bytes as its JSON has: a byte of text is two at most, as controls are escaped before they come here.
    package var sizeLimit: Int {
        var size = 256
        for text in [use.description, principal.description, label ?? "", purpose ?? "", since] {
            size += 2 * text.utf8.count
        }
        for need in needs { size += 64 + need.resource.description.utf8.count }
        for grant in grants { size += 4 + grant.description.utf8.count }
        return size
    }
}

extension Collection<Use> {
    /// How many from the first on fit into a body, beside everything else that is in it; one at least.
    package var countThatFits: Int {
        var room = Limits.bodyBytes / 2
        let fitting = prefix { use in
            room -= use.sizeLimit
            return room >= 0
        }
        return Swift.min(count, Swift.max(1, fitting.count))
    }
}

/// Lists what goes on right now, as much as fits into a reply: an operator sees all, a program its own.
package struct ListUses: Request {
    package static let name = "permissions.uses"
    package var principal: Principal?
    /// The `next` of the reply before; from the first on when absent.
    package var cursor: String?

    package init(principal: Principal? = nil, cursor: String? = nil) {
        self.principal = principal
        self.cursor = cursor
    }

    package struct Reply: Hashable, Sendable, Codable {
        /// In the order in which they began.
        package var uses: [Use]
        /// Where it goes on; absent when this is the end.
        package var next: String?

        package init(uses: [Use], next: String? = nil) {
            self.uses = uses
            self.next = next
        }
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
    /// Why it is over, where somebody or something ended it; absent when it ended by itself.
    package var reason: RevocationReason?

    package init(kind: Kind, use: Use, reason: RevocationReason? = nil) {
        self.kind = kind
        self.use = use
        self.reason = reason
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
    /// What becomes of the film that it is, or of photos that are not in the library yet: `kept` when absent.
    package var unfinished: Unfinished?

    package init(use: UseID, unfinished: Unfinished? = nil) {
        self.use = use
        self.unfinished = unfinished
    }
}

/// Tells what a service does right now for programs, all of it; a role alone may.
///
/// What does not fit into one message comes in parts, one after the other; the last one makes it hold.
package struct ReportUses: Request {
    package typealias Reply = Empty
    package static let name = "permissions.uses.report"
    /// The most parts that one report has.
    package static let partLimit = 64
    package var uses: [Use]
    /// Grants that were used since the service told last, maybe by what is over again.
    package var past: [DecisionID]?
    /// Which part this is, from 1 on; absent where there is one alone.
    package var part: Int?
    /// Of how many.
    package var parts: Int?

    package init(uses: [Use], past: [DecisionID]? = nil, part: Int? = nil, parts: Int? = nil) {
        self.uses = uses
        self.past = past
        self.part = part
        self.parts = parts
    }

    /// The parts that tell of all of these, each of which fits into a message.
    package static func parts(_ uses: [Use], past: [DecisionID]) -> [ReportUses] {
        // Grants are short: so many fit beside the uses of a part.
        let told = stride(from: 0, to: past.count, by: 8_192).map { Array(past[$0..<min($0 + 8_192, past.count)]) }
        var rest = uses[...]
        var reports: [ReportUses] = []
        while reports.count < partLimit, !rest.isEmpty || reports.count < max(1, told.count) {
            let count = rest.countThatFits
            let grants = told.indices.contains(reports.count) ? told[reports.count] : nil
            reports.append(ReportUses(uses: Array(rest.prefix(count)), past: grants))
            rest = rest.dropFirst(count)
        }
        guard reports.count > 1 else { return reports }
        for index in reports.indices { (reports[index].part, reports[index].parts) = (index + 1, reports.count) }
        return reports
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
