private import Glibc

/// Descriptors 0, 1 and 2, which a process may be started without.
package enum StandardStreams {
    /// Takes the place of those that are closed, so that no socket or file of ours gets their number.
    ///
    /// Otherwise a line of output would be written into whatever was opened first. Reading or writing them fails with
    /// EBADF, as it would if they were closed. Call it before anything is opened.
    package static func occupy() {
        for descriptor in CInt(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free is the one that is missing (open(2)).
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
