/// What the coordinator has to do, in the order given.
package enum PermissionAction: Hashable, Sendable {
    /// Store the step, then tell the services. A step that ends grants is told first, applied by all, and stored then.
    case record(DecisionChange)
    /// Show a new prompt to everybody who may answer, and end it when it has been open for too long.
    case open(PermissionPrompt)
    /// Take a prompt away.
    case close(PermissionPrompt, PromptEnd)
    /// Answer a request.
    case reply(AskID, AskOutcome)
}

/// Why an operator's or a service's command was refused.
package enum PermissionRefusal: Error, Hashable, Sendable {
    /// There is no such open prompt, or somebody else answered it first.
    case unknownPrompt
    /// The prompt is of a program without a label, so that its answer can not be narrowed to one.
    case noLabel
    /// The decision is not in force, was redeemed already, or is about somebody else.
    case notInForce
    /// The resource has no such access.
    case noSuchAccess(Resource, Access)
    /// The lifespan is already over.
    case alreadyOver
    /// The lifespan makes no sense for a denial.
    case notForDenial(Lifespan)
    /// No such use goes on.
    case unknownUse
}

/// Both clocks at one moment.
package struct ClockPair: Hashable, Sendable {
    /// Wall-clock time, for what is stored.
    package var wall: Moment
    /// Time since the machine started, which never jumps, for waiting.
    package var uptime: Duration

    /// Makes a pair.
    package init(wall: Moment, uptime: Duration) {
        self.wall = wall
        self.uptime = uptime
    }
}

/// Which decisions an operator means.
package struct DecisionSelector: Hashable, Sendable {
    /// Whom they are about.
    package var principal: Principal
    /// Only those narrowed to this label; nil means all.
    package var label: String?
    /// What they are about; may be a pattern.
    package var resource: Resource
    /// The access; nil means the least one for a new decision, and every one for an existing one.
    package var access: Access?

    /// Makes a selector.
    package init(principal: Principal, label: String? = nil, resource: Resource, access: Access? = nil) {
        self.principal = principal
        self.label = label
        self.resource = resource
        self.access = access
    }
}
