import Consent

/// Names that the tests of the permission machine share.
enum Fixture {
    static let program = Principal.user(1000)
    static let `operator` = Principal.user(0)
    static let front = Need(.camera("front"))
    static let back = Need(.camera("back"))
    static let add = Need(.library, .addOnly)
    static let read = Need(.library, .read)
    static let write = Need(.library, .readWrite)

    static func clock(_ seconds: Int64 = 0) -> ClockPair {
        ClockPair(wall: Moment(milliseconds: 1_796_000_000_000 + seconds * 1_000), uptime: .seconds(seconds))
    }

    /// A machine with somebody to ask.
    static func machine() -> PermissionMachine {
        var machine = PermissionMachine()
        _ = machine.setPrompters(1, at: clock())
        return machine
    }

    static func ask(
        _ number: UInt64,
        _ needs: [Need] = [front],
        label: String? = nil,
        mayPrompt: Bool = true
    ) -> Ask {
        Ask(id: AskID(number), principal: program, label: label, needs: needs, mayPrompt: mayPrompt)
    }

    static func selector(_ resource: Resource = .camera("front"), _ access: Access? = nil, label: String? = nil)
        -> DecisionSelector
    {
        DecisionSelector(principal: program, label: label, resource: resource, access: access)
    }
}

extension PermissionMachine {
    func status(_ need: Need = Fixture.front, label: String? = nil, at now: ClockPair = Fixture.clock()) -> Status {
        decisions.standing(of: need, principal: Fixture.program, label: label, at: now.wall).status
    }

    func grant(_ need: Need = Fixture.front) -> DecisionID? {
        decisions.standing(of: need, principal: Fixture.program, label: nil, at: Fixture.clock().wall).decision?.id
    }
}

extension [PermissionAction] {
    var opened: [PermissionPrompt] {
        compactMap { if case .open(let prompt) = $0 { prompt } else { nil } }
    }

    var closed: [PromptEnd] {
        compactMap { if case .close(_, let end) = $0 { end } else { nil } }
    }

    var changes: [DecisionChange] {
        compactMap { if case .record(let change) = $0 { change } else { nil } }
    }

    var replies: [AskID: AskOutcome] {
        Dictionary(
            uniqueKeysWithValues: compactMap {
                if case .reply(let id, let outcome) = $0 { (id, outcome) } else { nil }
            }
        )
    }

    func dismissal(_ number: UInt64) -> Dismissal? {
        replies[AskID(number)]?.dismissal
    }

    func statuses(_ number: UInt64) -> [Status]? {
        replies[AskID(number)]?.standings.map(\.standing.status)
    }
}
