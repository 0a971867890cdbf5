private import CLinux
private import Glibc

/// What a child process is started with.
package struct ChildRequest: Sendable {
    /// A descriptor of ours and the number it has in the child.
    package struct Inherited: Sendable {
        /// Our number; it stays open here.
        package var here: Int32
        /// The child's number.
        package var there: Int32

        package init(here: Int32, there: Int32) {
            self.here = here
            self.there = there
        }
    }

    /// A user and groups; the child drops the supplementary groups that it had.
    package struct Identity: Sendable {
        package var user: UInt32
        package var group: UInt32
        /// The supplementary groups.
        package var groups: [UInt32]

        package init(user: UInt32, group: UInt32, groups: [UInt32] = []) {
            self.user = user
            self.group = group
            self.groups = groups
        }
    }

    /// What the kernel holds the child to (setrlimit(2)), soft and hard.
    package struct Limits: Sendable {
        /// Bytes of address space.
        package var addressSpace: UInt64?
        /// Seconds of processor time; then SIGKILL, as the soft and hard limit are the same.
        package var processorSeconds: UInt64?
        /// Open descriptors.
        package var openFiles: UInt64?
        /// Bytes of a core file.
        package var coreBytes: UInt64?
        /// Bytes of any file it writes.
        package var fileBytes: UInt64?

        package init() {}
    }

    /// The executable.
    package var executable: String
    /// The arguments, without the executable's own name.
    package var arguments: [String] = []
    /// `NAME=value`; nil inherits ours.
    package var environment: [String: String]?
    /// Where it starts; nil is where we are.
    package var workingDirectory: String?
    /// What it gets besides nothing: standard input, output and error too are only there when listed or kept.
    package var descriptors: [Inherited] = []
    /// Whether it keeps our standard input, output and error where `descriptors` does not say otherwise.
    package var keepsStandardStreams = true
    /// Whether it leads a process group of its own, so that Ctrl-C in the terminal does not reach it.
    package var hasOwnGroup = false
    /// Whether it leads a session of its own, without a terminal.
    package var hasOwnSession = false
    /// Whom it runs as; nil stays as we are.
    package var identity: Identity?
    /// The signal it gets when we die, however we die; nil lets it live on.
    package var parentDeathSignal: Int32?
    /// Whether it, with all it starts, is kept from gaining rights by exec.
    package var hasNoNewPrivileges = false
    /// What the kernel holds it to.
    package var limits = Limits()

    package init(executable: String) {
        self.executable = executable
    }
}

/// How a child ended.
package enum ExitStatus: Hashable, Sendable {
    /// It ended by itself, with this code.
    case exited(Int32)
    /// A signal ended it.
    case signaled(Int32)
}

/// A child of this process: dropped means killed and reaped.
///
/// Its pidfd (pidfd_open(2)) becomes readable when it ends, so that an event loop can wait for it; its number is never
/// mixed up with a later process.
package struct ChildProcess: ~Copyable, Sendable {
    /// The process id, for people and for `kill` by hand.
    package let processID: Int32
    /// Readable as soon as the child has ended.
    package let descriptor: FileDescriptor

    private var outcome: ExitStatus?

    /// Starts a child; returns when it has become the executable.
    ///
    /// Blocks for some milliseconds. The fork happens on a thread that lives as long as the process, because the parent
    /// that PR_SET_PDEATHSIG watches is a thread.
    /// - Throws: what kept the child from becoming the executable, `operation` naming the step: `notFound` …
    package init(_ request: ChildRequest) throws(FilesError) {
        try FileFaults.check("spawn", path: request.executable)
        let child = try Spawner(request).spawn()
        let pidfd = clinux_pidfd_open(child)
        guard pidfd >= 0 else {
            let error = FilesError.last("spawn", path: request.executable)
            _ = Glibc.kill(child, SIGKILL)
            var status: Int32 = 0
            _ = unsafe waitpid(child, &status, 0)
            throw error
        }
        processID = child
        descriptor = FileDescriptor(adopting: pidfd)
    }

    deinit {
        guard outcome == nil else { return }
        _ = clinux_pidfd_signal(descriptor.rawValue, SIGKILL)
        var isSignal: Int32 = 0
        var value: Int32 = 0
        _ = unsafe clinux_pidfd_wait(descriptor.rawValue, 1, &isSignal, &value)
    }

    /// Sends it a signal; one that has ended gets none.
    package func signal(_ number: Int32) {
        _ = clinux_pidfd_signal(descriptor.rawValue, number)
    }

    /// How it ended, and from then on the same answer; nil while it runs.
    ///
    /// Does not block.
    package mutating func exitStatus() throws(FilesError) -> ExitStatus? {
        try reap(blocking: false)
    }

    /// Waits until it ends, at most `limit`; nil when it still runs.
    ///
    /// Blocks the thread.
    package mutating func wait(for limit: Duration? = nil) throws(FilesError) -> ExitStatus? {
        if let outcome { return outcome }
        guard try descriptor.waitUntilReadable(for: limit) else { return nil }
        return try reap(blocking: true)
    }

    private mutating func reap(blocking: Bool) throws(FilesError) -> ExitStatus? {
        if let outcome { return outcome }
        var isSignal: Int32 = 0
        var value: Int32 = 0
        let found = try retrying("wait") {
            unsafe clinux_pidfd_wait(descriptor.rawValue, blocking ? 1 : 0, &isSignal, &value)
        }
        guard found == 1 else { return nil }
        outcome = isSignal == 0 ? .exited(value) : .signaled(value)
        return outcome
    }
}
