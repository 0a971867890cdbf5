import Cameras
import MessageSchema
import Testing

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct `A camera's settings` {
    private static func control(
        _ name: String,
        _ type: CameraControl.Kind,
        _ minimum: Int64? = nil,
        _ maximum: Int64? = nil,
        step: Int64 = 1,
        menu: [CameraControl.MenuItem]? = nil,
        flags: [CameraControl.Flag] = []
    ) -> CameraControl {
        CameraControl(
            name: name,
            title: name,
            id: Int64(name.utf8.reduce(0) { $0 * 31 + Int($1) }),
            type: type,
            minimum: minimum,
            maximum: maximum,
            step: step,
            default: 0,
            value: .number(0),
            menu: menu,
            flags: flags
        )
    }

    private static let gain = control("gain", .integer, -64, 64, step: 4)
    private static let wide = control("wide", .integer64, .min, .max)
    private static let flip = control("flip", .boolean, 0, 1)
    private static let items = [0: "Auto", 1: "Manual", 3: "Shutter"].sorted { $0.key < $1.key }
        .map { CameraControl.MenuItem(index: $0.key, name: $0.value) }
    private static let mode = control("mode", .menu, 0, 3, menu: items)
    private static let bits = control("bits", .bitmask, 0, 5)
    private static let word = control("word", .string, 2, 4)
    private static let push = control("push", .button)
    private static let fixed = control("fixed", .integer, 0, 9, flags: [.readOnly])
    private static let array = control("array", .compound)

    /// A control, what it shall be set to, and what that means or what it has to be.
    private static let cases: [(CameraControl, ControlValue, ControlValue?, String)] = [
        (gain, .number(8), .number(8), ""), (gain, .number(-64), .number(-64), ""),
        (gain, .text("12"), .number(12), ""),
        (gain, .number(65), nil, "from -64 to 64 in steps of 4"),
        (gain, .number(7), nil, "from -64 to 64 in steps of 4"),
        (gain, .text("loud"), nil, "from -64 to 64 in steps of 4"),
        (gain, .number(.max), nil, "from -64 to 64 in steps of 4"),
        (wide, .number(.max), .number(.max), ""), (wide, .number(.min), .number(.min), ""),
        (flip, .number(1), .number(1), ""), (flip, .text("off"), .number(0), ""), (flip, .number(2), nil, "0 or 1"),
        (mode, .number(3), .number(3), ""), (mode, .text("manual"), .number(1), ""), (mode, .text("3"), .number(3), ""),
        (mode, .number(2), nil, "one of 0 (Auto), 1 (Manual), 3 (Shutter)"),
        (mode, .text("Off"), nil, "one of 0 (Auto), 1 (Manual), 3 (Shutter)"),
        (bits, .number(5), .number(5), ""), (bits, .number(2), nil, "made of the bits of 5"),
        (bits, .number(-1), nil, "made of the bits of 5"),
        (word, .text("abc"), .text("abc"), ""), (word, .number(12), .text("12"), ""),
        (word, .text("a"), nil, "a text of 2 to 4 bytes"), (word, .text("ab\0"), nil, "a text of 2 to 4 bytes"),
        (push, .number(0), .number(1), ""), (fixed, .number(1), nil, "left as it is: it can only be read"),
        (array, .number(1), nil, "left as it is: it has more than one value"),
    ]

    @Test(arguments: cases)
    func `take what is in their range, and say what that is`(
        control: CameraControl,
        value: ControlValue,
        meant: ControlValue?,
        rule: String
    ) {
        do throws(ErrorReply) {
            let checked = try control.checked(value)
            #expect(checked == meant)
        } catch {
            #expect(meant == nil)
            #expect(error.code == .invalidArgument)
            #expect(error.reason == "values.\(control.name) has to be \(rule).")
            #expect(error.parameters?["parameter"] == "values.\(control.name)")
        }
    }

    @Test func `are put back as they were first, the last change first`() {
        var book = ControlBook()
        book.note(ControlChange(control: Self.mode, value: .number(0)))
        book.note(ControlChange(control: Self.gain, value: .number(4)))
        book.note(ControlChange(control: Self.mode, value: .number(3)))
        #expect(
            book.takeRestorations() == [
                ControlChange(control: Self.gain, value: .number(4)),
                ControlChange(control: Self.mode, value: .number(0)),
            ]
        )
        #expect(book.takeRestorations().isEmpty)
    }

    private static func named(_ name: String, of session: CameraSession) async throws -> CameraControl {
        try #require(await session.controls().first { $0.name == name })
    }

    /// The mean brightness of a frame that came after everything that waited.
    private static func luma(of feed: CameraSession.Feed) async -> Double? {
        var count = 0
        for await frame in feed.frames {
            count += 1
            if count > 12 { return LumaMeter.mean(of: frame) }
        }
        return nil
    }

    @Test func `are set all or none`() async throws {
        let camera = ScriptedCamera()
        await camera.setControls([Self.gain, Self.flip], refusing: "flip")
        let session = CameraSession(device: camera)
        let feed = try await session.acquire(CameraHold(.preview))
        let changes = [
            ControlChange(control: Self.gain, value: .number(8)), ControlChange(control: Self.flip, value: .number(1)),
        ]
        await #expect(throws: CameraError(.notSupported, "flip")) { try await session.set(changes) }
        #expect(await camera.settings == ["gain=8", "gain=0"])
        await session.release(feed)
        await camera.changed(2)
        #expect(await camera.settings == ["gain=8", "gain=0", "gain=0"], "putting back once more does no harm")
    }

    @Test func `of a pattern camera show in its pictures, and are put back when the last holder leaves`() async throws {
        let camera = PatternCamera(BuiltInCameras.front, clock: ContinuousClock(), rate: 200)
        let session = CameraSession(device: camera)
        let size = WantedFormat(width: 320, height: 240)
        let first = try await session.acquire(CameraHold(.preview, wanted: size))
        let second = try await session.acquire(CameraHold(.film, wanted: size))
        let names = await session.controls().map(\.name)
        #expect(names == ["brightness", "horizontal_flip", "color_effects"])

        let before = await Self.luma(of: second)
        let brightness = try await Self.named("brightness", of: session)
        try await session.set([ControlChange(control: brightness, value: .number(60))])
        #expect((await Self.luma(of: second) ?? 0) > (before ?? 255) + 20)
        let flip = try await Self.named("horizontal_flip", of: session)
        try await session.set([ControlChange(control: flip, value: .number(1))])
        #expect(try await Self.named("brightness", of: session).value == .number(60))
        await session.release(first)
        // Somebody is left, so they stay.
        #expect(try await Self.named("brightness", of: session).value == .number(60))
        await session.release(second)
        let third = try await session.acquire(CameraHold(.preview, wanted: size))
        #expect(try await Self.named("brightness", of: session).value == .number(0))
        #expect(try await Self.named("horizontal_flip", of: session).value == .number(0))
        await session.release(third)
    }
}
