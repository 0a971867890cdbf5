import Media
import MessageSchema
import Messaging
import ObscuraClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A program's film` {
    private static let asset = MessageSchema.Asset(
        url: AssetURL(id: "0A1B2C3D-0000-4000-8000-000000000001", fileExtension: "MOV"),
        kind: .video,
        uti: "com.apple.quicktime-movie",
        filename: "a.mov",
        bytes: 9,
        sha256: nil,
        width: 640,
        height: 480,
        orientation: .up,
        state: .ok,
        representations: [],
        added: "2026-11-30T03:45:00Z"
    )

    private func prepared(_ prepare: (Services) async -> Void) async throws -> (ObscuraClient.Camera, Services) {
        let services = try Services()
        await prepare(services)
        try await services.start()
        return (Camera(of: try ObscuraCluster(runtimeDirectory: services.directory)), services)
    }

    @Test func `waits with its pre-roll, is resumed, paused and stopped, and tells what came of it`() async throws {
        let (wishes, wishing) = AsyncStream<String>.makeStream()
        let (camera, services) = try await prepared { services in
            await services.capture.registerStream(RecordMovie.self) { request, _, sink in
                #expect(request.settings.preRoll == 5 && request.settings.flash == .auto)
                #expect(request.settings.container == .mp4 && request.settings.codec == .h264)
                var state = RecordingProgress(recording: "r1", frames: 0, droppedFrames: 0, duration: 0, bytes: 0)
                #expect(request.settings.microphone == "")
                state.paused = true
                state.sound = RecordedSound(microphone: "PCH-0", rate: 48_000, channels: 2, gaps: 1, silence: 0.25)
                try await sink.send(state)
                for await wish in wishes {
                    state.paused = wish == "pause" ? true : nil
                    state.frames += 1
                    try await sink.send(state)
                }
                var result = CaptureResult(
                    asset: Self.asset,
                    camera: "pattern-back",
                    asked: request.settings,
                    granted: request.settings
                )
                result.granted.flashFired = true
                result.frames = 9
                result.droppedFrames = 1
                result.preRoll = 4.5
                result.sound = state.sound
                result.sound?.ended = .init(at: 1.5, reason: .revoked)
                result.cuts = [FilmCut(at: 1, gap: 2.5, reason: .pause)]
                return result
            }
            await services.capture.register(ResumeRecording.self) { request, _ in
                #expect(request.recording == "r1")
                wishing.yield("resume")
                return Empty()
            }
            await services.capture.register(PauseRecording.self) { _, _ in
                wishing.yield("pause")
                return Empty()
            }
            await services.capture.register(StopRecording.self) { _, _ in
                wishing.finish()
                return Empty()
            }
        }
        var settings = FilmSettings()
        settings.preRoll = .seconds(5)
        settings.microphone = .usual
        settings.light = .auto
        settings.container = .mp4
        settings.codec = .h264
        let recording = try await camera.film(with: .rear, settings)
        #expect(recording.id == "r1")
        var progress = recording.makeAsyncIterator()
        let armed = try #require(try await progress.next())
        #expect(armed.isPaused && armed.sound?.microphone == "PCH-0" && armed.sound?.end == nil)
        try await recording.resume()
        let begun = try #require(try await progress.next())
        #expect(!begun.isPaused && begun.frames == 1)
        try await recording.pause()
        #expect(try await progress.next()?.isPaused == true)
        let film = try await recording.stop()
        #expect(film.camera == "pattern-back" && film.frames == 9 && film.droppedFrames == 1)
        #expect(film.preRoll == .seconds(4.5) && film.hasLight && film.missedPictures == nil)
        #expect(film.gaps.map(\.length) == [.seconds(2.5)] && film.gaps[0].isPause)
        let sound = try #require(film.sound)
        #expect(sound.sampleRate == 48_000 && sound.channelCount == 2)
        #expect(sound.gapCount == 1 && sound.silence == .milliseconds(250))
        #expect(sound.end?.time == .milliseconds(1500) && sound.end?.reason == .revoked)
        withExtendedLifetime(services) {}
    }

    @Test func `can be a timelapse, and ends with the error that says why`() async throws {
        let (camera, services) = try await prepared { services in
            await services.capture.registerStream(RecordMovie.self) { request, _, sink in
                #expect(request.settings.microphone == nil)
                #expect(request.settings.interval == 0.5 && request.settings.playbackFramesPerSecond == 25)
                #expect(request.settings.maximumDuration == 3_600 && request.settings.maximumBytes == 5_000_000)
                try await sink.send(
                    RecordingProgress(recording: "r2", frames: 3, droppedFrames: 0, duration: 0.12, bytes: 9)
                )
                throw ErrorReply(.revoked, "The permission has ended")
            }
            await services.capture.register(StopRecording.self) { _, _ in
                throw ErrorReply(.unknownRecording, "There is no such recording")
            }
        }
        var settings = FilmSettings()
        settings.interval = .milliseconds(500)
        settings.playbackFramesPerSecond = 25
        settings.maximumDuration = .seconds(3_600)
        settings.maximumByteCount = 5_000_000
        let recording = try await camera.film(with: "b", settings)
        do {
            _ = try await recording.stop()
            Issue.record("It ended without an error.")
        } catch let error as ObscuraError {
            #expect(error.code == "revoked")
        }
        withExtendedLifetime(services) {}
    }

    @Test func `is discarded when the program loses it`() async throws {
        let (ended, ending) = AsyncStream<Void>.makeStream()
        let (camera, services) = try await prepared { services in
            await services.capture.registerStream(RecordMovie.self) { _, _, sink in
                defer { ending.finish() }
                let state = RecordingProgress(recording: "r", frames: 0, droppedFrames: 0, duration: 0, bytes: 0)
                while true { try await sink.send(state) }
            }
        }
        do { _ = try await camera.film(with: .front) }
        for await _ in ended {}
        withExtendedLifetime(services) {}
    }
}
