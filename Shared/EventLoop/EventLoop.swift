package import Timekeeping

/// One thread that alternates between running actor jobs and waiting in `zmq_poll`.
///
/// An actor pinned to a loop uses ZeroMQ sockets and file descriptors without locks: each of its jobs, each timer and
/// each readiness callback runs on the loop's thread. Never block that thread; do long work in another actor and come
/// back.
///
/// A pinned actor keeps its loop in a stored property. The thread ends when the last of them is gone, so there is no
/// shutdown to get wrong: cancel the tasks that wait, and drop the actors.
package final class EventLoop: Sendable {
    /// What ended a wait.
    package enum Wake: Sendable { case ready, cancelled, timedOut }

    /// Names a wait, a registration or a timer of one loop.
    package struct Token: Hashable, Sendable {
        let id: WaitID
    }

    let executor: LoopExecutor

    /// The executor for the `unownedExecutor` of an actor that keeps this loop.
    package var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Starts the loop's thread.
    ///
    /// - Parameter name: The thread's name in `/proc`; the kernel keeps 15 bytes.
    package init(name: String) {
        let executor = LoopExecutor()
        Thread.start(name: name) { executor.run() }
        self.executor = executor
    }

    deinit { executor.stop() }

    /// Whether the caller runs on this loop's thread.
    package var isCurrent: Bool { executor.isIsolatingCurrentContext() ?? false }

    /// Suspends until `source` is ready, the deadline has come, or the task is cancelled.
    ///
    /// Level-triggered: a source that is already ready ends the wait on the next turn. Call it only from an actor that
    /// is pinned to this loop; elsewhere it traps.
    ///
    /// - Parameters:
    ///   - source: What to wait for; it must stay open until the wait has ended.
    ///   - deadline: When to give up; `nil` waits without limit.
    ///   - isolation: The pinned actor.
    /// - Returns: What ended the wait.
    package func wait(
        for source: WaitSource,
        until deadline: BootInstant? = nil,
        isolation: isolated any Actor = #isolation
    ) async -> Wake {
        await suspend(source, until: deadline, isolation: isolation)
    }

    /// Suspends until `deadline` has come.
    ///
    /// A timer is never early, and late by the loop's own turn and less than a millisecond; after the machine slept, by
    /// at most five seconds. Call it only from an actor that is pinned to this loop; elsewhere it traps.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func sleep(
        until deadline: BootInstant,
        isolation: isolated any Actor = #isolation
    ) async throws(CancellationError) {
        if await suspend(nil, until: deadline, isolation: isolation) == .cancelled { throw CancellationError() }
    }

    private func suspend(
        _ source: WaitSource?,
        until deadline: BootInstant?,
        isolation: isolated any Actor
    ) async -> Wake {
        let id = executor.withWaits { $0.makeID() }
        return await withTaskCancellationHandler {
            // A closure is isolated to an `isolated` parameter only if it captures it; without this line it would run
            // on the global executor.
            _ = isolation
            return await withCheckedContinuation { continuation in
                executor.withWaits { $0.insert(.continuation(continuation), source, until: deadline, id: id) }
            }
        } onCancel: {
            executor.cancelWait(id)
        }
    }
}

// MARK: - Callbacks

/// The cheaper form of waiting: no task is resumed, the callback itself runs on the loop's thread.
///
/// Callbacks are for a pinned actor's `assumeIsolated`. They must hold that actor weakly, or the loop never ends, and the
/// actor takes its registrations back before it closes what they name. Call all of these on the loop's thread; elsewhere
/// they trap.
extension EventLoop {
    /// Calls `body` on each turn on which `source` is ready, until ``remove(_:)``.
    package func onReady(_ source: WaitSource, _ body: @escaping @Sendable () -> Void) -> Token {
        executor.withWaits { waits in
            let id = waits.makeID()
            waits.insert(.callback(body, repeats: true), source, until: nil, id: id)
            return Token(id: id)
        }
    }

    /// Calls `body` once, when `deadline` has come, unless ``remove(_:)`` is called before.
    @discardableResult
    package func schedule(at deadline: BootInstant, _ body: @escaping @Sendable () -> Void) -> Token {
        executor.withWaits { waits in
            let id = waits.makeID()
            waits.insert(.callback(body, repeats: false), nil, until: deadline, id: id)
            return Token(id: id)
        }
    }

    /// Takes back a registration or a timer; one that has ended is ignored.
    package func remove(_ token: Token) {
        executor.withWaits { _ = $0.remove(token.id) }
    }
}
