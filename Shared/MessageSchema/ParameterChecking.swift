/// A message that knows which of its values make no sense.
///
/// A server asks it before anybody answers the message, so that a senseless value has no effect anywhere, whoever would
/// have had to deal with it.
package protocol ParameterChecking {
    /// Checks numbers, and what is made of numbers, against what they can mean.
    ///
    /// - Throws: `ErrorReply` with code `invalidArgument` and the parameter's path in `parameters`.
    func checkParameters() throws(ErrorReply)
}

extension ParameterChecking {
    /// Nothing in most messages can be senseless.
    package func checkParameters() throws(ErrorReply) {}
}

extension ErrorReply {
    /// A value that makes no sense where it stands.
    ///
    /// - Parameters:
    ///   - parameter: The path of the field, such as `settings.maximumDuration`.
    ///   - rule: What the value has to be, continuing "… has to be".
    /// - Returns: `invalidArgument`, with the path as the parameter `parameter`.
    package static func invalidParameter(_ parameter: String, _ rule: String) -> ErrorReply {
        ErrorReply(
            .invalidArgument,
            "Invalid argument",
            reason: "\(parameter) has to be \(rule).",
            recoverySuggestion: "Give another value, or leave it out where it may be.",
            parameters: ["parameter": parameter]
        )
    }

    /// Throws unless a value is absent or within a range.
    static func check<Value: Comparable & Sendable>(
        _ value: Value?,
        _ range: ClosedRange<Value>,
        _ parameter: String,
        _ unit: String = ""
    ) throws(ErrorReply) {
        guard let value, !range.contains(value) else { return }
        throw invalidParameter(parameter, "from \(range.lowerBound) to \(range.upperBound)\(unit)")
    }

    /// Throws unless a value is absent or not below zero.
    static func checkCount<Value: BinaryInteger>(_ value: Value?, _ parameter: String) throws(ErrorReply) {
        if let value, value < 0 { throw invalidParameter(parameter, "0 or more") }
    }
}
