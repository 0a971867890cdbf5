import MessageSchema
import Testing

@testable import Messaging

@Suite("The machines of streams", .timeLimit(.minutes(1)))
struct StreamMachineTests {
    @Test func `credit is used up one by one, and never exceeds its limit`() {
        var window = CreditWindow(credit: 2)
        let first = window.take()
        #expect(first == 0)
        let second = window.take()
        #expect(second == 1)
        let beyond = window.take()
        #expect(beyond == nil)
        window.grant(-5)
        #expect(window.credit == 0)
        window.grant(.max)
        window.grant(.max / 2)
        #expect(window.credit == Limits.credit)
        let third = window.take()
        #expect(third == 2)
        #expect(CreditWindow(credit: -1).credit == 0)
    }

    @Test(arguments: [1, 2, 3, 16, 1_000])
    func `a receiver that consumes keeps its sender going within the window`(size: Int) throws {
        var receiver = ReceiveWindow(size: size)
        var sender = CreditWindow(credit: size)
        var inFlight = 0
        for _ in 0..<5_000 {
            while let sequence = sender.take() {
                try receiver.receive(sequence: sequence)
                inFlight += 1
            }
            #expect((1...size).contains(inFlight))
            inFlight -= 1
            if let credit = receiver.consume() { sender.grant(credit) }
        }
    }

    @Test func `items beyond credit or out of order are violations`() throws {
        var window = ReceiveWindow(size: 2)
        #expect(throws: ReceiveWindow.Violation.outOfOrder) { try window.receive(sequence: 1) }
        #expect(throws: ReceiveWindow.Violation.outOfOrder) { try window.receive(sequence: nil) }
        try window.receive(sequence: 0)
        try window.receive(sequence: 1)
        #expect(throws: ReceiveWindow.Violation.beyondCredit) { try window.receive(sequence: 2) }
    }

    @Test func `pings go out each heartbeat and silence is noticed after its time`() {
        var liveness = Liveness(Liveness.Intervals(heartbeat: .seconds(1), silence: .seconds(3)))
        var actions: [Liveness.Action] = []
        for _ in 0..<7 { actions.append(liveness.tick()) }
        #expect(actions == [.nothing, .ping, .nothing, .ping, .nothing, .ping, .silent])
    }

    @Test func `hearing and saying something start anew`() {
        var liveness = Liveness(Liveness.Intervals(heartbeat: .seconds(1), silence: .seconds(3)))
        for _ in 0..<100 {
            liveness.heard()
            liveness.said()
            let action = liveness.tick()
            #expect(action == .nothing)
        }
    }

    @Test func `an outbox is bounded in messages and bytes`() {
        func message(_ count: Int) -> Outbox.Message {
            Outbox.Message(header: [], body: [UInt8](repeating: 0, count: count), attachments: [])
        }
        var outbox = Outbox(capacity: 3, byteCapacity: 10)
        let hasRoom = outbox.append(message(4))
        #expect(hasRoom)
        let hasRoomForTheLast = outbox.append(message(6))
        #expect(hasRoomForTheLast)
        let isTakenBeyondBytes = outbox.append(message(1))
        #expect(!isTakenBeyondBytes)
        outbox.removeFirst()
        #expect(outbox.byteCount == 6)
        let hasRoomForAnEmptyOne = outbox.append(message(0))
        #expect(hasRoomForAnEmptyOne)
        let hasRoomAgain = outbox.append(message(4))
        #expect(hasRoomAgain)
        let isTakenBeyondCount = outbox.append(message(0))
        #expect(!isTakenBeyondCount)
        #expect(outbox.count == 3)
    }

    @Test func `generated routing ids are told from chosen ones`() {
        #expect(RoutingID([0, 1, 2, 3, 4]) == .generated(0x0102_0304))
        #expect(RoutingID([0, 1, 2, 3, 4]).bytes == [0, 1, 2, 3, 4])
        for chosen in [[], [0], [1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]] as [[UInt8]] {
            #expect(RoutingID(chosen) == .chosen(chosen))
        }
    }
}
