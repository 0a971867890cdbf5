package import Video4Linux

/// Why a camera can not be used, or stopped.
package struct CameraError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, for callers to switch on.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// There is no such camera.
        case absent
        /// This process may not open it.
        case denied
        /// Another program uses it; the same camera can serve this one later.
        case inUse
        /// It was unplugged while it was open.
        case removed
        /// A cable without signal.
        case noSignal
        /// The USB bus has no room for the stream.
        case noBandwidth
        /// It is open and gives no good frame, and starting it anew did not help.
        case stalled
        /// It has no format that can be used, or refused one.
        case notSupported
        /// The device failed; opening it again may help.
        case fault
        /// The task that waited was cancelled; nothing is wrong with the camera.
        case cancelled
    }

    package let code: Code

    /// What exactly, for a person: names devices and groups, never paths of the library or people.
    package let detail: String

    /// errno, where a system call failed.
    package let errorNumber: Int32?

    /// An error with a code and words.
    package init(_ code: Code, _ detail: String = "", errorNumber: Int32? = nil) {
        self.code = code
        self.detail = detail
        self.errorNumber = errorNumber
    }

    /// The error that a video device's error means for whoever uses the camera.
    ///
    /// - Parameters:
    ///   - error: What the device said.
    ///   - wasOpen: Whether it had been opened before: then it is not absent but removed.
    package init(_ error: VideoError, wasOpen: Bool) {
        let code: Code =
            switch error.code {
            case .absent: wasOpen ? .removed : .absent
            case .denied: .denied
            case .busy: .inUse
            case .noSignal: .noSignal
            case .noBandwidth: .noBandwidth
            case .notCamera, .notSupported: .notSupported
            case .fault: .fault
            }
        self.init(code, error.operation, errorNumber: error.errorNumber)
    }

    package var description: String { detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)" }
}
