import Testing

@testable import Cameras

@Suite(.timeLimit(.minutes(1)))
struct `A camera that gives nothing good` {
    /// What is done after each of so many unreadable pictures in a row, with how many there were.
    private func steps(_ count: Int, _ rule: inout RestartRule) -> [Int: RestartRule.Step] {
        var steps: [Int: RestartRule.Step] = [:]
        for number in 1...count where rule.noteUnreadable() { steps[number] = rule.restart() }
        return steps
    }

    @Test func `is started anew after 32 unreadable pictures, opened anew after 64, and given up after 96`() {
        var rule = RestartRule(most: 2)
        #expect(steps(200, &rule) == [32: .stream, 64: .open, 96: .giveUp, 128: .giveUp, 160: .giveUp, 192: .giveUp])
    }

    @Test(arguments: [1, 31, 32, 33, 95])
    func `begins anew with a good frame, which tells how many could not be read`(count: Int) {
        var rule = RestartRule(most: 2)
        #expect(steps(count, &rule).values.allSatisfy { $0 != .giveUp })
        let lost = rule.noteGood()
        #expect(lost == count)
        let none = rule.noteGood()
        #expect(none == 0)
        #expect(steps(95, &rule) == [32: .stream, 64: .open])
    }

    @Test func `counts restarts of every cause together`() {
        var rule = RestartRule(most: 2)
        // A silence, then pictures that can not be read.
        let first = rule.restart()
        #expect(first == .stream)
        #expect(steps(64, &rule) == [32: .open, 64: .giveUp])
    }

    @Test func `is given up at once where no restart is allowed`() {
        var rule = RestartRule(most: 0)
        #expect(steps(32, &rule) == [32: .giveUp])
    }
}
