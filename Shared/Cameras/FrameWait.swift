/// The wait of a camera for the time of its next frame, which closing ends too and not only the cancelling of the task.
///
/// Confined to the actor that has it.
struct FrameWait<Time: Clock> where Time.Duration == Duration {
    private var waiting: Task<Void, any Error>?

    init() {}

    /// Begins a wait; the caller awaits it with ``ended(_:)``.
    mutating func begin(until deadline: Time.Instant, on clock: Time) -> Task<Void, any Error> {
        let task = Task { try await clock.sleep(until: deadline, tolerance: nil) }
        waiting = task
        return task
    }

    /// Ends the wait that goes on, if there is one.
    mutating func end() {
        waiting?.cancel()
        waiting = nil
    }

    /// Awaits a wait.
    ///
    /// - Throws: `cancelled` when it, or the task that awaits it, is cancelled.
    static func ended(_ task: Task<Void, any Error>) async throws(CameraError) {
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        if case .failure = result { throw CameraError(.cancelled) }
    }
}
