import Media
import MessageSchema
import Messaging
import ObscuraClient
import Testing

private func message(_ id: String, _ state: Availability.State = .available) -> MessageSchema.Camera {
    var format = CameraFormat(pixelFormat: "YUYV", description: "YUYV 4:2:2", isCompressed: false, sizes: [])
    var sizes = FrameSizes(width: 16, height: 16, intervals: ["1/60", "1/1"])
    (sizes.maximumWidth, sizes.maximumHeight) = (1920, 1080)
    (sizes.stepWidth, sizes.stepHeight) = (2, 4)
    sizes.intervalsAreRange = true
    format.sizes = [sizes]
    return MessageSchema.Camera(
        id: id,
        name: "Test",
        position: .back,
        driver: "test",
        builtIn: false,
        availability: Availability(state, reason: state == .available ? nil : "in use by ffmpeg (pid 7)"),
        mediaTypes: [.image, .movie],
        flash: true,
        torch: false,
        formats: [format],
        rotation: 270,
        node: "/dev/video0"
    )
}

@Suite(.timeLimit(.minutes(1)))
struct `What there is` {
    private static func camera(
        _ prepare: (MessageServer) async -> Void
    ) async throws -> (camera: ObscuraClient.Camera, services: Services) {
        let services = try Services()
        await prepare(services.probe)
        try await services.start()
        return (Camera(of: try ObscuraCluster(runtimeDirectory: services.directory)), services)
    }

    @Test func `a camera is shown with its state, its modes and its formats, ranges as ranges`() async throws {
        let (camera, services) = try await Self.camera { probe in
            await probe.register(ShowCamera.self) { request, _ in
                switch request.camera {
                case "back": .init(camera: message("a"))
                case "busy": .init(camera: message("busy", .busy))
                default: .init(camera: nil)
                }
            }
        }
        let info = try #require(try await camera.info(of: CameraDevice.rear))
        #expect(info.id == "a")
        #expect(info.isAvailable)
        #expect(info.reason == nil)
        #expect(info.device == .rear)
        #expect(info.hasFlash && !info.hasTorch)
        #expect(info.rotation == 270)
        #expect(info.captureModes == [.photo, .video])
        let size = try #require(info.formats.first?.sizes.first)
        #expect(size.widths == 16...1920)
        #expect(size.heightStep == 4)
        #expect(size.frameIntervals == ["1/60", "1/1"])
        #expect(size.hasIntervalRange)
        let busy = try await camera.info(of: "busy")
        #expect(busy?.state == .busy)
        #expect(busy?.reason == "in use by ffmpeg (pid 7)")
        #expect(try await camera.info(of: "nobody") == nil)
        #expect(await camera.captureModes(of: .rear) == [.photo, .video])
        #expect(await camera.captureModes(of: .front) == [])
        withExtendedLifetime(services) {}
    }

    @Test func `settings are shown with bounds, items with holes, and values of both kinds`() async throws {
        let (camera, services) = try await Self.camera { probe in
            await probe.register(ShowCamera.self) { request, _ in
                guard request.camera == "a" else { return .init(camera: nil) }
                let menu = CameraControl(
                    name: "menu",
                    title: "Menu",
                    id: 1,
                    type: .menu,
                    minimum: 0,
                    maximum: 4,
                    value: .number(3),
                    menu: [.init(index: 1, name: "one"), .init(index: 3, name: "three")],
                    flags: [.inactive, .readOnly]
                )
                let text = CameraControl(name: "text", title: "Text", id: 2, type: .string, value: .text("ab"))
                return .init(camera: message("a"), controls: [menu, text])
            }
        }
        let settings = try await camera.allSettings(of: "a")
        #expect(settings.map(\.name) == ["menu", "text"])
        #expect(settings[0].range == 0...4)
        #expect(settings[0].choices.map(\.index) == [1, 3])
        #expect(settings[0].isInactive && settings[0].isReadOnly)
        #expect(settings.map(\.value) == [.number(3), .text("ab")])
        #expect(settings[1].range == nil)
        #expect(try await camera.allSettings(of: "b") == [])
        withExtendedLifetime(services) {}
    }

    @Test func `sources come with the reason, and a machine without cameras says why`() async throws {
        let (camera, services) = try await Self.camera { probe in
            await probe.register(ListSources.self) { _, _ in
                .init(sources: [
                    SourceStatus(source: .camera, available: false, reason: "busy", mediaTypes: [], detail: "by x"),
                    SourceStatus(source: .photoLibrary, available: true, reason: nil, mediaTypes: [.movie]),
                ])
            }
            await probe.register(ListCameras.self) { _, _ in .init(cameras: [], problem: "this kernel has no V4L2") }
        }
        let sources = try await camera.sources()
        #expect(sources.map(\.source) == [.camera, .photoLibrary])
        #expect(sources.map(\.reason) == ["busy", nil])
        #expect(sources[0].detail == "by x")
        #expect(sources[1].mediaTypes == [.movie])
        #expect(try await camera.problem() == "this kernel has no V4L2")
        #expect(try await camera.all() == [])
        withExtendedLifetime(services) {}
    }

    @Test func `microphones come with whether they can be used, and why not`() async throws {
        let (camera, services) = try await Self.camera { probe in
            await probe.register(ListMicrophones.self) { _, _ in
                .init(
                    microphones: [
                        Microphone(
                            id: "PCH-0",
                            name: "Built-in Audio",
                            driver: "HDA-Intel",
                            builtIn: false,
                            availability: Availability(.busy)
                        ),
                        Microphone(
                            id: "pattern-microphone",
                            name: "Pattern",
                            driver: "pattern",
                            builtIn: true,
                            availability: Availability(.available)
                        ),
                    ]
                )
            }
        }
        let microphones = try await camera.microphones()
        #expect(microphones.map(\.id) == ["PCH-0", "pattern-microphone"])
        #expect(microphones.map(\.isAvailable) == [false, true])
        #expect(microphones.map(\.reason) == ["busy", nil])
        #expect(microphones.map(\.isBuiltIn) == [false, true])
        withExtendedLifetime(services) {}
    }

    @Test func `changes come until the loop is left, and the watching ends with it`() async throws {
        let ended = AsyncStream<Void>.makeStream()
        let (camera, services) = try await Self.camera { probe in
            await probe.registerStream(WatchCameras.self) { _, _, sink in
                try await sink.send(CameraEvent(kind: .present, camera: message("a")))
                try await sink.send(CameraEvent(kind: .removed, camera: message("a")))
                do {
                    try await Task.sleep(for: .seconds(3_600))
                } catch {
                    ended.continuation.yield()
                }
                return Empty()
            }
        }
        var kinds: [CameraChange.Kind] = []
        for try await change in camera.changes() {
            kinds.append(change.kind)
            #expect(change.camera.id == "a")
            if kinds.count == 2 { break }
        }
        #expect(kinds == [.present, .removed])
        for await _ in ended.stream { break }
        withExtendedLifetime(services) {}
    }
}
