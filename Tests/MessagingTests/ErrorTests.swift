import Consent
import MessageSchema
import Testing

@testable import Messaging

/// Every error says what, why, and what to do.
@Suite("What errors say", .timeLimit(.minutes(1)))
struct ErrorTests {
    @Test(arguments: ErrorCode.allCases)
    func `every code has a reason and a way out, even if its maker gave none`(code: ErrorCode) {
        expectWords(ErrorReply(code, "What happened."))
        expectWords(.assetsLibrary(-1, code, "What happened."))
    }

    @Test func `no two codes of the wire give the same reason`() {
        let wire: [ErrorCode] = [
            .badMessage, .unknownRequest, .tooLarge, .tooManyRequests, .deadlineExceeded, .cancelled, .holderSilent,
            .eventsLost, .idempotencyConflict, .roleRequired, .operatorRequired, .unprovenIdentity, .shuttingDown,
            .internalFault, .serviceUnavailable, .serverSilent, .notYetAvailable, .invalidArgument,
        ]
        #expect(Set(wire.map(\.usualReason)).count == wire.count)
    }

    @Test func `what the library of messages itself answers is complete`() {
        let ends: [EndReason] = [
            .cancelled, .deadlineExceeded, .holderSilent, .peerGone, .shuttingDown, .badMessage, .failed,
        ]
        for end in ends { expectWords(ErrorReply(end)) }
        let own: [ErrorReply] = [
            .roleRequired, .shuttingDown, .cancelled, .deadlineExceeded, .idempotencyConflict, .serviceUnavailable("x"),
            .connectionLost("x"), .connectionRefused("x"), .serverSilent("x"), ErrorReply(received: nil),
            ErrorReply(MalformedMessage(.notJSON, "the body")), ErrorReply(MalformedMessage(.tooLarge, "the body")),
        ]
        for error in own { expectWords(error) }
    }

    @Test func `a refusal says over the wire what, why and what to do`() async throws {
        let cluster = try Cluster()
        await cluster.server.register(Add.self, access: .anyRole) { _, _ in Add.Reply(sum: 0) }
        await cluster.server.register(Fail.self) { _, _ in throw ErrorReply(.operatorRequired, "No.") }
        await cluster.server.register(Hang.self) { _, _ in throw CancellationError() }
        try await cluster.server.start()
        let client = try cluster.client()
        for request in ["role", "operator", "unknown", "ended"] {
            let error = await #expect(throws: ErrorReply.self) {
                switch request {
                case "role": _ = try await client.call(Add(left: 1, right: 1))
                case "operator": _ = try await client.call(Fail(how: ""))
                case "unknown": _ = try await client.call(Who())
                default: _ = try await client.call(Hang())
                }
            }
            expectWords(try #require(error))
        }
        await cluster.server.stop()
    }

    private func expectWords(_ error: ErrorReply, _ location: SourceLocation = #_sourceLocation) {
        #expect(!error.description.isEmpty, "\(error)", sourceLocation: location)
        #expect(error.reason?.isEmpty == false, "\(error)", sourceLocation: location)
        #expect(error.recoverySuggestion?.isEmpty == false, "\(error)", sourceLocation: location)
    }
}
