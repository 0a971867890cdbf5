package import Consent

/// What is stored or known about one permission of one program.
package struct PermissionState: Hashable, Sendable, Codable {
    package var principal: Principal
    /// How the principal is proven: `uid`, `unit`, `key` or `container`.
    package var provenBy: String?
    package var label: String?
    package var resource: Resource
    package var access: Access
    package var status: Status
    package var lifespan: Lifespan?
    /// RFC 3339, for a decision that ends by itself.
    package var until: String?
    /// RFC 3339.
    package var decidedAt: String?
    package var decidedBy: String?
    /// The grant in force, which a service may redeem.
    package var grant: String?
    /// The generation of the replica that holds this decision.
    package var generation: Int64?
    /// Why the status is not `authorized`: `dismissed`, `noPrompter`, `policy`; `policy` also for what the policy allows.
    package var cause: String?

    package init(principal: Principal, resource: Resource, access: Access, status: Status) {
        self.principal = principal
        self.resource = resource
        self.access = access
        self.status = status
    }
}

/// Asks for permissions; what is not determined is asked of the person in one prompt, and the call waits.
package struct RequestPermissions: Request {
    package static let name = "permissions.request"
    package var needs: [Need]

    package init(needs: [Need]) { self.needs = needs }

    package struct Reply: Hashable, Sendable, Codable {
        /// One for each need, in its order.
        package var permissions: [PermissionState]

        package init(permissions: [PermissionState]) { self.permissions = permissions }
    }
}

/// Asks how things stand; never prompts.
package struct PermissionStatus: Request {
    package static let name = "permissions.status"
    package var needs: [Need]
    /// About whom; oneself when absent.
    ///
    /// Only an operator may ask about others.
    package var principal: Principal?
    /// Which program of that principal.
    package var label: String?

    package init(needs: [Need], principal: Principal? = nil, label: String? = nil) {
        self.needs = needs
        self.principal = principal
        self.label = label
    }

    package typealias Reply = RequestPermissions.Reply
}

/// Lists decisions: an operator sees all, a program its own.
package struct ListPermissions: Request {
    package static let name = "permissions.list"
    package var principal: Principal?

    package init(principal: Principal? = nil) { self.principal = principal }

    package struct Reply: Hashable, Sendable, Codable {
        /// An allowed decision under a restriction is `restricted`.
        package var permissions: [PermissionState]
        /// What is forbidden now, whatever was decided; absent for nothing.
        package var restrictions: [RestrictionState]?

        package init(permissions: [PermissionState], restrictions: [RestrictionState]? = nil) {
            self.permissions = permissions
            self.restrictions = restrictions
        }
    }
}

/// Something that is forbidden, whatever was decided.
package struct RestrictionState: Hashable, Sendable, Codable {
    /// Who forbids it.
    package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
        /// The policy file.
        case policy
        /// The global switch.
        case `switch`
    }

    /// May be a pattern.
    package var resource: Resource
    /// To whom; to everybody when absent.
    package var principal: Principal?
    package var cause: Cause

    package init(resource: Resource, principal: Principal? = nil, cause: Cause) {
        self.resource = resource
        self.principal = principal
        self.cause = cause
    }
}

/// Follows what is forbidden, first as it is now and then after each change: an operator sees all, a program its own.
package struct FollowRestrictions: StreamRequest {
    package typealias Summary = Empty
    package static let name = "permissions.restrictions.follow"

    package init() {}

    package struct Item: Hashable, Sendable, Codable {
        /// All of it.
        package var restrictions: [RestrictionState]

        package init(restrictions: [RestrictionState]) { self.restrictions = restrictions }
    }
}

/// An operator's decision about one program and one resource.
package struct PermissionChange: Hashable, Sendable, Codable {
    package var principal: Principal
    /// Narrows the decision to one program of the principal.
    package var label: String?
    /// A resource, or a pattern such as `camera/*`.
    package var resource: Resource
    /// The least that the resource has, when absent.
    package var access: Access?
    /// `forever` when absent.
    package var lifespan: Lifespan?
    /// What becomes of films that this ends, and of photos that are not in the library yet: `kept` when absent.
    ///
    /// Not with what allows.
    package var unfinished: Unfinished?

    package init(
        principal: Principal,
        label: String? = nil,
        resource: Resource,
        access: Access? = nil,
        lifespan: Lifespan? = nil,
        unfinished: Unfinished? = nil
    ) {
        self.principal = principal
        self.label = label
        self.resource = resource
        self.access = access
        self.lifespan = lifespan
        self.unfinished = unfinished
    }
}

/// Allows; an operator alone may.
package struct GrantPermission: Request {
    package typealias Reply = PermissionState
    package static let name = "permissions.grant"
    package var change: PermissionChange

    package init(change: PermissionChange) { self.change = change }
}

/// Denies, and ends what runs; an operator alone may.
package struct DenyPermission: Request {
    package typealias Reply = PermissionState
    package static let name = "permissions.deny"
    package var change: PermissionChange

    package init(change: PermissionChange) { self.change = change }
}

/// Withdraws a grant; returns when every service has applied it; an operator alone may.
package struct RevokePermission: Request {
    package typealias Reply = PermissionState
    package static let name = "permissions.revoke"
    package var change: PermissionChange

    package init(change: PermissionChange) { self.change = change }
}

/// Forgets a decision, so that the person is asked again; an operator alone may.
package struct ResetPermission: Request {
    package typealias Reply = PermissionState
    package static let name = "permissions.reset"
    package var change: PermissionChange

    package init(change: PermissionChange) { self.change = change }
}

/// A question that waits for the person.
package struct Prompt: Hashable, Sendable, Codable {
    /// Names the prompt to `permissions.answer`.
    package var prompt: String
    package var principal: Principal
    package var provenBy: String
    package var label: String?
    package var needs: [Need]
    /// The first of `needs`, for those who read one line.
    package var resource: Resource
    package var access: Access
    /// The program's claim, escaped.
    package var purpose: String?
    /// RFC 3339.
    package var asked: String

    package init(
        prompt: String,
        principal: Principal,
        provenBy: String,
        label: String?,
        needs: [Need],
        resource: Resource,
        access: Access,
        purpose: String?,
        asked: String
    ) {
        self.prompt = prompt
        self.principal = principal
        self.provenBy = provenBy
        self.label = label
        self.needs = needs
        self.resource = resource
        self.access = access
        self.purpose = purpose
        self.asked = asked
    }
}

/// Lists the open prompts; an operator alone may.
package struct ListPrompts: Request {
    package static let name = "permissions.prompts"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        package var prompts: [Prompt]

        package init(prompts: [Prompt]) { self.prompts = prompts }
    }
}

/// Something that happened to a prompt.
package struct PromptEvent: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A prompt that is open now.
        case opened
        /// Answered, dismissed or timed out.
        case closed
    }

    package var kind: Kind
    package var prompt: Prompt

    package init(kind: Kind, prompt: Prompt) {
        self.kind = kind
        self.prompt = prompt
    }
}

/// Follows prompts, the open ones first; an operator alone may.
///
/// While such a stream is open there is somebody to ask.
package struct FollowPrompts: StreamRequest {
    package typealias Item = PromptEvent
    package typealias Summary = Empty
    package static let name = "permissions.prompts.follow"

    package init() {}
}

/// What the person says to a prompt.
package enum PromptAnswer: String, Hashable, Sendable, Codable, CaseIterable {
    case allow, deny, dismiss
}

/// Answers a prompt for the person; an operator alone may.
package struct AnswerPrompt: Request {
    package static let name = "permissions.answer"
    package var prompt: String
    package var answer: PromptAnswer
    /// How long it holds; when absent, a permission `once` and a denial `forever`.
    package var lifespan: Lifespan?
    /// Whether the answer is only about programs with the prompt's label.
    package var narrowed: Bool?

    package init(prompt: String, answer: PromptAnswer, lifespan: Lifespan? = nil, narrowed: Bool? = nil) {
        self.prompt = prompt
        self.answer = answer
        self.lifespan = lifespan
        self.narrowed = narrowed
    }

    package typealias Reply = RequestPermissions.Reply
}

/// Follows decisions: an operator sees all, a program its own.
package struct WatchPermissions: StreamRequest {
    package typealias Item = PermissionState
    package typealias Summary = Empty
    package static let name = "permissions.watch"

    package init() {}
}

/// Uses up a `once` grant for one request or stream; a role alone may.
package struct RedeemGrant: Request {
    package static let name = "permissions.redeem"
    package var grant: String
    package var principal: Principal
    package var label: String?
    /// What it is used for.
    package var need: Need

    package init(grant: String, principal: Principal, label: String? = nil, need: Need) {
        self.grant = grant
        self.principal = principal
        self.label = label
        self.need = need
    }

    package struct Reply: Hashable, Sendable, Codable {
        package var redeemed: Bool

        package init(redeemed: Bool) { self.redeemed = redeemed }
    }
}

/// Says that the request or stream for which a `once` grant was redeemed is over; a role alone may.
package struct ReleaseGrant: Request {
    package typealias Reply = Empty
    package static let name = "permissions.release"
    package var grant: String
    package var principal: Principal
    /// The grant was asked for and not used: nobody may use it after the request that it was for.
    package var unspent: Bool?

    package init(grant: String, principal: Principal, unspent: Bool? = nil) {
        self.grant = grant
        self.principal = principal
        self.unspent = unspent
    }
}
