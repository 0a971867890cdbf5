private import CLinux
private import Glibc
private import Synchronization

/// A thread of an actor's own, for calls that block: disk, database, waiting for a child.
///
/// An actor stores it, gives `executor` as its `unownedExecutor`, and has an `isolated deinit`, so that what it holds is
/// closed on the thread. The thread ends when this value is dropped and the work queued before is done.
package final class BlockingThread: Sendable {
    /// The executor to pin an actor to; it lives as long as its thread.
    package let executor: Executor

    /// Starts the thread; of the name the first 15 bytes are shown by the kernel.
    package init(name: String) {
        executor = Executor(name: name)
        executor.start()
    }

    deinit {
        executor.stop()
    }

    /// Runs jobs one after the other on its thread.
    package final class Executor: SerialExecutor {
        private struct State {
            var jobs: [UnownedJob] = []
            var isStopped = false
            var thread: UInt?
        }

        private let name: String
        private let wake: FileDescriptor
        private let state = Mutex(State())

        fileprivate init(name: String) {
            self.name = String(name.prefix(15))
            let event = clinux_eventfd()
            precondition(event >= 0, "a thread needs one descriptor to be woken by")
            wake = FileDescriptor(adopting: event)
        }

        package func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            state.withLock { state in
                precondition(
                    !state.isStopped,
                    "an actor outlives its thread: it must store it and have an isolated deinit"
                )
                state.jobs.append(job)
            }
            ring()
        }

        package func isSameExclusiveExecutionContext(other: Executor) -> Bool { self === other }

        package func checkIsolated() {
            precondition(isOnThread, "called off the thread that owns this")
        }

        package func isIsolatingCurrentContext() -> Bool? { isOnThread }

        fileprivate func start() {
            var thread = pthread_t()
            let box = unsafe Unmanaged.passRetained(self).toOpaque()
            let number = unsafe pthread_create(
                &thread,
                nil,
                { argument in
                    guard let argument = unsafe argument else { return nil }
                    unsafe Unmanaged<Executor>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                },
                box
            )
            precondition(number == 0, "the system has no thread left")
            pthread_detach(thread)
        }

        fileprivate func stop() {
            state.withLock { $0.isStopped = true }
            ring()
        }

        private var isOnThread: Bool {
            state.withLock { $0.thread == UInt(pthread_self()) }
        }

        private func run() {
            unsafe clinux_set_thread_name(name)
            state.withLock { $0.thread = UInt(pthread_self()) }
            while true {
                let (jobs, isStopped) = state.withLock { state in
                    let jobs = state.jobs
                    state.jobs.removeAll(keepingCapacity: true)
                    return (jobs, state.isStopped)
                }
                for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
                if !jobs.isEmpty { continue }
                if isStopped { return }
                sleep()
            }
        }

        private func ring() {
            var one: UInt64 = 1
            // Full means that it has been rung often enough.
            _ = unsafe write(wake.rawValue, &one, 8)
        }

        private func sleep() {
            _ = clinux_wait(wake.rawValue, Int16(POLLIN), -1)
            var count: UInt64 = 0
            _ = unsafe read(wake.rawValue, &count, 8)
        }
    }
}
