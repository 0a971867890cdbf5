package import Cameras
package import Video4Linux

/// One opened camera and its many holders: an event in, actions out.
///
/// ```
/// closed ─(acquire)─► opening ─(opened)─► open ─(last release)─► closing ─(closed)─► closed
///    ▲                   │ ▲               │ │                        │
///    └────(failed)───────┘ │               │ └──(failed)──► closing   │
///                          │               ▼                          │
///                          ├──(closed)─ changing      pendingOpen ◄─(acquire)─┘ then opening
/// ```
///
/// The first photo or film decides the format. While there are only holders that take any, the largest wish among
/// them does, and the camera is opened anew (`changing`) when another format is wanted. H.264 of the camera's own is
/// given only where nobody has had pictures; who needs pictures is refused while there is a film of it.
package struct SessionMachine: Sendable {
    /// Names a holder: a photo, a recording.
    package typealias HolderID = Int

    package enum State: Hashable, Sendable {
        case closed
        /// Closing, and somebody waits for it to be opened again.
        case pendingOpen
        case opening
        case open(VideoFormat)
        /// Closing, to be opened in another format for those who hold it and those who wait.
        case changing
        case closing
    }

    package enum Event: Sendable {
        case acquire(HolderID, CameraHold)
        /// A holder wants something else of it.
        case change(HolderID, CameraHold)
        case release(HolderID)
        case opened(VideoFormat)
        /// Opening, or the open camera, failed.
        case failed(CameraError)
        case closed
        /// Some time has passed since ``Action/reconsiderLater``.
        case reconsider
    }

    package enum Action: Hashable, Sendable {
        case open(WantedFormat)
        /// Nobody holds it any more: what was changed of it is put back first.
        case close
        /// It will be opened again at once.
        case closeToChange
        case admit(HolderID, VideoFormat)
        /// The holder gets nothing more, and this error.
        case dismiss(HolderID, CameraError)
        /// The holder gets nothing, because those others hold it.
        case refuse(HolderID, inFavourOf: [HolderID])
        /// Those who are left could do with less: ask again when it has stayed so for a while.
        case reconsiderLater
    }

    private struct Holder: Hashable {
        let id: HolderID
        var hold: CameraHold
        var isAdmitted = false
    }

    package private(set) var state = State.closed
    /// In the order of their coming.
    private var all: [Holder] = []
    /// What the camera was opened for.
    private var wanted = WantedFormat()

    package init() {}

    /// Who has frames, or waits for them; in the order of their coming.
    package var holders: [HolderID] { all.map(\.id) }

    /// What a holder wants; nil for one that holds it no longer.
    package func hold(of id: HolderID) -> CameraHold? { all.first { $0.id == id }?.hold }

    /// Everybody's wishes, in the order of their coming.
    package var holds: [CameraHold] { all.map(\.hold) }

    /// Takes an event and says what is to be done about it.
    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .acquire(let id, let hold): acquire(Holder(id: id, hold: hold))
        case .change(let id, let hold): change(id, hold)
        case .release(let id): release(id)
        case .opened(let format): opened(format)
        case .failed(let error): failed(error)
        case .closed: closed()
        case .reconsider: reconsider()
        }
    }

    // MARK: Events

    private mutating func acquire(_ holder: Holder) -> [Action] {
        all.append(holder)
        switch state {
        case .closed:
            return open()
        case .closing:
            state = .pendingOpen
            return []
        case .open(let format):
            guard !holder.hold.isServed(by: format, openedFor: wanted), areAllFlexible(but: holder.id) else {
                return [admission(of: holder, format)]
            }
            state = .changing
            return [.closeToChange]
        case .opening, .pendingOpen, .changing:
            return []
        }
    }

    private mutating func change(_ id: HolderID, _ hold: CameraHold) -> [Action] {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return [] }
        all[index].hold = hold
        return settle()
    }

    private mutating func release(_ id: HolderID) -> [Action] {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return [] }
        all.remove(at: index)
        guard all.isEmpty else { return settle() }
        switch state {
        case .open:
            state = .closing
            return [.close]
        case .pendingOpen, .changing:
            state = .closing
            return []
        case .opening, .closed, .closing:
            // What is being opened is closed as soon as it is open.
            return []
        }
    }

    private mutating func opened(_ format: VideoFormat) -> [Action] {
        guard state == .opening else { return [] }
        guard !all.isEmpty else {
            state = .closing
            return [.close]
        }
        guard all.allSatisfy({ $0.hold.canUse(format) }) || all.contains(where: { $0.hold.wanted.h264 != .never })
        else {
            // Whoever wanted the camera's H.264 left while it was opened.
            state = .changing
            return [.closeToChange]
        }
        state = .open(format)
        return all.filter { !$0.isAdmitted }.map { admission(of: $0, format) }
    }

    private mutating func failed(_ error: CameraError) -> [Action] {
        switch state {
        case .opening:
            let staying = all.filter(\.isAdmitted)
            let gone = all.filter { !$0.isAdmitted || staying.count == all.count }
            all.removeAll { holder in gone.contains { $0.id == holder.id } }
            let dismissals = gone.map { Action.dismiss($0.id, error) }
            guard all.isEmpty else {
                // It was opened anew for somebody who can not have it; the others had it before.
                return dismissals + open()
            }
            state = .closed
            return dismissals
        case .open:
            let gone = all
            all = []
            state = .closing
            return gone.map { .dismiss($0.id, error) } + [.close]
        case .closed, .closing, .pendingOpen, .changing:
            return []
        }
    }

    private mutating func closed() -> [Action] {
        switch state {
        case .pendingOpen, .changing: return open()
        case .closing:
            state = .closed
            return []
        case .closed, .opening, .open: return []
        }
    }

    private mutating func reconsider() -> [Action] {
        guard case .open = state, areAllFlexible(), combined.isSmaller(than: wanted) else { return [] }
        state = .changing
        return [.closeToChange]
    }

    // MARK: Wishes

    private mutating func open() -> [Action] {
        wanted = combined
        state = .opening
        return [.open(wanted)]
    }

    /// What those make of an open camera who take any format: more at once where it is wanted, less only after a while.
    private mutating func settle() -> [Action] {
        guard case .open(let format) = state, areAllFlexible() else { return [] }
        let combined = combined
        if combined.isSmaller(than: wanted) { return [.reconsiderLater] }
        guard combined.usualWidth != wanted.usualWidth || combined.usualHeight != wanted.usualHeight,
            all.contains(where: { !$0.hold.isServed(by: format, openedFor: wanted) })
        else { return [] }
        state = .changing
        return [.closeToChange]
    }

    /// Lets a holder have what there is, unless it can not use it, or wants its own or nothing, and others are in the way.
    private mutating func admission(of holder: Holder, _ format: VideoFormat) -> Action {
        let others = all.filter { $0.id != holder.id && !$0.hold.isFlexible && $0.hold.canUse(format) }
        let misses = holder.hold.insists && !holder.hold.isServed(by: format, openedFor: wanted)
        if misses || !holder.hold.canUse(format), !others.isEmpty {
            all.removeAll { $0.id == holder.id }
            return .refuse(holder.id, inFavourOf: others.map(\.id))
        }
        for index in all.indices where all[index].id == holder.id { all[index].isAdmitted = true }
        return .admit(holder.id, format)
    }

    private func areAllFlexible(but id: HolderID? = nil) -> Bool {
        all.allSatisfy { $0.id == id || $0.hold.isFlexible }
    }

    /// What the camera is to be opened for.
    private var combined: WantedFormat {
        if let first = all.first(where: { !$0.hold.isFlexible }) {
            var wanted = first.hold.wanted
            // Who has had pictures goes on having them: the camera has other formats than H.264.
            if all.contains(where: { $0.isAdmitted && !$0.hold.takesH264 }) { wanted.h264 = .never }
            return wanted
        }
        let wishes = all.filter { $0.hold.use != .controls }.map(\.hold.wanted)
        guard let first = wishes.first else { return wanted }
        return wishes.dropFirst().reduce(first) { $0.covering($1) }
    }
}
