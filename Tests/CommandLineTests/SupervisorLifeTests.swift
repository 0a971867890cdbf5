import MessageSchema
import Testing
import Timekeeping

@testable import CommandLineService

/// What the supervisor does with services that have served, and with those that show no life.
@Suite("A service's life", .timeLimit(.minutes(1)))
struct SupervisorLifeTests {
    private static let services: [ServiceName] = [.coordinator, .library]
    private let begin = BootInstant(milliseconds: 1_000_000)

    private func running() -> SupervisorMachine {
        var machine = SupervisorMachine(services: Self.services, watchdog: .seconds(10))
        _ = machine.handle(.start, now: begin)
        for (number, service) in Self.services.enumerated() {
            _ = machine.handle(.spawned(service, pid: Int32(number + 1)), now: begin)
            _ = machine.handle(.ready(service), now: begin)
        }
        return machine
    }

    @Test func `one that has served and refuses to run now is tried again, and the others go on`() {
        var machine = running()
        #expect(
            machine.handle(.ended(.library, "ended by signal 9", refusal: nil), now: begin).last == .spawn(.library)
        )
        _ = machine.handle(.spawned(.library, pid: 3), now: begin)
        _ = machine.handle(.status(.library, "the policy is no JSON"), now: begin)
        let actions = machine.handle(.ended(.library, "ended with code 64", refusal: 64), now: begin)
        #expect(actions == [.show(.library), .scheduleRetry(.library, after: .milliseconds(200))])
        #expect(machine.lines[.library]?.state == .restarting)
        #expect(machine.lines[.library]?.detail == "the policy is no JSON")
        #expect(machine.lines[.coordinator]?.state == .ready)
        #expect(!machine.isStopping)
        #expect(machine.handle(.retry(.library), now: begin) == [.spawn(.library)])
    }

    @Test func `one that can not be spawned again for a while is tried again, with pauses`() {
        var machine = running()
        _ = machine.handle(.ended(.library, "ended by signal 9", refusal: nil), now: begin)
        var pauses: [Duration] = []
        for _ in 0..<3 {
            let actions = machine.handle(.spawnFailed(.library, reason: "fork: no memory"), now: begin)
            for case .scheduleRetry(.library, let pause) in actions { pauses.append(pause) }
            #expect(machine.handle(.retry(.library), now: begin) == [.spawn(.library)])
        }
        #expect(pauses == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(machine.lines[.library]?.detail == "fork: no memory")
        #expect(!machine.isStopping)
    }

    @Test func `one that can not be spawned at all ends the cluster`() {
        var machine = SupervisorMachine(services: Self.services)
        _ = machine.handle(.start, now: begin)
        let actions = machine.handle(.spawnFailed(.coordinator, reason: "not there"), now: begin)
        #expect(machine.isStopping)
        #expect(actions.last == .finished(code: 69))
    }

    @Test func `one that shows no life is killed, and the reason is said`() {
        var machine = running()
        var now = begin
        for _ in 0..<12 {
            now = now + .seconds(1)
            _ = machine.handle(.alive(.coordinator), now: now)
            let actions = machine.handle(.checkLife, now: now)
            #expect(actions == (now == begin + .seconds(10) ? [.kill(.library, pid: 2)] : []))
        }
        let ended = machine.handle(.ended(.library, "ended by signal 9", refusal: nil), now: now)
        #expect(ended == [.show(.library), .spawn(.library)])
        #expect(machine.lines[.library]?.detail == "showed no life for 10 s and was killed")
    }

    @Test func `one that has not said that it lives is left to start in its own time`() {
        var machine = running()
        _ = machine.handle(.ended(.library, "x", refusal: nil), now: begin)
        _ = machine.handle(.spawned(.library, pid: 3), now: begin)
        for second in 1...60 {
            let now = begin + .seconds(second)
            _ = machine.handle(.alive(.coordinator), now: now)
            #expect(machine.handle(.checkLife, now: now).isEmpty)
        }
    }

    @Test func `the wish to read the policy again goes to those that serve, and to others when they do`() {
        var machine = running()
        #expect(
            machine.handle(.reload, now: begin) == [.reload(.coordinator, pid: 1), .reload(.library, pid: 2)]
        )
        _ = machine.handle(.ended(.library, "x", refusal: nil), now: begin)
        _ = machine.handle(.spawned(.library, pid: 3), now: begin)
        #expect(machine.handle(.reload, now: begin) == [.reload(.coordinator, pid: 1)])
        let ready = machine.handle(.ready(.library), now: begin)
        #expect(ready == [.show(.library), .reload(.library, pid: 3), .allReady])
        // Once; and one that is started anew reads the new policy by itself.
        #expect(machine.handle(.ready(.library), now: begin) == [.show(.library)])
        _ = machine.handle(.ended(.library, "x", refusal: nil), now: begin)
        _ = machine.handle(.spawned(.library, pid: 4), now: begin)
        _ = machine.handle(.reload, now: begin)
        _ = machine.handle(.ended(.library, "x", refusal: nil), now: begin)
        _ = machine.handle(.retry(.library), now: begin)
        _ = machine.handle(.spawned(.library, pid: 5), now: begin)
        #expect(machine.handle(.ready(.library), now: begin) == [.show(.library), .allReady])
        _ = machine.handle(.stop, now: begin)
        #expect(machine.handle(.reload, now: begin).isEmpty)
    }

    @Test func `nobody is killed because the machine slept`() {
        var machine = running()
        _ = machine.handle(.checkLife, now: begin + .seconds(1))
        #expect(machine.handle(.checkLife, now: begin + .seconds(3_600)).isEmpty)
        for second in 1...9 { #expect(machine.handle(.checkLife, now: begin + .seconds(3_600 + second)).isEmpty) }
        #expect(machine.handle(.checkLife, now: begin + .seconds(3_610)).count == 2)
    }
}
