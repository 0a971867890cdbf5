import Cameras
import Testing
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct SessionMachineTests {
    private static let format = Frames.yuyv
    private static let size = WantedFormat(width: 640, height: 480)
    private static let wish = CameraHold(.photo, wanted: size)
    private static let small = CameraHold(.preview, wanted: WantedFormat(width: 64, height: 48))
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
            case "changing": [.acquire(1, small), .opened(format), .acquire(3, wish)]
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
        case .changing: "changing"
        }
    }

    /// Every state with every event: what it becomes, and what is done.
    private static let table: [(String, SessionMachine.Event, String, [SessionMachine.Action])] = [
        ("closed", .acquire(2, wish), "opening", [.open(size)]),
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
        ("pendingOpen", .closed, "opening", [.open(size)]),
        ("changing", .acquire(2, wish), "changing", []),
        ("changing", .release(1), "changing", []),
        ("changing", .opened(format), "changing", []),
        ("changing", .failed(error), "changing", []),
        ("changing", .closed, "opening", [.open(size)]),
        ("changing", .reconsider, "changing", []),
        ("changing", .change(1, wish), "changing", []),
        ("open", .reconsider, "open", []),
        ("open", .change(1, wish), "open", []),
        ("closed", .reconsider, "closed", []),
        ("opening", .change(1, small), "opening", []),
    ]

    @Test(arguments: 0..<37)
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

    // MARK: Sharing

    /// A camera that gives what it is asked for.
    private static func format(_ width: Int, _ height: Int) -> VideoFormat {
        VideoFormat(pixelFormat: .yuyv, width: width, height: height, bytesPerRow: width * 2, imageByteCount: 0)
    }

    private static func hold(
        _ use: CameraHold.Use,
        _ width: Int,
        _ height: Int,
        insists: Bool = false,
        h264: H264Use = .never
    ) -> CameraHold {
        CameraHold(use, wanted: WantedFormat(width: width, height: height, h264: h264), insists: insists)
    }

    @Test func `a photo has the camera of a preview opened anew for its size, and both go on`() {
        var machine = SessionMachine()
        _ = machine.handle(.acquire(1, Self.hold(.preview, 320, 240)))
        #expect(machine.handle(.opened(Self.format(320, 240))) == [.admit(1, Self.format(320, 240))])
        #expect(machine.handle(.acquire(2, Self.hold(.photo, 1_920, 1_080))) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(WantedFormat(width: 1_920, height: 1_080))])
        let large = Self.format(1_920, 1_080)
        #expect(machine.handle(.opened(large)) == [.admit(2, large)], "the preview was admitted before")
        // The next photo may come soon; if none does, the camera goes back.
        #expect(machine.handle(.release(2)) == [.reconsiderLater])
        #expect(machine.handle(.acquire(3, Self.hold(.photo, 1_920, 1_080))) == [.admit(3, large)])
        #expect(machine.handle(.reconsider).isEmpty)
        #expect(machine.handle(.release(3)) == [.reconsiderLater])
        #expect(machine.handle(.reconsider) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(WantedFormat(width: 320, height: 240))])
    }

    @Test func `who can not have its size, because the camera refuses, leaves the others what they had`() {
        var machine = SessionMachine()
        _ = machine.handle(.acquire(1, Self.hold(.preview, 320, 240)))
        _ = machine.handle(.opened(Self.format(320, 240)))
        _ = machine.handle(.acquire(2, Self.hold(.photo, 1_920, 1_080)))
        _ = machine.handle(.closed)
        let bandwidth = CameraError(.noBandwidth)
        #expect(
            machine.handle(.failed(bandwidth)) == [
                .dismiss(2, bandwidth), .open(WantedFormat(width: 320, height: 240)),
            ]
        )
        #expect(machine.handle(.failed(bandwidth)) == [.dismiss(1, bandwidth)])
        #expect(machine.state == .closed)
    }

    @Test func `a film keeps its format: who insists on more is refused, and others take what there is`() {
        var machine = SessionMachine()
        let format = Self.format(640, 480)
        _ = machine.handle(.acquire(1, Self.hold(.film, 640, 480)))
        _ = machine.handle(.opened(format))
        #expect(machine.handle(.acquire(2, Self.hold(.preview, 1_280, 720))) == [.admit(2, format)])
        #expect(machine.handle(.acquire(3, Self.hold(.photo, 1_920, 1_080))) == [.admit(3, format)])
        let insisting = Self.hold(.photo, 1_920, 1_080, insists: true)
        #expect(machine.handle(.acquire(4, insisting)) == [.refuse(4, inFavourOf: [1, 3])])
        #expect(machine.holders == [1, 2, 3])
        #expect(machine.handle(.acquire(5, Self.hold(.photo, 320, 240, insists: true))) == [.admit(5, format)])
        // When only the preview is left, it gets what it wants.
        for id in [1, 3] { #expect(machine.handle(.release(id)).isEmpty) }
        #expect(machine.handle(.release(5)) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(WantedFormat(width: 1_280, height: 720))])
    }

    @Test func `a film takes a preview's camera in its own size, also a smaller one`() {
        var machine = SessionMachine()
        _ = machine.handle(.acquire(1, Self.hold(.preview, 1_280, 720)))
        _ = machine.handle(.opened(Self.format(1_280, 720)))
        #expect(machine.handle(.acquire(2, Self.hold(.film, 640, 480))) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(WantedFormat(width: 640, height: 480))])
    }

    @Test func `a camera that gives less than was asked is not opened again and again for the same wish`() {
        var machine = SessionMachine()
        let most = Self.format(640, 480)
        _ = machine.handle(.acquire(1, Self.hold(.preview, 1_920, 1_080)))
        _ = machine.handle(.opened(most))
        #expect(machine.handle(.acquire(2, Self.hold(.photo, 1_920, 1_080, insists: true))) == [.admit(2, most)])
        #expect(machine.handle(.acquire(3, Self.hold(.film, 1_920, 1_080))) == [.admit(3, most)])
    }

    // MARK: Uncompressed pixels

    private static let motionJPEG = VideoFormat(
        pixelFormat: .motionJPEG,
        width: 640,
        height: 480,
        bytesPerRow: 0,
        imageByteCount: 0
    )
    private static let rawPhoto = CameraHold(
        .photo,
        wanted: WantedFormat(width: 640, height: 480, prefersUncompressed: true)
    )

    @Test func `a raw photo has a preview's camera opened anew for its pixels, which the preview gets for a while`() {
        var machine = SessionMachine()
        let preview = Self.hold(.preview, 640, 480)
        _ = machine.handle(.acquire(1, preview))
        _ = machine.handle(.opened(Self.motionJPEG))
        #expect(machine.handle(.acquire(2, Self.rawPhoto)) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(Self.rawPhoto.wanted)])
        let pixels = Self.format(640, 480)
        #expect(machine.handle(.opened(pixels)) == [.admit(2, pixels)])
        #expect(machine.handle(.release(2)) == [.reconsiderLater])
        #expect(machine.handle(.acquire(3, Self.rawPhoto)) == [.admit(3, pixels)], "the next one finds it so")
        #expect(machine.handle(.acquire(4, Self.hold(.photo, 640, 480))) == [.admit(4, pixels)])
        #expect(machine.handle(.release(3)).isEmpty)
        #expect(machine.handle(.release(4)) == [.reconsiderLater])
        #expect(machine.handle(.reconsider) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(preview.wanted)])
    }

    @Test func `a film is not made of the pixels that a raw photo wanted`() {
        var machine = SessionMachine()
        _ = machine.handle(.acquire(1, Self.rawPhoto))
        _ = machine.handle(.acquire(2, Self.hold(.preview, 640, 480)))
        _ = machine.handle(.opened(Self.format(640, 480)))
        _ = machine.handle(.release(1))
        let film = Self.hold(.film, 640, 480)
        #expect(machine.handle(.acquire(3, film)) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(film.wanted)])
        #expect(machine.handle(.opened(Self.motionJPEG)) == [.admit(3, Self.motionJPEG)])
        // The film keeps its format; the photo is told so by what it gets.
        #expect(machine.handle(.acquire(4, Self.rawPhoto)) == [.admit(4, Self.motionJPEG)])
    }

    @Test func `a camera that has nothing but its own JPEG is not opened again and again for raw photos`() {
        var machine = SessionMachine()
        _ = machine.handle(.acquire(1, Self.hold(.preview, 640, 480)))
        _ = machine.handle(.opened(Self.motionJPEG))
        _ = machine.handle(.acquire(2, Self.rawPhoto))
        _ = machine.handle(.closed)
        #expect(machine.handle(.opened(Self.motionJPEG)) == [.admit(2, Self.motionJPEG)])
        #expect(machine.handle(.acquire(3, Self.rawPhoto)) == [.admit(3, Self.motionJPEG)])
    }

    // MARK: H.264

    private static let h264 = Frames.format(.h264)
    private static let filming = hold(.film, 640, 480, h264: .preferred)

    @Test func `a film in the camera's H.264 keeps out who needs pictures, and nobody else`() {
        var machine = SessionMachine()
        #expect(machine.handle(.acquire(1, Self.filming)) == [.open(Self.filming.wanted)])
        _ = machine.handle(.acquire(2, Self.wish))
        #expect(machine.handle(.opened(Self.h264)) == [.admit(1, Self.h264), .refuse(2, inFavourOf: [1])])
        #expect(machine.handle(.acquire(3, Self.wish)) == [.refuse(3, inFavourOf: [1])])
        #expect(machine.handle(.acquire(4, Self.small)) == [.refuse(4, inFavourOf: [1])])
        let controls = CameraHold(.controls)
        #expect(machine.handle(.acquire(5, controls)) == [.admit(5, Self.h264)])
        let other = Self.hold(.film, 1_280, 720, h264: .fallback)
        #expect(machine.handle(.acquire(6, other)) == [.admit(6, Self.h264)])
        // With the last film its format goes, whoever looks at the settings.
        for id in [1, 6] { #expect(machine.handle(.release(id)).isEmpty) }
        #expect(machine.handle(.acquire(7, Self.small)) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(Self.small.wanted)])
    }

    @Test func `a film takes nobody's pictures away for the camera's H.264`() {
        var machine = SessionMachine()
        _ = machine.handle(.acquire(1, Self.small))
        _ = machine.handle(.opened(Self.format(64, 48)))
        #expect(machine.handle(.acquire(2, Self.filming)) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(Self.size)])
        #expect(machine.handle(.opened(Self.format(640, 480))) == [.admit(2, Self.format(640, 480))])
    }

    @Test(arguments: [wish, small])
    func `who waited with a film that left gets pictures`(waiting: CameraHold) {
        var machine = SessionMachine()
        _ = machine.handle(.acquire(1, Self.filming))
        _ = machine.handle(.acquire(2, waiting))
        _ = machine.handle(.release(1))
        #expect(machine.handle(.opened(Self.h264)) == [.closeToChange])
        #expect(machine.handle(.closed) == [.open(waiting.wanted)])
        #expect(machine.handle(.opened(Self.format)) == [.admit(2, Self.format)])
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
        var mayGiveH264 = false

        func perform(_ actions: [SessionMachine.Action]) {
            for action in actions {
                switch action {
                case .open(let wanted):
                    #expect(device == "closed")
                    device = "opening"
                    mayGiveH264 = wanted.h264 != .never
                case .close, .closeToChange:
                    #expect(device == "open")
                    device = "closing"
                case .admit(let id, _):
                    #expect(device == "open")
                    #expect(live.contains(id))
                    #expect(admitted.insert(id).inserted)
                case .dismiss(let id, _), .refuse(let id, _):
                    #expect(live.remove(id) != nil)
                    admitted.remove(id)
                case .reconsiderLater:
                    #expect(device == "open")
                }
            }
        }

        for _ in 0..<400 {
            switch Int.random(in: 0..<8, using: &dice) {
            case 0, 1:
                live.insert(nextID)
                let sizes = [(320, 240), (640, 480), (1_280, 720)]
                let size = sizes[Int.random(in: 0..<3, using: &dice)]
                let use = [CameraHold.Use.photo, .film, .preview, .controls][Int.random(in: 0..<4, using: &dice)]
                let insists = Bool.random(using: &dice)
                let h264 = use == .film ? [H264Use.never, .fallback, .preferred][nextID % 3] : .never
                let hold = Self.hold(use, size.0, size.1, insists: insists, h264: h264)
                perform(machine.handle(.acquire(nextID, hold)))
                nextID += 1
            case 6:
                guard let id = live.sorted().randomElement(using: &dice), var hold = machine.hold(of: id) else {
                    continue
                }
                (hold.wanted.width, hold.wanted.height) = (640, 480)
                perform(machine.handle(.change(id, hold)))
            case 7: perform(machine.handle(.reconsider))
            case 2, 3:
                guard let id = live.sorted().randomElement(using: &dice) else { continue }
                live.remove(id)
                admitted.remove(id)
                perform(machine.handle(.release(id)))
            case 4:
                // The device answers what it was told; a driver's failure may come at any time.
                switch device {
                case "opening" where Bool.random(using: &dice):
                    device = "open"
                    let isH264 = mayGiveH264 && Bool.random(using: &dice)
                    perform(machine.handle(.opened(isH264 ? Self.h264 : Self.format)))
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
            if case .open(let format) = machine.state {
                #expect(device == "open" && admitted == live)
                #expect(machine.holds.allSatisfy { $0.canUse(format) })
            }
            if machine.state == .closed { #expect(device == "closed" && live.isEmpty) }
        }
    }
}
