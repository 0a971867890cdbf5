/// What a key of a log line can hold.
package enum LogValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)

    /// A whole number of any width; one that does not fit is written as text.
    package static func count(_ value: some BinaryInteger) -> LogValue {
        Int64(exactly: value).map(LogValue.integer) ?? .string(String(value))
    }

    /// The text of an error or of anything else that describes itself.
    package static func text(_ value: some Sendable) -> LogValue {
        .string(String(describing: value))
    }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}
