package import Consent
package import MessageSchema
private import Messaging
private import Timekeeping

extension PeerIdentity {
    /// How often it is looked whether the process of a request that waits for the person is still there.
    private static var lookInterval: Duration { .seconds(1) }

    /// Does work for the process that connected, and cancels it when the process ends.
    ///
    /// The wire has no sign of life for plain requests, and a server can not see a client die; the kernel can.
    ///
    /// - Throws: What the work throws, or ``ErrorReply/askerGone`` when the process has ended.
    package func whileRunning<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await work() }
            group.addTask {
                let clock = BootClock()
                while !isGone {
                    try await clock.sleep(until: clock.now.advanced(by: Self.lookInterval), tolerance: nil)
                }
                throw ErrorReply.askerGone
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    /// Throws ``ErrorReply/askerGone`` when the process that connected has ended.
    package func checkPresence() throws(ErrorReply) {
        if isGone { throw .askerGone }
    }
}

extension ErrorReply {
    /// For the log: there is nobody to be told that the work was not done.
    package static var askerGone: ErrorReply {
        ErrorReply(.cancelled, "The program that asked is no more", cause: "peerGone")
    }
}
