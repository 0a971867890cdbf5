import Cameras
import Testing
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct SessionMachineTests {
    private static let format = Frames.yuyv
    private static let wish = WantedFormat(width: 640, height: 480)
    private static let error = CameraError(.removed)

    /// A machine in each of its states, with holder 1 where a state has one.
    private static func machine(_ name: String) -> SessionMachine {
        var machine = SessionMachine()
        let events: [SessionMachine.Event] =
            switch name {
            case "closed": []
            case "opening": [.acquire(1, wish)]
            case "open": [.acquire(1, wish), .opened(format)]
            case "closing": [.acquire(1, wish), .opened(format), .release(1)]
            case "pendingOpen": [.acquire(1, wish), .opened(format), .release(1), .acquire(1, wish)]
            default: preconditionFailure("There is no state \(name).")
            }
        for event in events { _ = machine.handle(event) }
        return machine
    }

    private static func name(_ state: SessionMachine.State) -> String {
        switch state {
        case .closed: "closed"
        case .opening: "opening"
        case .open: "open"
        case .closing: "closing"
        case .pendingOpen: "pendingOpen"
        }
    }

    /// Every state with every event: what it becomes, and what is done.
    private static let table: [(String, SessionMachine.Event, String, [SessionMachine.Action])] = [
        ("closed", .acquire(2, wish), "opening", [.open(wish)]),
        ("closed", .release(2), "closed", []),
        ("closed", .opened(format), "closed", []),
        ("closed", .failed(error), "closed", []),
        ("closed", .closed, "closed", []),
        ("opening", .acquire(2, wish), "opening", []),
        ("opening", .release(1), "opening", []),
        ("opening", .opened(format), "open", [.admit(1, format)]),
        ("opening", .failed(error), "closed", [.dismiss(1, error)]),
        ("opening", .closed, "opening", []),
        ("open", .acquire(2, wish), "open", [.admit(2, format)]),
        ("open", .release(1), "closing", [.close]),
        ("open", .release(2), "open", []),
        ("open", .opened(format), "open", []),
        ("open", .failed(error), "closing", [.dismiss(1, error), .close]),
        ("open", .closed, "open", []),
        ("closing", .acquire(2, wish), "pendingOpen", []),
        ("closing", .release(1), "closing", []),
        ("closing", .opened(format), "closing", []),
        ("closing", .failed(error), "closing", []),
        ("closing", .closed, "closed", []),
        ("pendingOpen", .acquire(2, wish), "pendingOpen", []),
        ("pendingOpen", .release(1), "closing", []),
        ("pendingOpen", .opened(format), "pendingOpen", []),
        ("pendingOpen", .failed(error), "pendingOpen", []),
        ("pendingOpen", .closed, "opening", [.open(wish)]),
    ]

    @Test(arguments: 0..<26)
    func `every state answers every event as the table says`(row: Int) {
        let (from, event, to, actions) = Self.table[row]
        var machine = Self.machine(from)
        #expect(Self.name(machine.state) == from)
        #expect(machine.handle(event) == actions)
        #expect(Self.name(machine.state) == to)
    }

    @Test func `a camera that nobody wants any more is closed as soon as it is open`() {
        var machine = Self.machine("opening")
        #expect(machine.handle(.release(1)).isEmpty)
        #expect(machine.handle(.opened(Self.format)) == [.close])
        #expect(machine.handle(.closed).isEmpty)
        #expect(machine.state == .closed)
    }

    /// A small generator with a seed (Numerical Recipes' linear congruential one).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 33
        }
    }

    @Test(arguments: 1...20)
    func `in any order of events everybody is admitted or dismissed once, and the device is never opened twice`(
        seed: Int
    ) {
        var dice = Dice(state: UInt64(seed))
        var machine = SessionMachine()
        var nextID = 1
        var live: Set<Int> = []
        var admitted: Set<Int> = []
        var device = "closed"

        func perform(_ actions: [SessionMachine.Action]) {
            for action in actions {
                switch action {
                case .open:
                    #expect(device == "closed")
                    device = "opening"
                case .close:
                    #expect(device == "open")
                    device = "closing"
                case .admit(let id, _):
                    #expect(device == "open")
                    #expect(live.contains(id))
                    #expect(admitted.insert(id).inserted)
                case .dismiss(let id, _):
                    #expect(live.remove(id) != nil)
                    admitted.remove(id)
                }
            }
        }

        for _ in 0..<400 {
            switch Int.random(in: 0..<6, using: &dice) {
            case 0, 1:
                live.insert(nextID)
                perform(machine.handle(.acquire(nextID, Self.wish)))
                nextID += 1
            case 2, 3:
                guard let id = live.randomElement(using: &dice) else { continue }
                live.remove(id)
                admitted.remove(id)
                perform(machine.handle(.release(id)))
            case 4:
                // The device answers what it was told; a driver's failure may come at any time.
                switch device {
                case "opening" where Bool.random(using: &dice):
                    device = "open"
                    perform(machine.handle(.opened(Self.format)))
                case "opening":
                    device = "closed"
                    perform(machine.handle(.failed(Self.error)))
                case "closing":
                    device = "closed"
                    perform(machine.handle(.closed))
                default: continue
                }
            default:
                guard device == "open" else { continue }
                perform(machine.handle(.failed(Self.error)))
            }
            #expect(Set(machine.holders) == live)
            if case .open = machine.state { #expect(device == "open" && admitted == live) }
            if machine.state == .closed { #expect(device == "closed" && live.isEmpty) }
        }
    }
}
