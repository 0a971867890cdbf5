package import Consent

extension PeerIdentity {
    /// Whether the process that connected has ended.
    ///
    /// One or two system calls that do not wait; another process of the same number is another process.
    package var isGone: Bool { Self.isGone(processID, startedAt: startTime) }

    /// Whether the process of this number has ended that started so many clock ticks after the machine; does not wait.
    package static func isGone(_ processID: Int32, startedAt start: UInt64) -> Bool {
        ProcessRecord.isGone(processID, startedAt: start)
    }
}
