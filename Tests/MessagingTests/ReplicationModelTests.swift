import Consent
import Testing
import Timekeeping

@testable import Messaging

@Suite("Replication, whatever is late or lost", .timeLimit(.minutes(1)))
struct ReplicationModelTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `nobody acts on an old state once an update is settled, which takes no longer than a lease`(seed: UInt64) {
        var world = ReplicationModel(seed: seed, lease: .seconds(5))
        for _ in 0..<600 {
            world.step()
            if let problem = world.problem {
                Issue.record("seed \(seed): \(problem)")
                return
            }
        }
        #expect(world.settled > 0)
    }
}

/// Followers, a publisher's ledger, and everything that can be late or lost between them, driven at random.
private struct ReplicationModel {
    private enum Item {
        case snapshot(Int64), update(Int64), heartbeat(heard: Int64?)
    }

    /// A process and what it believes, by the rules of ``StateFollower``.
    private struct Follower {
        var identity: PeerIdentity
        var stream: FollowerLedger.ID?
        var inbox: [Item] = []
        var acks: [(number: Int64, ordinal: Int64)] = []
        var number: Int64 = -1
        var ordinal: Int64 = 0
        var sent: [(ordinal: Int64, at: BootInstant)] = []
        var leaseEnd: BootInstant?
    }

    private let lease: Duration
    private var random: SplitMix
    private var now = BootInstant(milliseconds: 1_000_000)
    private var ledger: FollowerLedger
    private var followers: [Follower]
    private var number: Int64 = 0
    private var open: [(wait: UInt64, number: Int64, at: BootInstant)] = []
    private var settledNumber: Int64 = 0
    private var lastProcess: Int32 = 3
    private(set) var settled = 0
    private(set) var problem: String?

    init(seed: UInt64, lease: Duration) {
        self.lease = lease
        random = SplitMix(state: seed)
        ledger = FollowerLedger(lease: lease)
        followers = (1...3).map { Follower(identity: Self.process($0)) }
    }

    mutating func step() {
        let index = Int.random(in: followers.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<15: now = now + .milliseconds(Int.random(in: 1...400, using: &random))
        case 15..<50: deliver(to: index)
        case 50..<75: acknowledge(from: index)
        case 75..<82: sendHeartbeats()
        case 82..<88: publish()
        case 88..<95: connect(index)
        case 95..<98: disconnect(index)
        case 98: replaceProcess(index)
        default: now = now + .milliseconds(Int.random(in: 400...3_000, using: &random))
        }
        settle()
        check()
    }

    private static func process(_ id: Int32) -> PeerIdentity {
        PeerIdentity(principal: .user(1), userID: 1, groupID: 1, processID: id, startTime: 7, label: "service")
    }

    private mutating func deliver(to index: Int) {
        guard !followers[index].inbox.isEmpty else { return }
        switch followers[index].inbox.removeFirst() {
        case .snapshot(let number), .update(let number): followers[index].number = number
        case .heartbeat(let heard?):
            if let last = followers[index].sent.last(where: { $0.ordinal <= heard }) {
                followers[index].sent.removeAll { $0.ordinal <= heard }
                followers[index].leaseEnd = last.at + lease
            }
        case .heartbeat(nil): break
        }
        followers[index].ordinal += 1
        followers[index].sent.append((followers[index].ordinal, now))
        followers[index].acks.append((followers[index].number, followers[index].ordinal))
    }

    private mutating func acknowledge(from index: Int) {
        guard let stream = followers[index].stream, !followers[index].acks.isEmpty else { return }
        let ack = followers[index].acks.removeFirst()
        if ledger.acknowledge(stream, number: ack.number, ordinal: ack.ordinal, at: now) {
            followers[index].inbox.append(.heartbeat(heard: ledger.heard(stream)))
        }
    }

    private mutating func sendHeartbeats() {
        for index in followers.indices {
            guard let stream = followers[index].stream else { continue }
            followers[index].inbox.append(.heartbeat(heard: ledger.heard(stream)))
        }
    }

    private mutating func publish() {
        number += 1
        open.append((ledger.publish(number, at: now), number, now))
        for index in followers.indices where followers[index].stream != nil {
            followers[index].inbox.append(.update(number))
        }
    }

    private mutating func connect(_ index: Int) {
        guard followers[index].stream == nil else { return }
        followers[index].stream = ledger.join(followers[index].identity)
        followers[index].inbox = [.snapshot(number)]
        followers[index].ordinal = 0
        followers[index].sent = []
        followers[index].acks = []
    }

    /// The connection is lost, with everything that is on its way.
    private mutating func disconnect(_ index: Int) {
        guard let stream = followers[index].stream else { return }
        ledger.leave(stream)
        followers[index].stream = nil
        followers[index].inbox = []
        followers[index].acks = []
    }

    /// The process ends, and another takes its place.
    private mutating func replaceProcess(_ index: Int) {
        disconnect(index)
        lastProcess += 1
        followers[index] = Follower(identity: Self.process(lastProcess))
    }

    private mutating func settle() {
        let living = Set(followers.map(\.identity.processID))
        for id in ledger.settle(at: now, isAlive: { living.contains($0.processID) }) {
            if let index = followers.firstIndex(where: { $0.stream == id }) { disconnect(index) }
        }
        open.removeAll { entry in
            guard ledger.outcomes(of: entry.wait) != nil else { return false }
            settledNumber = max(settledNumber, entry.number)
            settled += 1
            return true
        }
    }

    private mutating func check() {
        for follower in followers {
            guard let end = follower.leaseEnd, now < end, follower.number < settledNumber else { continue }
            problem = "\(follower.identity.processID) acts on \(follower.number), but \(settledNumber) is settled"
        }
        if let oldest = open.first, oldest.at + lease <= now { problem = "\(oldest.number) is not settled in time" }
    }
}

/// SplitMix64: the same numbers on every run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
