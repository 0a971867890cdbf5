import HotPlug
import TestSupport
import Testing
import Timekeeping

@testable import CapabilityProbeService

@Suite("When the machine is looked at", .tags(.unit), .timeLimit(.minutes(1)))
struct LookPlanTests {
    private static func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }

    /// News that were heard as soon as they came.
    private static func hear(_ plan: inout LookPlan, _ node: String, at milliseconds: Int64) {
        plan.hear(PlugNews(of: [node], since: at(milliseconds)), at: at(milliseconds))
    }

    /// A plan that somebody watches by, and that has looked at 1000.
    private static func watched() -> LookPlan {
        var plan = LookPlan()
        plan.watch(by: 1)
        plan.look(at: at(1000), unready: [])
        return plan
    }

    @Test func `nothing is due while nobody watches, and who asks gets a new look after an event`() {
        var plan = LookPlan()
        #expect(plan.isStale(at: Self.at(0)))
        plan.look(at: Self.at(1000), unready: [])
        #expect(!plan.isStale(at: Self.at(1499)))
        #expect(plan.isStale(at: Self.at(1500)))
        Self.hear(&plan, "video0", at: 1100)
        #expect(plan.due == nil)
        #expect(plan.isStale(at: Self.at(1100)))
        plan.look(at: Self.at(1101), unready: ["video0"])
        #expect(plan.due == nil)
    }

    @Test func `who watches is served now and then without any event`() {
        var plan = Self.watched()
        #expect(plan.due == Self.at(3000))
        plan.watch(by: 1)
        plan.watch(by: -1)
        #expect(plan.due == Self.at(3000))
        plan.watch(by: -1)
        #expect(plan.due == nil)
    }

    @Test func `events are gathered from the first on, and no storm puts the look off`() {
        var plan = Self.watched()
        for time in stride(from: Int64(2000), to: 2030, by: 1) {
            Self.hear(&plan, "video\(time)", at: time)
        }
        #expect(plan.due == Self.at(2030))
        plan.look(at: Self.at(2031), unready: [])
        #expect(plan.due == Self.at(4031))
    }

    @Test func `a new node that can not be opened is tried again, less and less often, until it has settled`() {
        var plan = Self.watched()
        Self.hear(&plan, "video0", at: 2000)
        var looks: [Int64] = []
        while let due = plan.due, due <= Self.at(4000) {
            looks.append(due.milliseconds)
            #expect(plan.isSettling("video0", at: due) == (due < Self.at(4000)))
            plan.look(at: due, unready: ["video0"])
        }
        #expect(looks == [2030, 2080, 2180, 2380, 2780, 3580, 4000])
        #expect(plan.due == Self.at(6000))
    }

    @Test func `a node that opens, goes, or is no new one is not tried again`() {
        var plan = Self.watched()
        Self.hear(&plan, "video0", at: 2000)
        plan.look(at: Self.at(2030), unready: ["video7"])
        #expect(plan.due == Self.at(4030))
        Self.hear(&plan, "video0", at: 5000)
        plan.look(at: Self.at(5030), unready: [])
        #expect(plan.due == Self.at(7030))
    }

    @Test func `an event begins the trying anew`() {
        var plan = Self.watched()
        Self.hear(&plan, "video0", at: 2000)
        for time: Int64 in [2030, 2080, 2180] { plan.look(at: Self.at(time), unready: ["video0"]) }
        Self.hear(&plan, "video0", at: 2200)
        #expect(plan.due == Self.at(2230))
        plan.look(at: Self.at(2230), unready: ["video0"])
        #expect(plan.due == Self.at(2280))
        #expect(plan.isSettling("video0", at: Self.at(4199)))
    }

    @Test func `whatever happens, a watcher is never left without a look, and never looked for in a hurry`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var plan = Self.watched()
            var now: Int64 = 1000
            for _ in 0..<200 {
                now += Int64.random(in: 0...700, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: Self.hear(&plan, "video\(Int.random(in: 0..<400, using: &random))", at: now)
                case 1:
                    let unready = (0..<3).map { _ in "video\(Int.random(in: 0..<400, using: &random))" }
                    plan.look(at: Self.at(now), unready: unready)
                    #expect(plan.due.map { $0 > Self.at(now) } == true)
                default: break
                }
                #expect(plan.due.map { $0 <= Self.at(now + 2000) } == true)
            }
        }
    }
}
