import MessageSchema

/// Who follows which job: each follower gets the newest state, and may miss the ones between.
struct ExportFeed {
    private var followers: [String: [Int: AsyncStream<ExportJob>.Continuation]] = [:]
    private var count = 0

    /// A stream of a job's states, which begins with the present one.
    mutating func follow(_ job: ExportJob, leave: @escaping @Sendable (Int) -> Void) -> AsyncStream<ExportJob> {
        count += 1
        let number = count
        let (stream, continuation) = AsyncStream.makeStream(of: ExportJob.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(job)
        continuation.onTermination = { _ in leave(number) }
        followers[job.job, default: [:]][number] = continuation
        return stream
    }

    mutating func leave(_ job: String, _ number: Int) {
        followers[job]?[number] = nil
        if followers[job]?.isEmpty == true { followers[job] = nil }
    }

    /// Tells everybody who follows the job.
    func publish(_ job: ExportJob) {
        for follower in (followers[job.job] ?? [:]).values { follower.yield(job) }
    }

    /// Ends all streams.
    mutating func end() {
        for follower in followers.values.flatMap(\.values) { follower.finish() }
        followers = [:]
    }
}
