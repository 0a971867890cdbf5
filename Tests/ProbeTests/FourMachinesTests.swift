import Cameras
import Media
import MessageSchema
import Testing

@testable import CapabilityProbeService

@Suite("The four machines", .timeLimit(.minutes(1)))
struct FourMachinesTests {
    /// A machine with the cameras that are given, as the kernel would tell of them.
    private func machine(front: Bool?, back: Bool?, busy: Bool = false) -> ProbeMachine {
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
                    availability: busy ? Availability(.busy, reason: "in use by x") : Availability(.available),
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

    @Test func `a busy camera is momentarily no source, and the reason says so`() {
        let source = machine(front: nil, back: true, busy: true).status(of: .camera)
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
