import Consent
import EventLoop
import Glibc
import Hashing
import Logging
import MessageSchema
import Messaging
import ServiceRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Requests of operators` {
    @Test func `a refusal says what, why and what to do, and is logged once`() async throws {
        try await withTemporaryDirectory { path in
            let log = LogRecord()
            let endpoint = ServiceEndpoint(service: "coordinator", runtimeDirectory: path)
            let server = MessageServer(
                ServerConfiguration(
                    endpoint: endpoint,
                    identity: IdentityRules(
                        deployment: .personal,
                        roleVerifiers: [.capture: SHA256Digest(hashing: "5ec7e7")],
                        serviceUser: geteuid()
                    )
                ),
                context: try MessagingContext(),
                loop: EventLoop(name: "server"),
                log: Logger(service: "coordinator", sink: log.sink)
            )
            let operators = Operators(policy: Policy(), deployment: .personal, user: geteuid())
            await server.register(ListPrompts.self, access: .operators(operators, of: .coordinator)) { _, _ in
                .init(prompts: [])
            }
            try await server.start()
            // A service is no operator, whoever runs it.
            let capture = try MessageClient(
                endpoint,
                as: .role(.capture, key: "5ec7e7"),
                context: MessagingContext(),
                loop: EventLoop(name: "client")
            )
            let error = await #expect(throws: ErrorReply.self) { _ = try await capture.call(ListPrompts()) }
            #expect(error?.code == .operatorRequired)
            #expect(error?.reason?.isEmpty == false && error?.recoverySuggestion?.isEmpty == false)
            #expect(log.lines.count { $0.contains("refused") } == 1, "\(log.lines)")
            await server.stop()
        }
    }
}
