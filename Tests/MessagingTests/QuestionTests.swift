import Consent
import MessageSchema
import Testing

@testable import Messaging

@Suite("A deadline while the person is asked", .timeLimit(.minutes(1)))
struct QuestionTests {
    @Test func `says that nobody answered, what was asked and what helps`() async throws {
        let cluster = try Cluster()
        await cluster.server.register(Hang.self) { _, call in
            try await call.question.asking(about: [Need(.camera("front"), .use), Need(.library, .addOnly)]) {
                try await Task.sleep(for: .seconds(3600))
            }
            return Empty()
        }
        await cluster.server.register(Echo.self) { _, call in
            // Answered: what takes so long now is something else.
            await call.question.asking(about: [Need(.export)]) {}
            try await Task.sleep(for: .seconds(3600))
            return Empty()
        }
        try await cluster.server.start()
        let client = try cluster.client()
        let options = CallOptions(timeout: .milliseconds(100))
        let error = await #expect(throws: ErrorReply.self) { _ = try await client.call(Hang(), options) }
        #expect(error?.code == .deadlineExceeded && error?.cause == "unanswered")
        #expect(error?.reason?.contains("camera/front use, library addOnly") == true, "\(String(describing: error))")
        #expect(error?.recoverySuggestion?.contains("--timeout") == true)
        let other = await #expect(throws: ErrorReply.self) { _ = try await client.call(Echo(), options) }
        #expect(other?.code == .deadlineExceeded && other?.cause == nil)
    }
}
