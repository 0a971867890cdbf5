import Hashing
import LibraryIndexService
import MessageSchema
import Redaction
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RedactionShelfTests {
    private static func key(_ number: UInt8, _ profile: PrivacyProfile = .location) -> RedactionShelf.Key {
        RedactionShelf.Key(digest: SHA256Digest(hashing: [number]), profile: profile)
    }

    /// A content of new bytes alone.
    private static func content(_ byteCount: Int = 10) -> RedactionShelf.Made {
        var redaction = Redaction()
        redaction.append(.literal([UInt8](repeating: 7, count: byteCount)))
        return RedactionShelf.Made(redaction: redaction, digest: SHA256Digest(hashing: [7]))
    }

    /// How often something was made, and a gate that it waits at.
    private final class Maker: Sendable {
        private let calls = Mutex(0)
        private let gate = AsyncStream<Void>.makeStream()

        var count: Int { calls.withLock { $0 } }

        func open() { gate.continuation.finish() }

        func make() async throws -> RedactionShelf.Made {
            calls.withLock { $0 += 1 }
            for await _ in gate.stream {}
            try Task.checkCancellation()
            return RedactionShelfTests.content()
        }
    }

    /// Looks again and again; ends with the test's time limit.
    private func wait(until condition: () async -> Bool) async throws {
        while await !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `a content is made once for all who wait, also when one of them is cancelled`() async throws {
        let shelf = RedactionShelf()
        let maker = Maker()
        let first = Task { try await shelf.made(Self.key(1)) { _ in try await maker.make() } }
        let second = Task { try await shelf.made(Self.key(1)) { _ in try await maker.make() } }
        try await wait { await shelf.waiting(for: Self.key(1)) == 2 }
        first.cancel()
        try await wait { await shelf.waiting(for: Self.key(1)) == 1 }
        maker.open()
        let made = try await second.value
        #expect(made == Self.content())
        #expect(maker.count == 1)
        let again = try await shelf.made(Self.key(1)) { _ in try await maker.make() }
        #expect(again == made)
        #expect(maker.count == 1)
    }

    @Test func `what nobody waits for is not made on, and is made anew for the next one`() async throws {
        let shelf = RedactionShelf()
        let maker = Maker()
        let only = Task { try await shelf.made(Self.key(1)) { _ in try await maker.make() } }
        try await wait { await shelf.waiting(for: Self.key(1)) == 1 && maker.count == 1 }
        only.cancel()
        let result = await only.result
        #expect(throws: CancellationError.self) { _ = try result.get() }
        let made = try await shelf.made(Self.key(1)) { _ in Self.content() }
        #expect(made == Self.content())
    }

    @Test func `pieces are forgotten by their bytes, the newest last, and hashes are not`() async throws {
        let shelf = RedactionShelf()
        let known = Mutex<[Bool]>([])
        for number: UInt8 in [1, 2, 3, 4, 4, 1] {
            _ = try await shelf.made(Self.key(number)) { digest in
                known.withLock { $0.append(digest != nil) }
                return Self.content(20 << 20)
            }
        }
        // Three of them fit: the first one is made again, and needs no hash.
        let told = known.withLock { $0 }
        #expect(told == [false, false, false, false, true])
    }

    @Test func `what cost decoders is refused for its profile, and not made again`() async throws {
        let shelf = RedactionShelf()
        await shelf.refuse(Self.key(1), because: "it ended them")
        let code = await refusal { _ = try await shelf.made(Self.key(1)) { _ in Self.content() } }
        #expect(code == .notRedacted(reason: "it ended them"))
        let other = try await shelf.made(Self.key(1, .all)) { _ in Self.content() }
        #expect(other == Self.content())
    }
}
