import Cameras
import Foundation
import MessageSchema
import Synchronization
import TestSupport
import Testing

@testable import CaptureService

/// Every fault that the kernel's virtual camera can have, with photos, a film and a preview: each goes on and counts
/// what was lost, or ends in the documented error; and works again when the fault is gone.
///
/// `Tests/CameraLab/check` runs it in the emulated machine, with a webcam and an HDMI input.
@Suite(.enabled(if: LabCamera.isHere), .tags(.hardware, .slow), .serialized, .timeLimit(.minutes(10)))
struct FaultMatrixTests {
    enum Use: String, CaseIterable, Sendable {
        case photos, film, preview
        /// The three of them at once, sharing the camera.
        case together
    }

    private static let leastPictures = 12
    /// From a fault to the error that tells it.
    ///
    /// Two seconds on a machine; but emulation is slower, and photos and films look at the frames that wait for them
    /// first: eight, a second for each.
    private static let patience = Duration.seconds(30)

    enum Expectation: Sendable {
        /// It goes on; so many frames at least are counted as lost.
        case goesOn(lost: Int64)
        case ends(ErrorCode)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        /// vivid's name of the control that injects it (vivid-ctrls.c), its value then, and its value without the fault;
        /// buttons have none, and one push is one fault.
        let control: String
        var value: Int32 = 1
        var healthy: Int32?
        /// 0 is a webcam, 1 an HDMI input.
        var camera = 0
        /// The frame before which it is injected; 0 for before the camera is opened.
        let frame: Int
        let expected: Expectation
        /// Pictures that are taken or filmed, or frames that pass a preview.
        var pictures = leastPictures

        var testDescription: String { name }

        /// Whether it is over with the first attempt to open the camera.
        var isOfOpening: Bool { frame == 0 && healthy == nil }

        /// The uses to try; all of them alone only in the whole matrix, since the emulated machine is slow.
        var uses: [Use] {
            // Of those who come at once only those who wait for the opening hear of one that fails.
            if isOfOpening { return Use.allCases.filter { $0 != .together } }
            return LabCamera.isWhole ? Use.allCases : [.together]
        }
    }

    static let faults = [
        Fault(
            name: "dropped",
            control: "Percentage of Dropped Buffers",
            value: 50,
            healthy: 0,
            frame: 0,
            expected: .goesOn(lost: 1)
        ),
        Fault(name: "error flag", control: "Inject V4L2_BUF_FLAG_ERROR", frame: 5, expected: .goesOn(lost: 1)),
        Fault(name: "REQBUFS", control: "Inject VIDIOC_REQBUFS Error", frame: 0, expected: .ends(.cameraFault)),
        Fault(name: "QBUF before", control: "Inject VIDIOC_QBUF Error", frame: 0, expected: .ends(.cameraFault)),
        Fault(name: "QBUF during", control: "Inject VIDIOC_QBUF Error", frame: 5, expected: .goesOn(lost: 1)),
        Fault(name: "STREAMON", control: "Inject VIDIOC_STREAMON Error", frame: 0, expected: .ends(.cameraFault)),
        Fault(
            name: "fatal streaming error",
            control: "Inject Fatal Streaming Error",
            frame: 5,
            expected: .goesOn(lost: 1)
        ),
        Fault(name: "disconnect", control: "Disconnect", frame: 5, expected: .ends(.removed), pictures: 1_000),
        Fault(
            name: "sequence wrap",
            control: "Wrap Sequence Number",
            healthy: 0,
            frame: 0,
            expected: .goesOn(lost: 0),
            // It begins 128 frames before the end of the numbers.
            pictures: 140
        ),
        Fault(name: "timestamp wrap", control: "Wrap Timestamp", healthy: 0, frame: 0, expected: .goesOn(lost: 0)),
        Fault(
            name: "no signal before",
            control: "DV Timings Signal Mode",
            healthy: 0,
            camera: 1,
            frame: 0,
            expected: .ends(.noSignal)
        ),
        Fault(
            name: "no signal during",
            control: "DV Timings Signal Mode",
            healthy: 0,
            camera: 1,
            frame: 5,
            expected: .ends(.noSignal),
            pictures: 1_000
        ),
    ]

    static let cases = faults.flatMap { fault in fault.uses.map { (fault, $0) } }

    @Test(arguments: cases)
    func `a fault is survived and counted, or told, and is over when it is gone`(fault: Fault, use: Use) async throws {
        let camera = try LabCamera(driver: "vivid", number: fault.camera)
        if let healthy = fault.healthy { try LabCamera.set(fault.control, to: healthy, at: camera.node) }
        let lever = Lever(fault, at: camera.node)
        try lever.reached(frame: 0)
        let session = camera.session()
        // The first to hold the camera decides how fast it is; a fault of the opening is for those who are tried.
        let pace = fault.isOfOpening ? nil : try? await session.acquire(CameraHold(.film, wanted: camera.wanted))
        let outcomes = await Self.outcomes(of: use, fault, camera, session, lever)
        if let pace { await session.release(pace) }
        #expect(outcomes.count == (use == .together ? 3 : 1))
        for (use, outcome) in outcomes {
            switch fault.expected {
            case .goesOn(let atLeast):
                #expect(outcome.error == nil, "\(use)")
                #expect(outcome.pictures >= (use == .preview ? 1 : Self.leastPictures), "\(use)")
                // Photos know nothing of what was lost before the first of them, and beside others they may be late.
                let least = use == .photos && outcomes.count > 1 ? 0 : atLeast
                // A gap of the numbers that wraps is not four billion lost frames.
                #expect((least...10_000).contains(outcome.lost), "\(use)")
                Self.note("\(fault.name), \(use.rawValue): goes on, \(outcome.lost) lost")
            case .ends(let code):
                let told = ErrorReply(capture: try #require(outcome.error, "\(use)"), camera: camera.camera)
                #expect(told.code == code, "\(use): \(told.description) \(told.reason ?? "")")
                let time = try outcome.ended - #require(lever.pushed)
                #expect(time < Self.patience, "\(use)")
                Self.note("\(fault.name), \(use.rawValue): \(code.rawValue) after \(time)")
            }
            // What was filmed before a camera was lost is kept.
            if use == .film, fault.frame > 0 { #expect(outcome.pictures > 0) }
        }
        if let healthy = fault.healthy { try LabCamera.set(fault.control, to: healthy, at: camera.node) }
        let again = await camera.photos(1)
        #expect(again.error == nil, "it works again")
    }

    private static func outcomes(
        of use: Use,
        _ fault: Fault,
        _ camera: LabCamera,
        _ session: CameraSession,
        _ lever: Lever
    ) async -> [(Use, LabCamera.Outcome)] {
        let count = fault.pictures
        let onFrame: LabCamera.OnFrame = { try lever.reached(frame: $0) }
        switch use {
        case .photos: return [(.photos, await camera.photos(count, in: session, onFrame))]
        case .film: return [(.film, await camera.film(count, in: session, onFrame))]
        case .preview: return [(.preview, await camera.preview(count, in: session, onFrame))]
        case .together:
            // The photos bring the fault, the preview goes on until after them, and the film until after the preview.
            let (photosEnd, previewEnd) = (Latch(), Latch())
            let least = if case .ends = fault.expected { count } else { leastPictures }
            async let photos = opening(photosEnd) { await camera.photos(least, in: session, onFrame) }
            async let preview = opening(previewEnd) {
                await camera.preview(count, in: session, mayEnd: { photosEnd.isOpen })
            }
            async let film = camera.film(least, in: session, mayEnd: { previewEnd.isOpen })
            return [(.photos, await photos), (.film, await film), (.preview, await preview)]
        }
    }

    private static func opening(
        _ latch: Latch,
        after use: @Sendable () async -> LabCamera.Outcome
    ) async -> LabCamera.Outcome {
        let outcome = await use()
        latch.open()
        return outcome
    }

    /// A figure, below the test's line.
    private static func note(_ words: String) {
        FileHandle.standardError.write(Data("  \(words)\n".utf8))
    }
}

/// What injects a fault when its frame comes.
private final class Lever: Sendable {
    private let fault: FaultMatrixTests.Fault
    private let node: String
    private let time = Mutex<ContinuousClock.Instant?>(nil)

    init(_ fault: FaultMatrixTests.Fault, at node: String) {
        self.fault = fault
        self.node = node
    }

    /// When the fault was there; nil before it.
    var pushed: ContinuousClock.Instant? { time.withLock { $0 } }

    func reached(frame: Int) throws {
        guard frame == fault.frame else { return }
        try LabCamera.set(fault.control, to: fault.value, at: node)
        time.withLock { $0 = .now }
    }
}
