import Logging
import Synchronization
import Testing
import Timekeeping

@Suite("The allowance of a log", .timeLimit(.minutes(1)))
struct LogAllowanceTests {
    private final class TestClock: Sendable {
        private let instant = Mutex(BootInstant(milliseconds: 1_000_000))
        var now: BootInstant { instant.withLock { $0 } }
        func advance(by duration: Duration) { instant.withLock { $0 = $0 + duration } }
    }

    private let clock = TestClock()

    private func allowance(kinds: Int = 4) -> LogAllowance {
        LogAllowance(burst: 3, interval: .seconds(10), kinds: kinds) { [clock] in clock.now }
    }

    @Test func `a flood leaves a few lines and a count of what was left out`() {
        let allowance = allowance()
        let answers = (1...1_000).map { _ in allowance.take("uid:7 roleRequired") }
        #expect(answers.prefix(3) == [0, 0, 0])
        #expect(answers.dropFirst(3).allSatisfy { $0 == nil })
        clock.advance(by: .seconds(10))
        #expect(allowance.take("uid:7 roleRequired") == 997)
        #expect(allowance.take("uid:7 roleRequired") == nil)
    }

    @Test func `one kind does not use up the lines of another`() {
        let allowance = allowance()
        for _ in 1...10 { _ = allowance.take("uid:7") }
        #expect(allowance.take("uid:8") == 0)
    }

    @Test func `inventing kinds gains nothing`() {
        let allowance = allowance()
        let written = (1...1_000).compactMap { allowance.take("uid:\($0)") }.count
        #expect(written == 4 + 3)
    }

    @Test func `kinds that were quiet make room`() {
        let allowance = allowance()
        for number in 1...4 { _ = allowance.take("uid:\(number)") }
        clock.advance(by: .seconds(30))
        for _ in 1...3 { #expect(allowance.take("uid:5") == 0) }
        #expect(allowance.take("uid:5") == nil)
        #expect(allowance.take("uid:1") == 0)
    }
}
