package import Consent

extension PeerIdentity {
    /// Whether the process that connected has ended.
    ///
    /// One or two system calls that do not wait; another process of the same number is another process.
    package var isGone: Bool { ProcessRecord.isGone(processID, startedAt: startTime) }
}
