import Consent
import EventLoop
import Files
import Logging
import MessageSchema
import Messaging

/// Services on real sockets in a directory of their own, which answer what a test says.
final class Services: Sendable {
    let library: MessageServer
    let probe: MessageServer
    let coordinator: MessageServer
    let capture: MessageServer
    let directory: String
    private let folder: SharedFolder

    init() throws {
        folder = try SharedFolder()
        directory = folder.path
        let loop = EventLoop(name: "services")
        func server(_ name: ServiceName, _ directory: String) throws -> MessageServer {
            let configuration = ServerConfiguration(
                endpoint: ServiceEndpoint(service: name.rawValue, runtimeDirectory: directory),
                identity: IdentityRules(deployment: .personal, roleVerifiers: [:], serviceUser: 0)
            )
            // A context each, as in processes of their own.
            return MessageServer(
                configuration,
                context: try MessagingContext(),
                loop: loop,
                log: Logger(service: name.rawValue, sink: .discard)
            )
        }
        library = try server(.library, directory)
        probe = try server(.probe, directory)
        coordinator = try server(.coordinator, directory)
        capture = try server(.capture, directory)
    }

    func start() async throws {
        for server in [library, probe, coordinator, capture] { try await server.start() }
    }
}

/// A temporary directory that several hold.
private final class SharedFolder: Sendable {
    private let folder: TemporaryDirectory

    var path: String { folder.path }

    init() throws(FilesError) { folder = try TemporaryDirectory() }
}
