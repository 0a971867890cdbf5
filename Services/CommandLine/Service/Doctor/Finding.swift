/// One thing that the doctor looked at.
package struct Finding: Encodable, Hashable, Sendable {
    /// How it is.
    package enum State: String, Encodable, Sendable {
        case ok
        /// It works, with a limit worth knowing.
        case warning
        /// It does not work.
        case problem
    }

    package let about: String
    package let state: State
    /// What was found.
    package let detail: String
    /// What to do about it.
    package let advice: String?

    package init(_ about: String, _ state: State, _ detail: String, advice: String? = nil) {
        self.about = about
        self.state = state
        self.detail = detail
        self.advice = advice
    }
}
