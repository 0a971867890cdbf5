import Consent
import Testing
import Timekeeping

@testable import Messaging

@Suite("The publisher's ledger", .timeLimit(.minutes(1)))
struct FollowerLedgerTests {
    private func identity(_ pid: Int32) -> PeerIdentity {
        PeerIdentity(
            principal: .user(1),
            userID: 1,
            groupID: 1,
            processID: pid,
            startTime: 9,
            label: "",
            role: .capture
        )
    }

    private func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }

    @Test func `who has no lease is not waited for`() {
        var ledger = FollowerLedger(lease: .seconds(5))
        _ = ledger.join(identity(1))
        let wait = ledger.publish(1, at: at(0))
        let outcomes = ledger.outcomes(of: wait)
        #expect(outcomes == [])
    }

    @Test func `the first acknowledgement asks for an echo, later ones do not`() {
        var ledger = FollowerLedger(lease: .seconds(5))
        let id = ledger.join(identity(1))
        #expect(ledger.heard(id) == nil)
        let isFirst = ledger.acknowledge(id, number: 0, ordinal: 1, at: at(0))
        #expect(isFirst)
        let isFirstAgain = ledger.acknowledge(id, number: 0, ordinal: 2, at: at(1))
        #expect(!isFirstAgain)
        #expect(ledger.heard(id) == 2)
    }

    @Test func `an update is settled when it is acknowledged, not by an older acknowledgement`() {
        var ledger = FollowerLedger(lease: .seconds(5))
        let id = ledger.join(identity(1))
        _ = ledger.acknowledge(id, number: 0, ordinal: 1, at: at(0))
        let wait = ledger.publish(1, at: at(10))
        _ = ledger.acknowledge(id, number: 0, ordinal: 2, at: at(20))
        let before = ledger.outcomes(of: wait)
        #expect(before == nil)
        _ = ledger.acknowledge(id, number: 1, ordinal: 3, at: at(30))
        let after = ledger.outcomes(of: wait)
        #expect(after == [.applied])
    }

    @Test func `the wait ends with the lease held at publishing, whatever comes later`() {
        var ledger = FollowerLedger(lease: .seconds(5))
        let id = ledger.join(identity(1))
        _ = ledger.acknowledge(id, number: 0, ordinal: 1, at: at(0))
        let wait = ledger.publish(1, at: at(10))
        _ = ledger.acknowledge(id, number: 0, ordinal: 2, at: at(4_000))
        #expect(ledger.nextEnd(of: wait) == at(5_000))
        let early = ledger.settle(at: at(4_999), isAlive: { _ in true })
        #expect(early == [])
        let expelled = ledger.settle(at: at(5_000), isAlive: { _ in true })
        #expect(expelled == [id])
        let outcomes = ledger.outcomes(of: wait)
        #expect(outcomes == [.leaseLost])
        // It is out: what it says does not count any more.
        let counts = ledger.acknowledge(id, number: 1, ordinal: 3, at: at(5_001))
        #expect(!counts)
    }

    @Test func `a follower that left is waited for while its process lives and its lease runs`() {
        var ledger = FollowerLedger(lease: .seconds(5))
        let id = ledger.join(identity(1))
        _ = ledger.acknowledge(id, number: 0, ordinal: 1, at: at(0))
        ledger.leave(id)
        let wait = ledger.publish(1, at: at(10))
        let expelledWhileAlive = ledger.settle(at: at(20), isAlive: { _ in true })
        #expect(expelledWhileAlive == [])
        let whileAlive = ledger.outcomes(of: wait)
        #expect(whileAlive == nil)
        let expelledWhenDead = ledger.settle(at: at(30), isAlive: { _ in false })
        #expect(expelledWhenDead == [])
        let whenDead = ledger.outcomes(of: wait)
        #expect(whenDead == [.gone])
        #expect(!ledger.hasDisconnected)
    }

    @Test func `a process that comes back settles what its old stream owed`() {
        var ledger = FollowerLedger(lease: .seconds(5))
        let old = ledger.join(identity(1))
        _ = ledger.acknowledge(old, number: 0, ordinal: 1, at: at(0))
        let wait = ledger.publish(1, at: at(10))
        ledger.leave(old)
        let other = ledger.join(identity(2))
        _ = ledger.acknowledge(other, number: 1, ordinal: 1, at: at(20))
        let before = ledger.outcomes(of: wait)
        #expect(before == nil)
        let new = ledger.join(identity(1))
        _ = ledger.acknowledge(new, number: 1, ordinal: 1, at: at(30))
        let after = ledger.outcomes(of: wait)
        #expect(after == [.applied])
    }

    @Test func `a lease that has run out is not waited for`() {
        var ledger = FollowerLedger(lease: .seconds(5))
        let id = ledger.join(identity(1))
        _ = ledger.acknowledge(id, number: 0, ordinal: 1, at: at(0))
        let wait = ledger.publish(1, at: at(5_000))
        let outcomes = ledger.outcomes(of: wait)
        #expect(outcomes == [])
        ledger.leave(id)
        _ = ledger.settle(at: at(5_001), isAlive: { _ in true })
        #expect(ledger.count == 0 && !ledger.hasDisconnected)
    }
}
