/// Why a cluster was not started.
package struct ClusterError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        case alreadyRunning, cannotCreate, noSuchUser, notPermitted, pathTooLong, noExecutable
    }

    package let code: Code
    /// What is wrong.
    package let description: String
    /// What to do about it.
    package let advice: String?

    init(_ code: Code, _ description: String, advice: String? = nil) {
        self.code = code
        self.description = description
        self.advice = advice
    }
}
