private import CLinux
private import Glibc

/// What keeps a worker's process, whatever code a hostile file got to run in it, from everything but its descriptors.
package enum Confinement {
    /// The kernel refused the filter.
    package struct Refused: Error, Hashable, Sendable {
        /// errno(3) of seccomp(2).
        package let errorNumber: Int32

        /// Whether the kernel has no such filters at all.
        package var isUnsupported: Bool { errorNumber == ENOSYS || errorNumber == EINVAL }
    }

    /// From here on nothing can be opened, connected to, executed or signalled by this process: such calls fail with EPERM.
    ///
    /// It holds for every thread, and for good. Descriptors that are open, and those that are received, stay usable.
    /// - Throws: `Refused` on a kernel without filters of system calls; nothing has changed then but that no privileges
    ///   can be gained.
    package static func apply() throws(Refused) {
        let number = clinux_confine_to_descriptors()
        guard number == 0 else { throw Refused(errorNumber: number) }
    }
}
