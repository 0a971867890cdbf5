import MessageSchema
import Messaging
import ObscuraClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A program's view of a camera` {
    private func prepared(_ prepare: (Services) async -> Void) async throws -> (ObscuraClient.Camera, Services) {
        let services = try Services()
        await prepare(services)
        try await services.start()
        return (Camera(of: try ObscuraCluster(runtimeDirectory: services.directory)), services)
    }

    @Test func `is a sequence of pictures, which ends with the error that says why`() async throws {
        let (camera, services) = try await prepared { services in
            await services.capture.registerStream(PreviewCamera.self) { request, _, sink in
                #expect(request == PreviewCamera(camera: "back", width: 320, height: 200, framesPerSecond: 5))
                for number in 0..<3 {
                    let item = PreviewItem(
                        number: Int64(number * 2),
                        width: 266,
                        height: 200,
                        captured: 7_000,
                        dropped: Int64(number)
                    )
                    try await sink.send(item, attachments: [Attachment([UInt8(number)])])
                }
                throw ErrorReply(.revoked, "The permission has ended")
            }
        }
        var pictures: [CameraPicture] = []
        do {
            let size = PixelSize(width: 320, height: 200)
            for try await picture in camera.preview(with: .rear, fitting: size, framesPerSecond: 5) {
                pictures.append(picture)
            }
            Issue.record("It ended without an error.")
        } catch let error as ObscuraError {
            #expect(error.code == "revoked" && error.isDenial)
        }
        #expect(pictures.map(\.number) == [0, 2, 4])
        #expect(pictures.map(\.jpeg) == [[0], [1], [2]])
        #expect(pictures.map(\.droppedFrames) == [0, 1, 2])
        #expect(pictures.first?.size == PixelSize(width: 266, height: 200))
        #expect(pictures.first?.captured == .seconds(7))
        withExtendedLifetime(services) {}
    }

    @Test func `ends at the service when the program leaves the loop`() async throws {
        let (ended, ending) = AsyncStream<Void>.makeStream()
        let (camera, services) = try await prepared { services in
            await services.capture.registerStream(PreviewCamera.self) { _, _, sink in
                defer { ending.finish() }
                let item = PreviewItem(number: 0, width: 1, height: 1, captured: 0, dropped: 0)
                while true { try await sink.send(item) }
            }
        }
        for try await _ in camera.preview(with: .front) { break }
        for await _ in ended {}
        withExtendedLifetime(services) {}
    }

    @Test func `has settings with names, ranges and choices`() async throws {
        let control = CameraControl(
            name: "color_effects",
            title: "Color Effects",
            id: 1,
            type: .menu,
            minimum: 0,
            maximum: 3,
            step: 1,
            default: 0,
            value: .number(3),
            menu: [.init(index: 0, name: "None"), .init(index: 3, name: "Negative")],
            flags: [.inactive]
        )
        let (camera, services) = try await prepared { services in
            await services.capture.register(ReadControls.self) { _, _ in .init(controls: [control]) }
            await services.capture.register(SetControls.self) { request, _ in
                #expect(request.values == ["color_effects": .text("Negative"), "gain": .number(3)])
                return .init(controls: [control])
            }
            await services.capture.register(ResetControls.self) { request, _ in
                #expect(request.names == ["gain"])
                return .init(controls: [])
            }
        }
        let setting = try #require(try await camera.settings(of: "b").first)
        #expect(setting.name == "color_effects" && setting.title == "Color Effects")
        #expect(setting.value == 3 && setting.range == 0...3 && setting.initial == 0 && setting.step == 1)
        #expect(setting.choices.map(\.name) == ["None", "Negative"])
        #expect(setting.isInactive && !setting.isReadOnly)
        #expect(try await camera.set(["color_effects": "Negative", "gain": 3], of: "b").count == 1)
        #expect(try await camera.resetSettings(["gain"], of: "b").isEmpty)
        withExtendedLifetime(services) {}
    }
}
