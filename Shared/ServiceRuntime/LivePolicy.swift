package import Consent
import Files
private import Synchronization
private import Timekeeping

/// The policy that holds now: read at the start, and again when the service is told to (SIGHUP).
///
/// Any thread may use it. The known containers are those of the start: identities are proven by them.
package final class LivePolicy: Sendable {
    private struct State {
        var operators: Operators
        var policy: Policy
        /// When it was read.
        var read = Timestamp.now()
        var changed: (@Sendable (Policy) async -> Void)?
    }

    private let read: @Sendable () throws -> Policy
    /// What the policy file is now; nil for none.
    let fileStatus: @Sendable () -> FileStatus?
    /// Begins a watch from what the file was immediately before it was read at the start: what is written since is noticed.
    let watch: PolicyWatch
    /// Control group prefixes below which a container's name is proof, as the start found them.
    let containers: [String]
    private let resolve: @Sendable (Policy) -> Operators
    private let state: Mutex<State>

    /// Takes a policy that was read.
    ///
    /// - Parameters:
    ///   - policy: What was read.
    ///   - deployment: Decides who is an operator without being named.
    ///   - user: The user of the cluster.
    ///   - status: What the file was before it was read.
    ///   - fileStatus: Looks at the file; may block.
    ///   - read: Reads the policy again; may block.
    init(
        _ policy: Policy,
        deployment: Deployment,
        user: UInt32,
        readFrom status: FileStatus? = nil,
        fileStatus: @escaping @Sendable () -> FileStatus? = { nil },
        read: @escaping @Sendable () throws -> Policy
    ) {
        self.read = read
        self.fileStatus = fileStatus
        watch = PolicyWatch(from: status)
        containers = policy.containers
        resolve = { Operators(policy: $0, deployment: deployment, user: user) }
        state = Mutex(State(operators: resolve(policy), policy: policy))
    }

    /// Reads the policy for the first time; blocks meanwhile.
    ///
    /// - Throws: What reading throws.
    convenience init(
        deployment: Deployment,
        user: UInt32,
        fileStatus: @escaping @Sendable () -> FileStatus?,
        read: @escaping @Sendable () throws -> Policy
    ) throws {
        // In this order: a file that is written in between is another one for the watch.
        let status = fileStatus()
        self.init(
            try read(),
            deployment: deployment,
            user: user,
            readFrom: status,
            fileStatus: fileStatus,
            read: read
        )
    }

    /// Who may speak for the person now.
    package var operators: Operators { state.withLock { $0.operators } }

    /// What is forbidden now.
    package var restrictions: [Restriction] { state.withLock { $0.policy.restrictions } }

    /// What is allowed now where nobody has decided.
    package var granted: [PolicyGrant] { state.withLock { $0.policy.granted } }

    /// When what holds now was read, in RFC 3339.
    package var readAt: String { state.withLock { $0.read.description } }

    /// Has the policy told, from now on, whenever it was read again.
    package func onReload(_ changed: @escaping @Sendable (Policy) async -> Void) {
        state.withLock { $0.changed = changed }
    }

    /// Reads the policy again, and returns when those who follow it have taken it.
    ///
    /// Reads files on a thread of the pool, which is rare and short.
    ///
    /// - Throws: What reading throws; the policy is the one before then.
    @concurrent
    package func reload() async throws {
        let policy = try read()
        let operators = resolve(policy)
        let changed = state.withLock { state in
            state.operators = operators
            state.policy = policy
            state.read = .now()
            return state.changed
        }
        await changed?(policy)
    }
}
