package import MessageSchema

/// Who follows which job: each follower gets the newest state, and may miss the ones between.
package struct ExportFeed {
    private struct Follower {
        let continuation: AsyncStream<ExportJob>.Continuation
        var hasHeard = false
    }

    private var followers: [String: [Int: Follower]] = [:]
    private var count = 0

    /// A feed that nobody follows.
    package init() {}

    /// A stream of a job's states from now on; `begin` gives it the present one.
    package mutating func follow(
        _ job: String,
        leave: @escaping @Sendable (Int) -> Void
    ) -> (number: Int, states: AsyncStream<ExportJob>) {
        count += 1
        let number = count
        let (stream, continuation) = AsyncStream.makeStream(of: ExportJob.self, bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in leave(number) }
        followers[job, default: [:]][number] = Follower(continuation: continuation)
        return (number, stream)
    }

    /// Gives a new follower the state that was read after it began to follow; one that has heard a newer one keeps that.
    package mutating func begin(_ number: Int, with job: ExportJob) {
        guard let follower = followers[job.job]?[number], !follower.hasHeard else { return }
        followers[job.job]?[number]?.hasHeard = true
        follower.continuation.yield(job)
    }

    /// Forgets a follower.
    package mutating func leave(_ job: String, _ number: Int) {
        followers[job]?[number] = nil
        if followers[job]?.isEmpty == true { followers[job] = nil }
    }

    /// Tells everybody who follows the job.
    package mutating func publish(_ job: ExportJob) {
        for (number, follower) in followers[job.job] ?? [:] {
            followers[job.job]?[number]?.hasHeard = true
            follower.continuation.yield(job)
        }
    }

    /// Ends all streams.
    package mutating func end() {
        for follower in followers.values.flatMap(\.values) { follower.continuation.finish() }
        followers = [:]
    }
}
