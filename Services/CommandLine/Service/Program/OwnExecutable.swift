private import Glibc

/// This process's executable.
package enum OwnExecutable {
    /// Its path as the kernel has it (proc(5), `/proc/self/exe`); nil without a mounted `/proc`.
    package static var path: String? {
        guard let resolved = unsafe realpath("/proc/self/exe", nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
