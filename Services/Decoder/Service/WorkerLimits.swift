private import CLinux
private import Glibc

/// What a worker may use; it sets these on itself before it looks at any file.
package struct WorkerLimits: Hashable, Sendable {
    /// Bytes of address space, the program itself included.
    package var memory: UInt64 = 3 << 30
    /// Descriptors open at a time.
    package var openFiles: UInt64 = 32
    /// Seconds of processor time for one job.
    package var processorSeconds: UInt64 = 30

    package init() {}

    /// Applies the limits that hold for the worker's whole life, and gives up core dumps.
    package func apply() {
        _ = clinux_limit_own_memory(memory)
        _ = clinux_limit_own_files(openFiles)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// Lets the process use so many more seconds; with them gone it is killed (setrlimit(2), SIGXCPU).
    package func grantProcessorTime() {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let used = UInt64(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        let kind = __rlimit_resource_t(RLIMIT_CPU.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = min(rlim_t(used + processorSeconds + 1), limit.rlim_max)
        unsafe setrlimit(kind, &limit)
    }
}
