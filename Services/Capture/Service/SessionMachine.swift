package import Cameras
package import Video4Linux

/// One opened camera and its many holders: an event in, actions out.
///
/// ```
/// closed ─(acquire)─► opening ─(opened)─► open ─(last release)─► closing ─(closed)─► closed
///    ▲                   │                 │                        │
///    └────(failed)───────┴─────(failed)────┘      pendingOpen ◄─(acquire)─┘ then opening
/// ```
package struct SessionMachine: Sendable {
    /// Names a holder: a photo, a recording.
    package typealias HolderID = Int

    package enum State: Hashable, Sendable {
        case closed
        /// Closing, and somebody waits for it to be opened again.
        case pendingOpen
        case opening
        case open(VideoFormat)
        case closing
    }

    package enum Event: Sendable {
        case acquire(HolderID, WantedFormat)
        case release(HolderID)
        case opened(VideoFormat)
        /// Opening, or the open camera, failed.
        case failed(CameraError)
        case closed
    }

    package enum Action: Hashable, Sendable {
        case open(WantedFormat)
        case close
        case admit(HolderID, VideoFormat)
        /// The holder gets nothing more, and this error.
        case dismiss(HolderID, CameraError)
    }

    package private(set) var state = State.closed
    /// Who has frames, or waits for them; in the order of their coming.
    package private(set) var holders: [HolderID] = []
    private var wanted = WantedFormat()

    package init() {}

    /// Takes an event and says what is to be done about it.
    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .acquire(let holder, let wanted): acquire(holder, wanted)
        case .release(let holder): release(holder)
        case .opened(let format): opened(format)
        case .failed(let error): failed(error)
        case .closed: closed()
        }
    }

    private mutating func acquire(_ holder: HolderID, _ wanted: WantedFormat) -> [Action] {
        holders.append(holder)
        switch state {
        case .closed:
            self.wanted = wanted
            state = .opening
            return [.open(wanted)]
        case .closing:
            self.wanted = wanted
            state = .pendingOpen
            return []
        case .open(let format):
            // The first holder's wish counts; the others take what there is, and are told what it is.
            return [.admit(holder, format)]
        case .opening, .pendingOpen:
            return []
        }
    }

    private mutating func release(_ holder: HolderID) -> [Action] {
        guard let index = holders.firstIndex(of: holder) else { return [] }
        holders.remove(at: index)
        guard holders.isEmpty else { return [] }
        switch state {
        case .open:
            state = .closing
            return [.close]
        case .pendingOpen:
            state = .closing
            return []
        case .opening, .closed, .closing:
            // What is being opened is closed as soon as it is open.
            return []
        }
    }

    private mutating func opened(_ format: VideoFormat) -> [Action] {
        guard state == .opening else { return [] }
        guard !holders.isEmpty else {
            state = .closing
            return [.close]
        }
        state = .open(format)
        return holders.map { .admit($0, format) }
    }

    private mutating func failed(_ error: CameraError) -> [Action] {
        let gone = holders
        switch state {
        case .opening:
            holders = []
            state = .closed
            return gone.map { .dismiss($0, error) }
        case .open:
            holders = []
            state = .closing
            return gone.map { .dismiss($0, error) } + [.close]
        case .closed, .closing, .pendingOpen:
            return []
        }
    }

    private mutating func closed() -> [Action] {
        switch state {
        case .pendingOpen:
            state = .opening
            return [.open(wanted)]
        case .closing:
            state = .closed
            return []
        case .closed, .opening, .open:
            return []
        }
    }
}
