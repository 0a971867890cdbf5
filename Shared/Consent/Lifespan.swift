/// How long a decision holds: `once`, `session`, `until=<RFC 3339>`, `forever`, `unusedFor=<days>d`.
package enum Lifespan: TextCodable {
    /// For one request or one stream.
    case once
    /// As long as the program keeps its session alive.
    case session
    /// To a moment of the wall clock.
    case until(Moment)
    /// Until somebody changes it.
    case forever
    /// Until it was not used for so many days.
    case unusedFor(days: Int)

    package init?(_ description: String) {
        switch description {
        case "once": self = .once
        case "session": self = .session
        case "forever": self = .forever
        default:
            guard let equals = description.firstIndex(of: "=") else { return nil }
            let value = description[description.index(after: equals)...]
            switch description[..<equals] {
            case "until":
                guard let moment = Moment(String(value)) else { return nil }
                self = .until(moment)
            case "unusedFor":
                guard value.last == "d", value.dropLast().utf8.allSatisfy({ (48...57).contains($0) }),
                    let days = Int(value.dropLast()), (1...3_650).contains(days)
                else { return nil }
                self = .unusedFor(days: days)
            default:
                return nil
            }
        }
    }

    package var description: String {
        switch self {
        case .once: "once"
        case .session: "session"
        case .until(let moment): "until=\(moment)"
        case .forever: "forever"
        case .unusedFor(let days): "unusedFor=\(days)d"
        }
    }

    /// The moment at which it ends by itself, whatever happens.
    package var end: Moment? {
        if case .until(let moment) = self { moment } else { nil }
    }
}
