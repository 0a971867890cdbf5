import MessageSchema
import Testing
import Timekeeping

@testable import CommandLineService

@Suite("Supervision", .timeLimit(.minutes(1)))
struct SupervisorMachineTests {
    private static let services: [ServiceName] = [.coordinator, .library]

    private func running(at now: BootInstant) -> SupervisorMachine {
        var machine = SupervisorMachine(services: Self.services)
        #expect(machine.handle(.start, now: now) == [.spawn(.coordinator), .spawn(.library)])
        _ = machine.handle(.spawned(.coordinator, pid: 1), now: now)
        _ = machine.handle(.spawned(.library, pid: 2), now: now)
        #expect(machine.handle(.ready(.coordinator), now: now) == [.show(.coordinator)])
        #expect(machine.handle(.ready(.library), now: now) == [.show(.library), .allReady])
        return machine
    }

    private let begin = BootInstant(milliseconds: 1_000_000)

    @Test func `a crashed service is started again at once, then with growing pauses`() {
        var machine = running(at: begin)
        let crash = SupervisorMachine.Event.ended(.library, "ended by signal 9", refusal: nil)
        #expect(machine.handle(crash, now: begin) == [.show(.library), .spawn(.library)])
        var pauses: [Duration] = []
        for _ in 0..<9 {
            _ = machine.handle(.spawned(.library, pid: 3), now: begin)
            for case .scheduleRetry(.library, let pause) in machine.handle(crash, now: begin) { pauses.append(pause) }
            #expect(machine.handle(.retry(.library), now: begin) == [.spawn(.library)])
        }
        #expect(pauses.prefix(3) == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(pauses.last == .seconds(10))
        #expect(machine.lines[.coordinator]?.state == .ready)
    }

    @Test func `half a minute of good life is forgiven`() {
        var machine = running(at: begin)
        var now = begin
        for _ in 0..<3 {
            now = now.advanced(by: .seconds(31))
            let actions = machine.handle(.ended(.library, "x", refusal: nil), now: now)
            #expect(actions == [.show(.library), .spawn(.library)])
            _ = machine.handle(.spawned(.library, pid: 4), now: now)
            #expect(machine.handle(.ready(.library), now: now) == [.show(.library), .allReady])
        }
        #expect(machine.lines[.library]?.restarts == 3)
    }

    @Test func `stopping ends them in the opposite order and waits for all`() {
        var machine = running(at: begin)
        #expect(
            machine.handle(.stop, now: begin)
                == [
                    .terminate(.library, pid: 2), .terminate(.coordinator, pid: 1),
                    .scheduleGrace(.milliseconds(1_500)),
                ]
        )
        #expect(machine.handle(.ended(.library, "0", refusal: nil), now: begin) == [.show(.library)])
        #expect(machine.handle(.graceOver, now: begin) == [.kill(.coordinator, pid: 1)])
        #expect(
            machine.handle(.ended(.coordinator, "9", refusal: nil), now: begin)
                == [.show(.coordinator), .finished(code: 0)]
        )
        #expect(machine.handle(.retry(.library), now: begin) == [])
    }

    @Test func `what a service says while everything ends is no reason for its end`() {
        var machine = running(at: begin)
        _ = machine.handle(.stop, now: begin)
        #expect(machine.handle(.status(.library, "draining"), now: begin) == [])
        #expect(machine.handle(.lastWords(.library, "no policy"), now: begin) == [])
        _ = machine.handle(.ended(.library, "0", refusal: nil), now: begin)
        #expect(machine.lines[.library]?.detail == nil)
    }

    @Test func `a service that was being started when the end came is ended too`() {
        var machine = running(at: begin)
        _ = machine.handle(.ended(.library, "x", refusal: nil), now: begin)
        _ = machine.handle(.stop, now: begin)
        #expect(machine.handle(.spawned(.library, pid: 5), now: begin) == [.terminate(.library, pid: 5)])
        _ = machine.handle(.ended(.coordinator, "0", refusal: nil), now: begin)
        #expect(machine.handle(.ended(.library, "0", refusal: nil), now: begin).last == .finished(code: 0))
    }

    @Test func `a service that refuses to run ends the cluster, and says why`() {
        var machine = SupervisorMachine(services: Self.services)
        _ = machine.handle(.start, now: begin)
        _ = machine.handle(.spawned(.coordinator, pid: 1), now: begin)
        _ = machine.handle(.spawned(.library, pid: 2), now: begin)
        let words = SupervisorMachine.Event.lastWords(.library, "the database is too new")
        #expect(machine.handle(words, now: begin) == [], "its end shows them")
        let actions = machine.handle(.ended(.library, "ended with code 65", refusal: 65), now: begin)
        #expect(actions == [.show(.library), .terminate(.coordinator, pid: 1), .scheduleGrace(.milliseconds(1_500))])
        #expect(machine.lines[.library]?.state == .failed)
        #expect(machine.lines[.library]?.detail == "the database is too new")
        #expect(machine.handle(.ended(.coordinator, "0", refusal: nil), now: begin).last == .finished(code: 65))
    }

    @Test func `any order of events ends in the end`() {
        for seed in UInt64(1)...200 {
            var random = Xorshift(state: seed)
            var machine = SupervisorMachine(services: Self.services)
            var alive: [ServiceName: Int32] = [:]
            var toSpawn: [ServiceName] = []
            var hasFinished = false
            func take(_ actions: [SupervisorMachine.Action]) {
                for action in actions {
                    switch action {
                    case .spawn(let service):
                        #expect(alive[service] == nil, "two at once")
                        toSpawn.append(service)
                    case .finished: hasFinished = true
                    default: break
                    }
                }
            }
            take(machine.handle(.start, now: begin))
            for step in 0..<60 {
                if let service = toSpawn.popLast() {
                    alive[service] = Int32(step + 10)
                    take(machine.handle(.spawned(service, pid: Int32(step + 10)), now: begin))
                    continue
                }
                let service = Self.services[Int(random.next() % 2)]
                switch random.next() % 4 {
                case 0 where alive[service] != nil: take(machine.handle(.ready(service), now: begin))
                case 1 where alive[service] != nil:
                    alive[service] = nil
                    take(machine.handle(.ended(service, "x", refusal: nil), now: begin))
                case 2: take(machine.handle(.retry(service), now: begin))
                default: take(machine.handle(.status(service, "s\(step)"), now: begin))
                }
            }
            take(machine.handle(.stop, now: begin))
            for service in toSpawn {
                alive[service] = 1
                take(machine.handle(.spawned(service, pid: 1), now: begin))
            }
            for service in Self.services where alive[service] != nil {
                take(machine.handle(.ended(service, "0", refusal: nil), now: begin))
            }
            #expect(hasFinished)
        }
    }
}

/// A small generator whose numbers are the same in every run.
private struct Xorshift {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
