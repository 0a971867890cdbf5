/// Who is owed a frame of one camera, at which size, and what is made once for many: an event in, actions out.
///
/// The newest frame alone counts: whoever is late gets it and not those before it. Nothing is made while nobody has
/// credit, one picture is made at a time, and all who want the newest frame at one size share it. Of several sizes
/// the one comes next whose viewer has waited for the longest.
package struct PreviewMachine: Sendable {
    /// Names a viewer.
    package typealias ViewerID = Int

    /// What there is to know about a frame.
    package struct Frame: Hashable, Sendable {
        /// Counts the camera's frames, those that it lost included.
        package let number: Int64
        /// Microseconds of CLOCK_MONOTONIC at which it was taken.
        package let microseconds: Int64
        package let size: PreviewSize
        /// Frames that the camera lost just before.
        package let lostBefore: Int

        package init(number: Int64, microseconds: Int64, size: PreviewSize, lostBefore: Int = 0) {
            self.number = number
            self.microseconds = microseconds
            self.size = size
            self.lostBefore = lostBefore
        }
    }

    package enum Event: Hashable, Sendable {
        case join(ViewerID, PreviewWish)
        case leave(ViewerID)
        /// It has credit and waits for a picture, at this time in microseconds of CLOCK_MONOTONIC.
        case ready(ViewerID, now: Int64)
        /// It waits no longer.
        case unready(ViewerID)
        case frame(Frame)
        /// The picture that was being made is there.
        case made
        /// The frame that a picture was being made of is none.
        case failed
        /// The camera is let go of; what was being made will not come.
        case ended
    }

    package enum Action: Hashable, Sendable {
        /// Make a picture of the newest frame.
        case make(Frame, PreviewSize)
        /// Hand over a picture that was made; the viewer waits no longer, and has missed so many frames so far.
        case deliver(Frame, PreviewSize, to: ViewerID, dropped: Int64)
        /// So many frames in a row were no pictures that the camera is given up.
        case giveUp
    }

    private struct Viewer {
        let wish: PreviewWish
        var pace: PreviewPace
        var isReady = false
        /// Whether there was a frame for it since it got one.
        var isOwed = false
        var hasSeen = false
        /// The picture that is being made is for it.
        var isServed = false
        var dropped: Int64 = 0
        /// When it last got a picture, counted in pictures; the smallest has waited for the longest.
        var turn: Int64
    }

    /// Frames that are older than these microseconds are never shown as what the camera sees.
    package static let freshness: Int64 = 1_000_000
    /// Frames in a row that are no pictures until the camera is given up.
    package static let mostBadFrames = 60

    private var viewers: [ViewerID: Viewer] = [:]
    private var newest: Frame?
    /// Sizes at which a picture of the newest frame is there.
    private var made: Set<PreviewSize> = []
    private var isNewestBad = false
    private var work: (frame: Frame, size: PreviewSize)?
    private var badInARow = 0
    private var turns: Int64 = 0

    package init() {}

    /// Everybody who looks, whether it has credit or not.
    package var viewerIDs: Set<ViewerID> { Set(viewers.keys) }

    /// Takes an event and says what is to be done about it.
    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .join(let id, let wish):
            turns += 1
            viewers[id] = Viewer(wish: wish, pace: PreviewPace(framesPerSecond: wish.framesPerSecond), turn: turns)
            return []
        case .leave(let id):
            viewers[id] = nil
            return []
        case .ready(let id, let now): return ready(id, now)
        case .unready(let id):
            viewers[id]?.isReady = false
            viewers[id]?.isServed = false
            return []
        case .frame(let frame): return take(frame)
        case .made: return finish()
        case .failed: return fail()
        case .ended:
            newest = nil
            made = []
            work = nil
            badInARow = 0
            for id in viewers.keys { viewers[id]?.isServed = false }
            return []
        }
    }

    // MARK: Events

    private mutating func ready(_ id: ViewerID, _ now: Int64) -> [Action] {
        guard viewers[id] != nil else { return [] }
        viewers[id]?.isReady = true
        guard let newest, !isNewestBad, now - newest.microseconds <= Self.freshness else { return [] }
        if viewers[id]?.hasSeen == false {
            // Who has just come need not wait for the next frame.
            _ = viewers[id]?.pace.look(at: newest.microseconds, lostBefore: 0)
            viewers[id]?.hasSeen = true
            viewers[id]?.isOwed = true
        }
        return serve()
    }

    private mutating func take(_ frame: Frame) -> [Action] {
        newest = frame
        made = []
        isNewestBad = false
        for id in viewers.keys {
            guard var viewer = viewers[id] else { continue }
            let (isDue, missed) = viewer.pace.look(at: frame.microseconds, lostBefore: frame.lostBefore)
            viewer.dropped += Int64(missed)
            if isDue {
                if viewer.isOwed { viewer.dropped += 1 }
                viewer.isOwed = true
                viewer.hasSeen = true
            }
            viewers[id] = viewer
        }
        return serve()
    }

    private mutating func finish() -> [Action] {
        guard let done = work else { return [] }
        work = nil
        badInARow = 0
        if done.frame == newest { made.insert(done.size) }
        var actions: [Action] = []
        for id in viewers.keys.sorted() where viewers[id]?.isServed == true {
            actions.append(deliver(done.frame, done.size, to: id))
        }
        return actions + serve()
    }

    private mutating func fail() -> [Action] {
        guard let done = work else { return [] }
        work = nil
        badInARow += 1
        if done.frame == newest { isNewestBad = true }
        for id in viewers.keys where viewers[id]?.isServed == true {
            viewers[id]?.isServed = false
            viewers[id]?.dropped += 1
        }
        if badInARow >= Self.mostBadFrames {
            badInARow = 0
            return [.giveUp]
        }
        return serve()
    }

    // MARK: Serving

    /// Hands over what is there already, joins what is being made, and else begins with whoever has waited for the
    /// longest.
    private mutating func serve() -> [Action] {
        guard let newest, !isNewestBad else { return [] }
        var actions: [Action] = []
        var wanting: [(id: ViewerID, size: PreviewSize, turn: Int64)] = []
        for (id, viewer) in viewers where viewer.isReady && viewer.isOwed && !viewer.isServed {
            wanting.append((id, PreviewSize(fitting: viewer.wish, in: newest.size), viewer.turn))
        }
        wanting.sort { $0.turn < $1.turn }
        for (id, size, _) in wanting where made.contains(size) { actions.append(deliver(newest, size, to: id)) }
        wanting.removeAll { made.contains($0.size) }
        if let first = wanting.first, work == nil {
            work = (newest, first.size)
            actions.append(.make(newest, first.size))
        }
        guard let work, work.frame == newest else { return actions }
        for (id, size, _) in wanting where size == work.size {
            viewers[id]?.isServed = true
            viewers[id]?.isOwed = false
        }
        return actions
    }

    private mutating func deliver(_ frame: Frame, _ size: PreviewSize, to id: ViewerID) -> Action {
        turns += 1
        viewers[id]?.turn = turns
        viewers[id]?.isReady = false
        // A newer frame than the one that was made for it is still owed.
        if viewers[id]?.isServed == false { viewers[id]?.isOwed = false }
        viewers[id]?.isServed = false
        return .deliver(frame, size, to: id, dropped: viewers[id]?.dropped ?? 0)
    }
}
