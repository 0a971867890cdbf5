import Media
import MessageSchema
import TestSupport
import Testing

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct PhotoQueueTests {
    @Test func `photos with one camera are taken in the order in which they were asked for`() async throws {
        let queue = PhotoQueue()
        try await queue.enter("a", .queue)
        let order = Notes<Int>()
        var waiting: [Task<Void, any Error>] = []
        for number in 1...3 {
            waiting.append(
                Task {
                    try await queue.enter("a", .queue)
                    order.add(number)
                    await queue.leave("a")
                }
            )
            while await queue.length(of: "a") < number { try await turn() }
        }
        // Another camera is nobody's business.
        try await queue.enter("b", .refuse)
        await queue.leave("a")
        for task in waiting { try await task.value }
        #expect(order.all == [1, 2, 3])
        try await queue.enter("a", .refuse)
    }

    @Test func `whoever does not want to wait is told when to come again`() async throws {
        let queue = PhotoQueue()
        try await queue.enter("a", .refuse)
        let error = await #expect(throws: ErrorReply.self) { try await queue.enter("a", .refuse) }
        #expect(error?.code == .cameraBusy)
        #expect(error?.retryAfter ?? 0 > 0)
        #expect(error?.parameters?["camera"] == "a")
        await queue.leave("a")
        try await queue.enter("a", .refuse)
    }

    @Test func `whoever gives up leaves the line, and the next one comes`() async throws {
        let queue = PhotoQueue()
        try await queue.enter("a", .queue)
        let impatient = Task { try await queue.enter("a", .queue) }
        while await queue.length(of: "a") < 1 { try await turn() }
        let patient = Task { try await queue.enter("a", .queue) }
        while await queue.length(of: "a") < 2 { try await turn() }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        await queue.leave("a")
        try await patient.value
        #expect(await queue.length(of: "a") == 0)
    }
}
