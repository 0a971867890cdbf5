/// Work on frames, and what ends it while no frame comes: a camera that is silent must not delay a revocation or a wish.
enum Race {
    /// Does the work until it ends, or until one of the others says so.
    ///
    /// The work is cancelled then and waited for, so whatever it holds is released when this returns.
    ///
    /// - Parameters:
    ///   - endings: Wait for something; `nil` says nothing, a value or an error ends the work with it.
    ///   - work: Ends soon when it is cancelled.
    /// - Returns: What came first.
    /// - Throws: What came first, or `CancellationError`.
    static func run<Result: Sendable>(
        until endings: [@Sendable () async throws -> Result?],
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            for ending in endings { group.addTask { try await ending() } }
            defer { group.cancelAll() }
            while let first = try await group.next() {
                if let first { return first }
            }
            throw CancellationError()
        }
    }
}
