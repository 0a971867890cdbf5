private import Glibc

/// What this process says about itself.
package enum ProcessIdentity {
    /// The process id.
    package static var current: Int32 { getpid() }
    /// The release, as `--version` and `services.list` print it.
    package static let version = "0.1.0"
}
