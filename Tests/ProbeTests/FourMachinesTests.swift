import Cameras
import Media
import MessageSchema
import Testing

@testable import CapabilityProbeService

@Suite("The four machines", .timeLimit(.minutes(1)))
struct FourMachinesTests {
    /// A machine with the cameras that are given, as the kernel would tell of them.
    private func machine(
        front: Bool?,
        back: Bool?,
        state: Availability.State = .available
    ) -> ProbeMachine {
        var cameras: [Camera] = []
        for (position, flash) in [(CameraPosition.front, front), (.back, back)] {
            guard let flash else { continue }
            cameras.append(
                Camera(
                    id: "test-\(position.rawValue)",
                    name: "Test",
                    position: position,
                    driver: "test",
                    builtIn: false,
                    availability: Availability(state, reason: state == .available ? nil : "in use by x"),
                    mediaTypes: [.image, .movie],
                    flash: flash,
                    torch: flash,
                    formats: []
                )
            )
        }
        return ProbeMachine(catalogue: CameraCatalogue(cameras: cameras), library: .unavailable)
    }

    @Test func `a machine without cameras`() {
        #expect(
            MachineReport.lines(for: machine(front: nil, back: nil)) == [
                "Camera is not available.", "The front camera is not available.", "The rear camera is not available.",
                "The camera does not support taking photos", "The camera does not support shooting videos.",
            ]
        )
    }

    @Test func `a machine with a rear camera alone`() {
        #expect(
            MachineReport.lines(for: machine(front: nil, back: true)) == [
                "Camera is available.", "The front camera is not available.", "The rear camera is available.",
                "The rear camera is equipped with a flash", "The camera supports taking photos.",
                "The camera supports shooting videos.",
            ]
        )
    }

    @Test func `a machine with a front camera alone`() {
        #expect(
            MachineReport.lines(for: machine(front: false, back: nil)) == [
                "Camera is available.", "The front camera is available.",
                "The front camera is not equipped with a flash", "The rear camera is not available.",
                "The camera supports taking photos.", "The camera supports shooting videos.",
            ]
        )
    }

    @Test func `a machine with both`() {
        #expect(
            MachineReport.lines(for: machine(front: true, back: false)) == [
                "Camera is available.", "The front camera is available.", "The front camera is equipped with a flash",
                "The rear camera is available.", "The rear camera is not equipped with a flash",
                "The camera supports taking photos.", "The camera supports shooting videos.",
            ]
        )
    }

    @Test(arguments: [nil, false, true] as [Bool?], [nil, false, true] as [Bool?])
    func `each of the four machines, with and without a flash at each side`(front: Bool?, back: Bool?) {
        let machine = machine(front: front, back: back)
        var wanted = [front == nil && back == nil ? "Camera is not available." : "Camera is available."]
        for (flash, name) in [(front, "front"), (back, "rear")] {
            guard let flash else {
                wanted.append("The \(name) camera is not available.")
                continue
            }
            wanted.append("The \(name) camera is available.")
            wanted.append("The \(name) camera is \(flash ? "equipped" : "not equipped") with a flash")
        }
        let works = front != nil || back != nil
        wanted.append(works ? "The camera supports taking photos." : "The camera does not support taking photos")
        wanted.append(works ? "The camera supports shooting videos." : "The camera does not support shooting videos.")
        #expect(MachineReport.lines(for: machine) == wanted)
        for (position, flash) in [(CameraPosition.front, front), (.back, back)] {
            let isThere = machine.answer(AskCameras(.position, position: position))
            #expect(isThere == .init(answer: flash != nil, reason: flash == nil ? "cameraAbsent" : nil))
            let hasFlash = machine.answer(AskCameras(.flash, position: position))
            let reason = flash == nil ? "cameraAbsent" : flash == false ? "noFlash" : nil
            #expect(hasFlash == .init(answer: flash == true, reason: reason))
        }
    }

    @Test(arguments: [
        (Availability.State.busy, "cameraBusy"), (.denied, "cameraDenied"), (.disabled, "cameraDisabled"),
        (.noSignal, "cameraNoSignal"), (.absent, "cameraAbsent"), (.unknown, "cameraUnknown"),
    ])
    func `a camera that can not be used now is no, and the reason is its state`(
        state: Availability.State,
        reason: String
    ) {
        let machine = machine(front: nil, back: true, state: state)
        #expect(machine.answer(AskCameras(.position, position: .back)) == .init(answer: false, reason: reason))
        #expect(machine.answer(AskCameras(.flash, position: .back)) == .init(answer: false, reason: reason))
        #expect(machine.answer(AskCameras(.position, position: .front)).reason == "cameraAbsent")
        #expect(machine.status(of: .camera).reason == state.rawValue)
    }

    @Test func `what could not be looked at is never absent`() {
        var unseen = BuiltInCameras.front
        unseen.position = .external
        unseen.mediaTypes = []
        unseen.availability = Availability(.denied, reason: "members of group video may")
        let denied = ProbeMachine(catalogue: CameraCatalogue(cameras: [unseen]), library: .unavailable)
        #expect(denied.answer(AskCameras(.position, position: .front)).reason == "cameraDenied")
        #expect(denied.answer(AskCameras(.flash, position: .back)).reason == "cameraDenied")
        #expect(denied.status(of: .camera).reason == "denied")
        #expect(denied.status(of: .camera).detail == "members of group video may")
        let blind = CameraCatalogue(cameras: [], problem: "sysfs can not be read", isComplete: false)
        let unknown = ProbeMachine(catalogue: blind, library: .unavailable)
        #expect(unknown.status(of: .camera).reason == "unknown")
        #expect(unknown.status(of: .camera).detail == "sysfs can not be read")
        #expect(unknown.answer(AskCameras(.position, position: .front)).reason == "cameraUnknown")
    }

    @Test func `a busy camera is momentarily no source, and the reason says so`() {
        let source = machine(front: nil, back: true, state: .busy).status(of: .camera)
        #expect(!source.available)
        #expect(source.reason == "busy")
        #expect(source.mediaTypes.isEmpty)
    }

    @Test func `predicates answer and never fail`() {
        let none = machine(front: nil, back: nil)
        let both = machine(front: true, back: false)
        func ask(_ machine: ProbeMachine, _ question: AskCameras) -> AskCameras.Reply { machine.answer(question) }
        let empty = AskCameras(.mediaType, source: .camera, mediaType: MediaType(rawValue: ""))
        #expect(ask(both, empty) == .init(answer: false, reason: "mediaTypeEmpty"))
        #expect(ask(none, empty) == .init(answer: false, reason: "mediaTypeEmpty"))
        let image = AskCameras(.mediaType, source: .camera, mediaType: .image)
        #expect(ask(both, image) == .init(answer: true))
        #expect(ask(none, image) == .init(answer: false, reason: "sourceUnavailable"))
        let near = AskCameras(.mediaType, source: .camera, mediaType: MediaType(rawValue: "Public.image"))
        #expect(ask(both, near).answer == false)
        #expect(ask(none, AskCameras(.flash, position: .back)) == .init(answer: false, reason: "cameraAbsent"))
        #expect(ask(both, AskCameras(.flash, position: .back)) == .init(answer: false, reason: "noFlash"))
        #expect(ask(both, AskCameras(.flash, position: .front)) == .init(answer: true))
        #expect(ask(both, AskCameras(.flash)) == .init(answer: false, reason: "cameraAbsent"))
    }

    @Test func `the library's sources are what it has, not what it could have`() {
        var machine = machine(front: nil, back: nil)
        #expect(machine.status(of: .photoLibrary).reason == "libraryUnavailable")
        machine.library = .contents(all: [.movie], saved: [])
        #expect(machine.status(of: .photoLibrary).mediaTypes == [.movie])
        #expect(machine.status(of: .savedPhotosAlbum).available == false)
        #expect(machine.status(of: .savedPhotosAlbum).reason == "empty")
    }

    @Test func `a watcher is led from what it knows to what is`() {
        let known = Dictionary(uniqueKeysWithValues: machine(front: true, back: nil).cameras.map { ($0.id, $0) })
        let events = machine(front: false, back: true).events(since: known)
        #expect(events.map(\.kind) == [.added, .changed])
        #expect(machine(front: nil, back: nil).events(since: known).map(\.kind) == [.removed])
        #expect(machine(front: true, back: nil).events(since: known).isEmpty)
    }
}
