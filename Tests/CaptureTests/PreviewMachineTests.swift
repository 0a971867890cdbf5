import Testing

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct `The preview machine` {
    private static let whole = PreviewSize(width: 640, height: 480)
    private static let half = PreviewSize(width: 320, height: 240)
    private static let halfWish = PreviewWish(width: 320, height: 240)

    /// A frame each thirtieth of a second.
    private static func frame(_ number: Int64, lost: Int = 0) -> PreviewMachine.Frame {
        PreviewMachine.Frame(number: number, microseconds: number * 33_333, size: whole, lostBefore: lost)
    }

    /// A machine after those events, with what it did about the last one.
    private static func after(
        _ events: PreviewMachine.Event...
    ) -> (machine: PreviewMachine, actions: [PreviewMachine.Action]) {
        var machine = PreviewMachine()
        var actions: [PreviewMachine.Action] = []
        for event in events { actions = machine.handle(event) }
        return (machine, actions)
    }

    @Test func `nothing is made while nobody has credit`() {
        var machine = Self.after(.join(1, PreviewWish()), .join(2, Self.halfWish)).machine
        for number in 0..<100 { #expect(machine.handle(.frame(Self.frame(Int64(number)))).isEmpty) }
    }

    @Test func `who has credit gets the newest frame at once, and has missed those before it`() {
        var (machine, _) = Self.after(
            .join(1, PreviewWish()),
            .frame(Self.frame(0)),
            .frame(Self.frame(1)),
            .frame(Self.frame(2))
        )
        let now = Self.frame(2).microseconds + 1
        #expect(machine.handle(.ready(1, now: now)) == [.make(Self.frame(2), Self.whole)])
        #expect(machine.handle(.made) == [.deliver(Self.frame(2), Self.whole, to: 1, dropped: 2)])
        // The same frame is not given twice.
        #expect(machine.handle(.ready(1, now: now)).isEmpty)
        #expect(machine.handle(.frame(Self.frame(3))) == [.make(Self.frame(3), Self.whole)])
        #expect(machine.handle(.made) == [.deliver(Self.frame(3), Self.whole, to: 1, dropped: 2)])
    }

    @Test func `many who want one size share one picture, those who come while it is made and after it too`() {
        var (machine, actions) = Self.after(
            .join(1, Self.halfWish),
            .join(2, Self.halfWish),
            .join(3, Self.halfWish),
            .join(4, Self.halfWish),
            .ready(1, now: 0),
            .ready(2, now: 0),
            .frame(Self.frame(0))
        )
        let now = Self.frame(0).microseconds
        #expect(actions == [.make(Self.frame(0), Self.half)])
        #expect(machine.handle(.ready(3, now: now)).isEmpty)
        actions = machine.handle(.made)
        #expect(actions == [1, 2, 3].map { .deliver(Self.frame(0), Self.half, to: $0, dropped: 0) })
        #expect(machine.handle(.ready(4, now: now)) == [.deliver(Self.frame(0), Self.half, to: 4, dropped: 0)])
    }

    @Test func `sizes take turns, one at a time, and each is of the newest frame`() {
        var (machine, actions) = Self.after(
            .join(1, PreviewWish()),
            .join(2, Self.halfWish),
            .ready(1, now: 0),
            .ready(2, now: 0),
            .frame(Self.frame(0))
        )
        #expect(actions == [.make(Self.frame(0), Self.whole)])
        #expect(machine.handle(.frame(Self.frame(1))).isEmpty)
        actions = machine.handle(.made)
        #expect(
            actions == [
                .deliver(Self.frame(0), Self.whole, to: 1, dropped: 0), .make(Self.frame(1), Self.half),
            ]
        )
        // The first one is owed frame 1 as well, and waits for its turn.
        #expect(machine.handle(.ready(1, now: Self.frame(1).microseconds)).isEmpty)
        #expect(
            machine.handle(.made) == [
                .deliver(Self.frame(1), Self.half, to: 2, dropped: 1), .make(Self.frame(1), Self.whole),
            ]
        )
    }

    @Test func `a frame that is no picture is missed by those for whom it was, and sixty in a row are the end`() {
        var (machine, _) = Self.after(.join(1, PreviewWish()), .ready(1, now: 0), .frame(Self.frame(0)))
        #expect(machine.handle(.failed).isEmpty)
        #expect(machine.handle(.frame(Self.frame(1))) == [.make(Self.frame(1), Self.whole)])
        #expect(machine.handle(.made) == [.deliver(Self.frame(1), Self.whole, to: 1, dropped: 1)])
        for count in 1...PreviewMachine.mostBadFrames {
            let frame = Self.frame(1 + Int64(count))
            _ = machine.handle(.ready(1, now: frame.microseconds - 33_333))
            #expect(machine.handle(.frame(frame)) == [.make(frame, Self.whole)])
            #expect(machine.handle(.failed) == (count == PreviewMachine.mostBadFrames ? [.giveUp] : []))
        }
    }

    @Test func `a frame that is old is never shown as what the camera sees`() {
        var (machine, _) = Self.after(.join(1, PreviewWish()), .frame(Self.frame(0)))
        let later = Self.frame(0).microseconds + PreviewMachine.freshness + 1
        #expect(machine.handle(.ready(1, now: later)).isEmpty)
        #expect(machine.handle(.frame(Self.frame(60))) == [.make(Self.frame(60), Self.whole)])
    }

    /// The rate asked for, the camera's, and the frames of one second that are shown.
    private static let rates: [(asked: Double, camera: Double, shown: ClosedRange<Int>)] = [
        (30, 30, 29...30), (29.97, 30, 29...30), (20, 30, 19...21), (15, 30, 15...15), (10, 30, 10...10),
        (1, 30, 1...1),
        (60, 30, 29...30), (25, 60, 24...26), (7, 24, 7...8),
    ]

    @Test(arguments: rates)
    func `a rate holds on average, whatever the camera's is`(asked: Double, camera: Double, shown: ClosedRange<Int>) {
        var machine = Self.after(.join(1, PreviewWish(framesPerSecond: asked))).machine
        var count = 0
        var dropped: Int64 = 0
        for number in 0..<Int64(camera * 10) {
            // A camera's clock is not quite even.
            let jitter = [0, 700, -900, 300, -200][Int(number % 5)]
            let time = Int64(Double(number) * 1_000_000 / camera) + Int64(jitter)
            _ = machine.handle(.ready(1, now: time))
            let frame = PreviewMachine.Frame(number: number, microseconds: time, size: Self.whole)
            guard !machine.handle(.frame(frame)).isEmpty else { continue }
            for case .deliver(_, _, _, let missed) in machine.handle(.made) {
                count += 1
                dropped = missed
            }
        }
        #expect((shown.lowerBound * 10 - 1...shown.upperBound * 10 + 1).contains(count), "\(count)")
        #expect(dropped == 0)
    }

    @Test func `frames that the camera lost are missed, by those alone who would have had them`() {
        var (machine, _) = Self.after(
            .join(1, PreviewWish()),
            .join(2, PreviewWish(framesPerSecond: 10)),
            .ready(1, now: 0),
            .ready(2, now: 0),
            .frame(Self.frame(0))
        )
        _ = machine.handle(.made)
        for id in [1, 2] { _ = machine.handle(.ready(id, now: 0)) }
        // Nine were lost: every one for the first, two of the three for the second.
        _ = machine.handle(.frame(Self.frame(10, lost: 9)))
        #expect(
            machine.handle(.made) == [
                .deliver(Self.frame(10, lost: 9), Self.whole, to: 1, dropped: 9),
                .deliver(Self.frame(10, lost: 9), Self.whole, to: 2, dropped: 2),
            ]
        )
    }

    /// Wishes for pictures of 640 by 480, and what fits.
    private static let fits: [(PreviewWish, Int, Int)] = [
        (PreviewWish(), 640, 480), (PreviewWish(width: 320), 320, 240), (PreviewWish(height: 120), 160, 120),
        (PreviewWish(width: 320, height: 100), 132, 100), (PreviewWish(width: 1_920, height: 1_080), 640, 480),
        (PreviewWish(width: 639, height: 480), 638, 478), (PreviewWish(width: 1, height: 1), 2, 2),
        (PreviewWish(width: 640, height: 480), 640, 480), (PreviewWish(width: 65_500, height: 1), 2, 2),
    ]

    @Test(arguments: fits)
    func `pictures fit into the box, keep their shape, and are never enlarged`(wish: PreviewWish, w: Int, h: Int) {
        #expect(PreviewSize(fitting: wish, in: Self.whole) == PreviewSize(width: w, height: h))
    }

    // MARK: Any order

    @Test(arguments: 1...40)
    func `in any order nobody gets a frame twice or an older one, and no picture is made twice or for nobody`(seed: Int)
    {
        var walk = PreviewWalk(seed: UInt64(seed))
        for _ in 0..<600 { walk.step() }
        #expect(walk.problems == [])
        #expect(walk.delivered > 50)
    }
}

/// Viewers, a camera and an encoder that do anything that they can, in any order.
private struct PreviewWalk {
    private var dice: Dice
    private var machine = PreviewMachine()
    private var viewers: Set<Int> = []
    private var ready: Set<Int> = []
    private var last: [Int: Int64] = [:]
    private var due: [Int: Int64] = [:]
    private var nextViewer = 1
    private var number: Int64 = 0
    private var work: (frame: PreviewMachine.Frame, size: PreviewSize)?
    private var made: Set<String> = []
    private(set) var delivered = 0
    private(set) var problems: [String] = []

    private static let wishes = [
        PreviewWish(), PreviewWish(width: 320), PreviewWish(width: 160, height: 120), PreviewWish(framesPerSecond: 7),
    ]

    init(seed: UInt64) { dice = Dice(state: seed) }

    mutating func step() {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0:
            viewers.insert(nextViewer)
            due[nextViewer] = 0
            perform(machine.handle(.join(nextViewer, Self.wishes[Int.random(in: 0..<4, using: &dice)])))
            nextViewer += 1
        case 1:
            guard viewers.count > 2, let id = viewers.sorted().randomElement(using: &dice) else { return }
            viewers.remove(id)
            ready.remove(id)
            perform(machine.handle(.leave(id)))
        case 2, 3, 4:
            guard let id = viewers.subtracting(ready).sorted().randomElement(using: &dice) else { return }
            ready.insert(id)
            perform(machine.handle(.ready(id, now: number * 33_333)))
        case 5:
            guard let id = ready.sorted().randomElement(using: &dice) else { return }
            ready.remove(id)
            perform(machine.handle(.unready(id)))
        case 6, 7:
            let lost = Int.random(in: 0..<10, using: &dice) == 0 ? 2 : 0
            number += 1 + Int64(lost)
            for id in viewers { due[id, default: 0] += 1 + Int64(lost) }
            let size = PreviewSize(width: 640, height: 480)
            perform(
                machine.handle(
                    .frame(.init(number: number, microseconds: number * 33_333, size: size, lostBefore: lost))
                )
            )
        default:
            guard work != nil else { return }
            work = nil
            perform(machine.handle(Int.random(in: 0..<8, using: &dice) == 0 ? .failed : .made))
        }
    }

    private mutating func perform(_ actions: [PreviewMachine.Action]) {
        for action in actions {
            switch action {
            case .make(let frame, let size):
                if work != nil { problems.append("two pictures at once") }
                if frame.number != number { problems.append("not of the newest frame") }
                if ready.isEmpty { problems.append("for nobody") }
                if !made.insert("\(frame.number) \(size.width)").inserted { problems.append("made twice") }
                work = (frame, size)
            case .deliver(let frame, let size, let id, let dropped):
                if ready.remove(id) == nil { problems.append("\(id) was not ready") }
                if frame.number <= last[id] ?? -1 { problems.append("\(id) got \(frame.number) again") }
                if !made.contains("\(frame.number) \(size.width)") { problems.append("not made") }
                if dropped > due[id] ?? 0 { problems.append("more was missed than there was") }
                last[id] = frame.number
                delivered += 1
            case .giveUp: problems.append("given up")
            }
        }
    }
}

/// A small generator with a seed (Numerical Recipes' linear congruential one).
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}
