import TestSupport
import Testing

@testable import CapabilityProbeService

@Suite("The bulletin", .tags(.unit), .timeLimit(.minutes(1)))
struct BulletinTests {
    @Test func `what is later than the reader's is given at once, and always the latest`() async throws {
        let board = Bulletin("a")
        #expect(board.latest.number == 0)
        board.post("b")
        board.post("c")
        let entry = try await board.next(after: 0)
        #expect(entry.number == 2)
        #expect(entry.value == "c")
    }

    @Test func `everybody who waits is woken by one post`() async throws {
        let board = Bulletin(0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await board.next(after: 0).value } }
            while board.readers < 50 { try await turn() }
            board.post(7)
            for try await value in group { #expect(value == 7) }
        }
        #expect(board.readers == 0)
    }

    @Test func `a reader that gives up is forgotten, before and while it waits`() async throws {
        let board = Bulletin(0)
        for round in 0..<100 {
            let reading = Task { try await board.next(after: 0) }
            if round.isMultiple(of: 2) { while board.readers == 0 { try await turn() } }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            #expect(board.readers == 0)
        }
    }

    @Test func `no post is missed by a reader that goes on from the number it has`() async throws {
        let board = Bulletin(0)
        let posting = Task.detached { for number in 1...2_000 { board.post(number) } }
        var last = 0
        while last < 2_000 {
            let entry = try await board.next(after: last)
            #expect(entry.number > last)
            #expect(entry.value == entry.number)
            last = entry.number
        }
        await posting.value
    }
}
