import Consent
import EventLoop
import Glibc
import Hashing
import Logging
import MessageSchema
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import Messaging

/// One service on real sockets in a directory of its own, and clients of it.
final class Cluster: Sendable {
    static let keys: [Role: String] = [.capture: "c0ffee", .library: "facade"]

    let directory: String
    let endpoint: ServiceEndpoint
    let loop = EventLoop(name: "server")
    let context: MessagingContext
    let server: MessageServer
    let log = LogRecord()
    let liveness: Liveness.Intervals
    /// Why handlers of this cluster were ended.
    let ends = Ends()

    init(
        service: String = "library",
        liveness: Liveness.Intervals = Liveness.Intervals(),
        deployment: Deployment = .personal,
        idempotency: any IdempotencyStore = MemoryIdempotencyStore(),
        configure: (inout ServerConfiguration) -> Void = { _ in },
        errorMapping: @escaping @Sendable (any Error) -> ErrorReply? = { _ in nil }
    ) throws {
        directory = try Self.makeDirectory()
        endpoint = ServiceEndpoint(service: service, runtimeDirectory: directory)
        context = try MessagingContext()
        self.liveness = liveness
        var configuration = ServerConfiguration(endpoint: endpoint, identity: Self.rules(deployment))
        configuration.liveness = liveness
        configure(&configuration)
        server = MessageServer(
            configuration,
            context: context,
            loop: loop,
            log: Logger(service: service, sink: log.sink),
            idempotency: idempotency,
            errorMapping: errorMapping
        )
    }

    deinit {
        for path in [endpoint.programsPath, endpoint.rolesPath, endpoint.lockPath] { unsafe unlink(path) }
        unsafe rmdir(directory)
    }

    static func rules(_ deployment: Deployment) -> IdentityRules {
        IdentityRules(
            deployment: deployment,
            roleVerifiers: keys.mapValues { SHA256Digest(hashing: $0) },
            serviceUser: geteuid()
        )
    }

    /// A client on a loop and a context of its own, as in another process.
    func client(
        as credentials: Credentials = .program,
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> MessageClient {
        var configuration = ClientConfiguration()
        configuration.liveness = liveness
        configure(&configuration)
        return try MessageClient(
            endpoint,
            as: credentials,
            context: MessagingContext(),
            loop: EventLoop(name: "client"),
            configuration: configuration
        )
    }

    /// A peer that sends whatever it is told to.
    func rawPeer(routingID: String? = nil, receiveLimit: CInt? = nil) throws -> RawPeer {
        try RawPeer(endpoint.programs, routingID: routingID, receiveLimit: receiveLimit)
    }

    /// Returns when no exchange is open and no handler runs.
    func waitUntilIdle() async {
        while !Task.isCancelled, await server.statistics().exchanges > 0 { await Task.yield() }
    }

    static func makeDirectory() throws -> String {
        var template = Array("/tmp/obscura-messaging-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template)
        try #require(unsafe made != nil)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Collects reasons, from any thread.
final class Ends: Sendable {
    private let collected = Mutex<[EndReason?]>([])

    var values: [EndReason?] { collected.withLock(\.self) }

    func append(_ reason: EndReason?) { collected.withLock { $0.append(reason) } }
}

extension Liveness.Intervals {
    /// Short enough for a test, long enough for a busy machine.
    static let quick = Liveness.Intervals(heartbeat: .milliseconds(100), silence: .milliseconds(1_500))
}

/// The code of an `ErrorReply`, or a text that no test expects.
func code(_ body: () async throws -> some Sendable) async -> String {
    do {
        _ = try await body()
        return "no error"
    } catch let error as ErrorReply {
        return error.code.rawValue
    } catch {
        return "\(error)"
    }
}
