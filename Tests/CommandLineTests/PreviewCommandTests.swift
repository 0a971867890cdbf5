import CommandLineService
import Files
import Media
import MessageSchema
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Preview and settings` {
    /// Shows pictures of three bytes each, until nobody takes them.
    private static func showing(_ interruption: Interruption? = nil, after count: Int = .max) -> FakeCluster {
        let cluster = FakeCluster()
        cluster.onStream(PreviewCamera.self) { request, send in
            for number in 0..<Int64.max {
                let item = PreviewItem(
                    number: number,
                    width: request.width ?? 640,
                    height: request.height ?? 480,
                    captured: 1_000 + number,
                    dropped: number / 2
                )
                try await send(item, [0xFF, 0xD8, UInt8(truncatingIfNeeded: number)])
                guard number + 1 == count else { continue }
                interruption?.trigger()
                try await Task.sleep(for: .seconds(3_600))
            }
            return Empty()
        }
        return cluster
    }

    @Test func `a path with two places for a number is refused before anything is asked`() async {
        let cluster = FakeCluster()
        let outcome = await obscura("preview", "--camera", "b", "--output", "/nowhere/a%d%02d.jpg", on: cluster)
        #expect(outcome.status == .usage && cluster.calls.isEmpty, "\(outcome.errors)")
        #expect(outcome.errors.contains("more than one place"), "\(outcome.errors)")
    }

    @Test func `pictures go to standard output one after the other, as many as were asked for`() async {
        let outcome = await obscura("preview", "--camera", "b", "--frames", "3", on: Self.showing())
        #expect(outcome.status == .success)
        #expect(outcome.output == [0xFF, 0xD8, 0, 0xFF, 0xD8, 1, 0xFF, 0xD8, 2])
    }

    @Test func `size and rate go with the request, and JSON has a line for each picture and a last one`() async throws {
        let cluster = FakeCluster()
        cluster.onStream(PreviewCamera.self) { request, send in
            #expect(request == PreviewCamera(camera: "b", width: 320, height: 200, framesPerSecond: 2.5))
            try await send(.init(number: 7, width: 266, height: 200, captured: 5, dropped: 4), [1, 2])
            try await send(.init(number: 9, width: 266, height: 200, captured: 6, dropped: 5), [1, 2, 3])
            return Empty()
        }
        let outcome = await obscura(
            "preview",
            "--camera",
            "b",
            "--size",
            "320x200",
            "--rate",
            "2.5",
            "--json",
            on: cluster
        )
        #expect(outcome.status == .success)
        #expect(
            outcome.lines == [
                #"{"bytes":2,"captured":5,"dropped":4,"height":200,"number":7,"type":"item","width":266}"#,
                #"{"bytes":3,"captured":6,"dropped":5,"height":200,"number":9,"type":"item","width":266}"#,
                #"{"bytes":5,"camera":"b","droppedFrames":5,"frames":2,"height":200,"type":"result","width":266}"#,
            ]
        )
    }

    @Test func `a numbered name is a file for each picture, a picture's name the newest, any other all of them`()
        async throws
    {
        let folder = try TemporaryDirectory()
        for name in ["frame%03d.jpg", "newest.jpg", "all.mjpeg"] {
            let path = folder.path + "/" + name
            let words = ["preview", "--camera", "b", "--frames", "2", "--output", path]
            let outcome = await obscura(
                words[0],
                words[1],
                words[2],
                words[3],
                words[4],
                words[5],
                words[6],
                on: Self.showing()
            )
            #expect(outcome.status == .success, "\(outcome.errors)")
            #expect(outcome.lines == ["2 pictures to \(path)"])
        }
        let directory = try folder.open()
        #expect(
            try directory.entries().map(\.name).sorted() == [
                "all.mjpeg", "frame001.jpg", "frame002.jpg", "newest.jpg",
            ]
        )
        #expect(try directory.read("frame001.jpg", limit: 9) == [0xFF, 0xD8, 0])
        #expect(try directory.read("newest.jpg", limit: 9) == [0xFF, 0xD8, 1])
        #expect(try directory.read("all.mjpeg", limit: 9) == [0xFF, 0xD8, 0, 0xFF, 0xD8, 1])
    }

    @Test func `an interrupt ends it with 130 and keeps what there is`() async throws {
        let folder = try TemporaryDirectory()
        let interruption = Interruption()
        let path = folder.path + "/all.mjpeg"
        let outcome = await obscura(
            "preview",
            "--camera",
            "b",
            "--output",
            path,
            on: Self.showing(interruption, after: 2),
            interruption: interruption
        )
        #expect(outcome.status == .interrupted)
        #expect(try folder.open().read("all.mjpeg", limit: 9)?.count == 6)
    }

    @Test func `a revocation ends it with 77 and keeps what there was`() async throws {
        let folder = try TemporaryDirectory()
        let cluster = FakeCluster()
        cluster.onStream(PreviewCamera.self) { _, send in
            try await send(.init(number: 0, width: 1, height: 1, captured: 1, dropped: 0), [7])
            throw ErrorReply(.revoked, "The permission has ended")
        }
        let path = folder.path + "/all.mjpeg"
        let outcome = await obscura("preview", "--camera", "b", "--output", path, on: cluster)
        #expect(outcome.status == .notPermitted)
        #expect(try folder.open().read("all.mjpeg", limit: 9) == [7])
    }

    @Test(arguments: [["--json", "--output", "-"], ["--rate", "0"], ["--size", "0x10"], ["--frames", "0"]])
    func `what makes no sense is refused`(words: [String]) async {
        let cluster = Self.showing()
        let outcome =
            words.count == 3
            ? await obscura("preview", "--camera", "b", words[0], words[1], words[2], on: cluster)
            : await obscura("preview", "--camera", "b", words[0], words[1], on: cluster)
        #expect(outcome.status == .usage)
        #expect(cluster.calls.isEmpty)
    }

    // MARK: Settings

    private static let controls = [
        CameraControl(
            name: "brightness",
            title: "Brightness",
            id: 1,
            type: .integer,
            minimum: -100,
            maximum: 100,
            step: 5,
            default: 0,
            value: .number(20),
            flags: [.slider]
        ),
        CameraControl(
            name: "color_effects",
            title: "Color Effects",
            id: 2,
            type: .menu,
            minimum: 0,
            maximum: 3,
            step: 1,
            default: 0,
            value: .number(3),
            menu: [.init(index: 0, name: "None"), .init(index: 3, name: "Negative")]
        ),
    ]

    @Test func `settings are shown with their ranges, and set by name, numbers as numbers and words as words`() async {
        let cluster = FakeCluster()
        cluster.on(SetControls.self) { request in
            #expect(request.camera == "back")
            #expect(request.values == ["brightness": .number(-20), "color_effects": .text("Negative")])
            return .init(controls: Self.controls)
        }
        let outcome = await obscura(
            "cameras",
            "controls",
            "back",
            "--set",
            "brightness=-20,color_effects=Negative",
            on: cluster
        )
        #expect(outcome.status == .success)
        #expect(outcome.text.contains("brightness     20            -100 to 100 by 5        0        slider"))
        #expect(outcome.text.contains("color_effects  3 (Negative)  0 (None), 3 (Negative)"))
    }

    @Test func `settings of a camera that is not in use come from the probe`() async {
        let cluster = FakeCluster()
        cluster.on(ReadControls.self) { _ in throw ErrorReply(.notHeld, "Not in use") }
        cluster.on(ShowCamera.self) { _ in
            .init(camera: Samples.camera("b", .back), controls: Self.controls)
        }
        let outcome = await obscura("cameras", "controls", "b", "--json", on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.first?.contains(#""name":"brightness""#) == true)
        #expect(cluster.rules(of: ReadControls.name)?.mayPrompt == false)
    }

    @Test func `what can not be set says so, and ends with 64 or 75`() async {
        let cluster = FakeCluster()
        cluster.on(SetControls.self) { _ in throw ErrorReply.invalidParameter("values.gain", "from 0 to 5") }
        cluster.on(ResetControls.self) { _ in throw ErrorReply(.notHeld, "Not in use") }
        let refused = await obscura("cameras", "controls", "b", "--set", "gain=9", on: cluster)
        #expect(refused.status == .usage)
        #expect(refused.errors.contains("gain in --set has to be from 0 to 5"))
        #expect(await obscura("cameras", "controls", "b", "--reset", on: cluster).status == .tryAgain)
        let count = cluster.calls.count
        for set in ["gain", "=3", "gain=1,gain=2", "gain=1,"] {
            #expect(await obscura("cameras", "controls", "b", "--set", set, on: cluster).status == .usage, "\(set)")
        }
        #expect(await obscura("cameras", "controls", "b", "--set", "a=1", "--reset", on: cluster).status == .usage)
        #expect(cluster.calls.count == count)
    }
}
