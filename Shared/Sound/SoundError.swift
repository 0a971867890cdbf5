private import Glibc

/// Why a microphone can not be used, or stopped.
package struct SoundError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, for callers to switch on.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// There is no such microphone.
        case absent
        /// This process may not open it.
        case denied
        /// Another program uses it.
        case inUse
        /// It was unplugged while it was open.
        case removed
        /// It has no format that can be used.
        case notSupported
        /// It is open and gives no sound, and starting it anew did not help.
        case stalled
        /// The device failed; opening it again may help.
        case fault
        /// The task that waited was cancelled; nothing is wrong with the microphone.
        case cancelled
    }

    package let code: Code

    /// The name of the call that failed, as alsa-lib has it, or words.
    package let detail: String

    /// errno, where a call failed.
    package let errorNumber: Int32?

    /// An error with a code and words.
    package init(_ code: Code, _ detail: String = "", errorNumber: Int32? = nil) {
        self.code = code
        self.detail = detail
        self.errorNumber = errorNumber
    }

    /// What a call answered: the negative of errno.
    ///
    /// - Parameters:
    ///   - result: What it returned.
    ///   - operation: Its name.
    ///   - wasOpen: Whether the microphone was open before.
    package init(result: Int32, operation: String, wasOpen: Bool) {
        let number = -result
        let code: Code =
            switch number {
            case EACCES, EPERM: .denied
            case EBUSY: .inUse
            case ENODEV, ENOENT, ENXIO: wasOpen ? .removed : .absent
            case EINVAL, ENOSYS: wasOpen ? .fault : .notSupported
            default: .fault
            }
        self.init(code, operation, errorNumber: number)
    }

    package var description: String {
        let words = detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)"
        return errorNumber.map { "\(words) (errno \($0))" } ?? words
    }
}
