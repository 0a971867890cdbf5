package import Consent
package import MessageSchema

extension PermissionState {
    /// A decision as it is told; `number` is the step of the decisions that contains it.
    package init(_ decision: Decision, number: UInt64) {
        self.init(
            principal: decision.principal,
            resource: decision.resource,
            access: decision.access,
            status: decision.verdict == .allowed ? .authorized : .denied
        )
        describe(decision)
        provenBy = decision.principal.proof.rawValue
        generation = Int64(clamping: number)
    }

    /// How a need stands as it is told; `number` is the step of the decisions at which it does.
    package init(_ standing: NeedStanding, principal: Principal, number: UInt64) {
        let need = standing.need
        self.init(principal: principal, resource: need.resource, access: need.access, status: standing.standing.status)
        if let decision = standing.standing.decision { describe(decision) }
        if case .restricted(let restriction) = standing.standing { cause = restriction.isSwitch ? "switch" : "policy" }
        provenBy = principal.proof.rawValue
        generation = Int64(clamping: number)
    }

    private mutating func describe(_ decision: Decision) {
        grant = decision.verdict == .allowed ? decision.id.description : nil
        if decision.id.isPolicy {
            // Nobody decided it, and it holds as long as the policy says so.
            cause = "policy"
            return
        }
        label = decision.label
        lifespan = decision.lifespan
        until = decision.end?.description
        decidedAt = decision.decidedAt.description
        decidedBy = decision.decidedBy.description
    }
}

extension Prompt {
    /// A prompt as it is told.
    package init(_ prompt: PermissionPrompt) {
        let first = prompt.needs.first ?? Need(.export)
        self.init(
            prompt: prompt.id.description,
            principal: prompt.principal,
            provenBy: prompt.principal.proof.rawValue,
            label: prompt.label,
            needs: prompt.needs,
            resource: first.resource,
            access: first.access,
            purpose: prompt.purpose?.text,
            asked: prompt.asked.description
        )
    }
}
