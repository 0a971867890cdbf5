/// The name of an open prompt.
package struct PromptID: TextCodable {
    private let number: UInt64

    /// The n-th prompt since the coordinator started.
    package init(_ number: UInt64) {
        self.number = number
    }

    package init?(_ description: String) {
        guard description.hasPrefix("p"), let value = UInt64(description.dropFirst()), "p\(value)" == description else {
            return nil
        }
        number = value
    }

    package var description: String { "p\(number)" }
}

/// A question to the person, whether a program may have all of something.
package struct PermissionPrompt: Hashable, Sendable, Identifiable {
    /// The prompt's name.
    package var id: PromptID
    /// Who asks.
    package var principal: Principal
    /// What the program looks like, for the person to read, escaped; it proves nothing.
    package var label: String?
    /// What is asked for, all at once.
    package var needs: [Need]
    /// What the program says it is for, escaped.
    package var purpose: EscapedText?
    /// When it was opened.
    package var asked: Moment
}

/// How a prompt ended.
package enum PromptEnd: String, Hashable, Sendable, CaseIterable {
    /// The person allowed or denied it.
    case answered
    /// The person closed it.
    case dismissed
    /// Nobody answered in time.
    case timedOut
    /// Everybody who could answer left.
    case unattended
    /// Nothing is left to ask: an operator or another prompt decided it.
    case settled
    /// Nobody waits for the answer any more.
    case withdrawn
}

/// What a person says to a prompt.
package enum PermissionAnswer: Hashable, Sendable {
    /// Yes, for so long.
    case allow(Lifespan)
    /// No, for so long.
    case deny(Lifespan)
    /// Nothing: the prompt was closed.
    case dismiss
}

/// The name of a waiting request, given by whoever hands it to the machine.
package struct AskID: Hashable, Sendable {
    /// A number never used before.
    package var number: UInt64

    /// Makes a name.
    package init(_ number: UInt64) {
        self.number = number
    }
}

/// A request that needs permissions.
package struct Ask: Hashable, Sendable {
    /// Names the request in the reply.
    package var id: AskID
    /// Who asks.
    package var principal: Principal
    /// What the program looks like.
    package var label: String?
    /// What it needs; each is valid.
    package var needs: [Need]
    /// What the program says it is for.
    package var purpose: EscapedText?
    /// Whether the person may be asked.
    package var mayPrompt: Bool

    /// Makes a request.
    package init(
        id: AskID,
        principal: Principal,
        label: String? = nil,
        needs: [Need],
        purpose: EscapedText? = nil,
        mayPrompt: Bool = true
    ) {
        self.id = id
        self.principal = principal
        self.label = label
        self.needs = needs
        self.purpose = purpose
        self.mayPrompt = mayPrompt
    }
}

/// How a program stands towards one of the needs of its request.
package struct NeedStanding: Hashable, Sendable {
    /// The need.
    package var need: Need
    /// How it stands.
    package var standing: Standing
}

/// Why a request was not decided.
package enum Dismissal: Hashable, Sendable {
    /// The person closed the prompt.
    case closed
    /// Nobody answered in time.
    case timedOut
    /// The same question was dismissed a short while ago; it can be asked again after so long.
    case backingOff(Duration)
    /// Nobody is there to ask.
    case noPrompter
    /// The principal has three open prompts already.
    case tooManyPrompts
}

/// The answer to a request.
package struct AskOutcome: Hashable, Sendable {
    /// One for each need, in the order of the request.
    package var standings: [NeedStanding]
    /// Why the missing ones were not decided; nil when they were, or when the person was not to be asked.
    package var dismissal: Dismissal?
}
