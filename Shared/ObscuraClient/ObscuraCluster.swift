private import FoundationEssentials
import MessageSchema
import Messaging
private import ServiceRuntime

/// A cluster on this machine: connections to its services, made when they are first needed.
///
/// One is enough for a program; everything made from it shares it. All calls may come from any task; cancelling a task
/// cancels what it asked for. A lost connection is made again by itself, and nothing is ever sent twice.
public final class ObscuraCluster: Sendable {
    /// How requests are treated.
    public struct Options: Hashable, Sendable {
        /// Why the program asks, in its own words, for the person to read; at most 200 characters.
        public var purpose: String?
        /// Whether the person may be asked for what is not decided; else such requests fail with `dismissed`.
        public var mayPrompt: Bool
        /// How long the cluster may keep the program waiting, the person's time included.
        ///
        /// For the answer of a request, for each item of an enumeration and each chunk that is read, and while something is
        /// saved for each chunk that is taken and for the answer after the last.
        public var timeout: Duration

        /// Makes options; a person gets two minutes to answer.
        public init(purpose: String? = nil, mayPrompt: Bool = true, timeout: Duration = .seconds(120)) {
            self.purpose = purpose
            self.mayPrompt = mayPrompt
            self.timeout = timeout
        }
    }

    /// How requests are treated.
    public let options: Options
    let connection: Connection

    /// Names a cluster; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - runtimeDirectory: Where the cluster's sockets are; by default `$OBSCURA_RUNTIME`, or the standard directory.
    ///   - options: How requests are treated.
    /// - Throws: ``ObscuraError`` when there is no such directory to be named, or no descriptors are left.
    public init(runtimeDirectory: String? = nil, options: Options = Options()) throws {
        let user = UserSituation(ofThisProcess: ProcessInfo.processInfo.environment)
        guard let directory = runtimeDirectory ?? StandardDirectories.runtime(user, for: .calling) else {
            throw ObscuraError(
                ErrorReply(
                    .noSuchFile,
                    "No runtime directory",
                    reason: "This user has no home directory, and $OBSCURA_RUNTIME is not set."
                )
            )
        }
        self.options = options
        do {
            connection = Connection(to: directory, context: try MessagingContext())
        } catch {
            throw ObscuraError(ErrorReply(.internalFault, "No connection", reason: String(describing: error)))
        }
    }

    // MARK: For the types of this module

    /// Asks, and waits for the reply; longer for work that lasts by itself.
    func call<R: Request>(_ request: R, lasting time: Duration = .zero) async throws -> R.Reply {
        var options = callOptions
        options.timeout = options.timeout.map { $0 + time }
        let patient = options
        return try await translating { try await connection.client(for: R.name).call(request, patient) }
    }

    func stream<R: StreamRequest>(_ request: R, window: Int = 16) async throws -> PatientStream<R> {
        let options = unboundedOptions
        return try await translating {
            let client = try await connection.client(for: R.name)
            let stream = try await patience.wait { try await client.stream(request, options, window: window) }
            return PatientStream(stream, patience)
        }
    }

    /// A stream whose items come whenever they come.
    func follow<R: StreamRequest>(_ request: R) async throws -> ItemStream<R> {
        let options = unboundedOptions
        return try await translating {
            let client = try await connection.client(for: R.name)
            return try await patience.wait { try await client.stream(request, options, window: 16) }
        }
    }

    func upload<R: UploadRequest>(
        _ request: R,
        _ next: @escaping @Sendable () async throws -> Attachment?
    ) async throws -> R.Reply {
        let options = unboundedOptions
        return try await translating {
            let client = try await connection.client(for: R.name)
            return try await patience.wait(stepping: { hasStepped in
                try await client.upload(request, options) {
                    let chunk = try await next()
                    hasStepped()
                    return chunk
                }
            })
        }
    }

    private var patience: Patience { Patience(limit: options.timeout) }

    /// A stream or an upload takes as long as it takes; what is bounded is how long it may stand still.
    private var unboundedOptions: CallOptions {
        var options = callOptions
        options.timeout = nil
        return options
    }

    private var callOptions: CallOptions {
        CallOptions(timeout: options.timeout, mayPrompt: options.mayPrompt, purpose: options.purpose)
    }
}

/// Turns the wire's error into the public one, and that of a cancelled task into `CancellationError`.
func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let error as ErrorReply {
        if error.code == .cancelled, Task.isCancelled { throw CancellationError() }
        throw ObscuraError(error)
    }
}
