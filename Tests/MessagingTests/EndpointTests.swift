import Consent
import EventLoop
import Glibc
import Logging
import MessageSchema
import Testing

@testable import Messaging

@Suite("Endpoints", .timeLimit(.minutes(1)))
struct EndpointTests {
    private func second(_ cluster: Cluster, _ configure: (inout ServerConfiguration) -> Void = { _ in }) throws
        -> MessageServer
    {
        var configuration = ServerConfiguration(endpoint: cluster.endpoint, identity: Cluster.rules(.personal))
        configure(&configuration)
        return MessageServer(
            configuration,
            context: try MessagingContext(),
            loop: EventLoop(name: "second"),
            log: Logger(service: "second", sink: .discard)
        )
    }

    private func startError(_ server: MessageServer) async -> MessagingError.Code? {
        do throws(MessagingError) {
            try await server.start()
            return nil
        } catch {
            #expect(!error.description.isEmpty)
            return error.code
        }
    }

    @Test func `a running service's place can not be taken`() async throws {
        let cluster = try Cluster()
        await cluster.server.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
        try await cluster.server.start()
        #expect(await startError(try second(cluster)) == .alreadyRunning)
        #expect(try await cluster.client().call(Add(left: 1, right: 2)).sum == 3)
        await cluster.server.stop()
        let next = try second(cluster)
        #expect(await startError(next) == nil)
        await next.stop()
    }

    @Test(arguments: [(Deployment.personal, 0o600), (.system, 0o666)])
    func `sockets get the mode of the deployment`(deployment: Deployment, mode: Int) async throws {
        let cluster = try Cluster(deployment: deployment)
        try await cluster.server.start()
        var status = stat()
        try #require(unsafe lstat(cluster.endpoint.programsPath, &status) == 0)
        #expect(Int(status.st_mode & 0o777) == mode)
        try #require(unsafe lstat(cluster.endpoint.rolesPath, &status) == 0)
        #expect(Int(status.st_mode & 0o777) == 0o600)
    }

    @Test func `a server that stops leaves no sockets`() async throws {
        let cluster = try Cluster()
        try await cluster.server.start()
        let paths = [cluster.endpoint.programsPath, cluster.endpoint.rolesPath]
        #expect(paths.allSatisfy { unsafe access($0, F_OK) == 0 })
        await cluster.server.stop()
        #expect(paths.allSatisfy { unsafe access($0, F_OK) != 0 })
    }

    @Test func `a path that does not fit is a clear error`() async throws {
        let cluster = try Cluster()
        let server = try second(cluster) {
            $0.endpoint = ServiceEndpoint(
                service: "library",
                runtimeDirectory: "/tmp/" + String(repeating: "x", count: 100)
            )
        }
        #expect(await startError(server) == .pathTooLong)
    }

    @Test func `a directory that is not there is a clear error`() async throws {
        let cluster = try Cluster()
        let server = try second(cluster) {
            $0.endpoint = ServiceEndpoint(service: "library", runtimeDirectory: cluster.directory + "/none")
        }
        #expect(await startError(server) == .runtimeDirectory)
    }

    @Test func `a place is free when nobody holds it, and what holds it is waited for`() async throws {
        let cluster = try Cluster()
        #expect(cluster.endpoint.waitUntilFree(for: .zero), "nothing was there, and nothing is made")
        #expect(unsafe access(cluster.endpoint.lockPath, F_OK) != 0)
        let holder = unsafe open(cluster.endpoint.lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(holder >= 0 && flock(holder, LOCK_EX) == 0)
        #expect(!cluster.endpoint.waitUntilFree(for: .milliseconds(30)))
        async let isFree = Self.wait(for: cluster.endpoint)
        close(holder)
        #expect(await isFree)
        // It was looked at, and not taken.
        #expect(cluster.endpoint.waitUntilFree(for: .zero))
    }

    @concurrent
    private static func wait(for endpoint: ServiceEndpoint) async -> Bool { endpoint.waitUntilFree(for: .seconds(30)) }

    @Test func `a lock that is a symbolic link is not followed`() async throws {
        let cluster = try Cluster()
        try #require(unsafe symlink("/tmp/elsewhere", cluster.endpoint.lockPath) == 0)
        #expect(await startError(cluster.server) == .runtimeDirectory)
    }

    @Test func `without its authenticator a service does not start`() async throws {
        let cluster = try Cluster()
        // Everybody counts as one of another namespace, the server itself too.
        let server = try second(cluster) {
            $0.identity.overflowUser = geteuid()
            $0.selfCheckLimit = .milliseconds(300)
        }
        #expect(await startError(server) == .authenticationUnavailable)
        // Its place is free again.
        #expect(await startError(try second(cluster)) == nil)
    }

    @Test func `a socket without an authenticator lets nobody in`() async throws {
        let cluster = try Cluster()
        let context = try MessagingContext()
        let socket = try SocketHandle(.router, in: context)
        try SocketOptions.setServer(socket, domain: "test", acceptsKeys: false)
        try socket.bind(cluster.endpoint.programs)
        let client = try cluster.client()
        let result = await code {
            try await client.call(Add(left: 1, right: 1), CallOptions(timeout: .milliseconds(200)))
        }
        #expect(result == "serviceUnavailable" || result == "unprovenIdentity")
    }
}
