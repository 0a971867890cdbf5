import CommandLineService
import Media
import MessageSchema
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A film of the command line` {
    @Test func `that runs alone needs no name, and of several the names are told`() async {
        let cluster = FakeCluster()
        let running = Mutex(["r1"])
        cluster.on(ListRecordings.self) { _ in .init(recordings: running.withLock { $0 }) }
        cluster.on(PauseRecording.self) { request in
            #expect(request.recording == "r1")
            return Empty()
        }
        let outcome = await obscura("record", "pause", "--json", on: cluster)
        #expect(outcome.status == .success && outcome.text == #"{"recording":"r1"}"# + "\n")
        running.withLock { $0 = ["r1", "r2"] }
        let several = await obscura("record", "stop", on: cluster)
        #expect(several.status == .usage && several.errors.contains("r1, r2"), "\(several.errors)")
        running.withLock { $0 = [] }
        #expect(await obscura("record", "resume", on: cluster).status == .noInput)
    }

    @Test func `with pre-roll says without a terminal, too, that it waits, and how it begins`() async {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { _, send in
            for paused in [true, true, false, false] {
                var progress = RecordingProgress(
                    recording: "r1",
                    frames: paused ? 0 : 9,
                    droppedFrames: 0,
                    duration: 1,
                    bytes: 9
                )
                progress.paused = paused ? true : nil
                try await send(progress, [])
            }
            return Samples.result()
        }
        let outcome = await obscura("record", "--camera", "b", "--pre-roll", "5s", on: cluster)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("waiting") && lines[0].contains("obscura record resume r1"))
        #expect(lines.last?.hasPrefix("filming") == true)
        #expect(await obscura("record", "--camera", "b", "--pre-roll", "5s", "--json", on: cluster).errors.isEmpty)
    }

    @Test(arguments: [["photo"], ["record"], ["preview", "--frames", "1"]], ["\u{1B}[31mx", "a b", "camera/b"])
    func `of a camera whose name can be none is refused before anybody is asked`(words: [String], name: String) async {
        let cluster = FakeCluster()
        let outcome = await obscura(words + ["--camera", name], on: cluster)
        #expect(outcome.status == .usage && outcome.errors.contains("--camera is '"), "\(outcome.errors)")
        #expect(cluster.calls.isEmpty && !outcome.errors.contains("\u{1B}"))
    }

    @Test func `what is asked of a film reaches the service`() async throws {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { request, _ in
            var settings = CaptureSettings(camera: "b")
            settings.flash = .auto
            settings.interval = 10
            settings.playbackFramesPerSecond = 24
            settings.maximumDuration = 28_800
            #expect(request.settings == settings)
            var result = Samples.result()
            result.frames = 2_880
            result.missedPictures = 1
            return result
        }
        let words = ["--flash", "auto", "--interval", "10s", "--playback-fps", "24", "--duration", "8h"]
        let outcome = await obscura(["record", "--camera", "b"] + words, on: cluster)
        #expect(outcome.status == .success, "\(outcome.errors)")
        #expect(outcome.lines.contains("missed    1 picture"))
        for wrong in [["--playback-fps", "0.5"], ["--playback-fps", "x"], ["--interval", "0"], ["--pre-roll", "0"]] {
            #expect(await obscura(["record", "--camera", "b"] + wrong, on: cluster).status == .usage)
        }
        for (wrong, range) in [
            (["--duration", "0"], "from 0.1 seconds to a day"), (["--duration", "25h"], "from 0.1 seconds to a day"),
            (["--interval", "50ms"], "from 0.1 seconds to an hour"), (["--pre-roll", "1m"], "from 0.1 to 30 seconds"),
            (["--maximum-bytes", "5"], "a number of bytes from 1000000 to 1000000000000"),
        ] {
            let outcome = await obscura(["record", "--camera", "b"] + wrong, on: FakeCluster())
            #expect(outcome.status == .usage)
            #expect(outcome.errors.contains("\(wrong[0]) is '\(wrong[1])', expected a"), "\(outcome.errors)")
            #expect(outcome.errors.contains(range), "\(outcome.errors)")
        }
        cluster.onStream(RecordMovie.self) { request, _ in
            try request.checkParameters()
            return Samples.result()
        }
        let refused = await obscura(["record", "--camera", "b", "--playback-fps", "24"], on: cluster)
        #expect(refused.errors.contains("--playback-fps has to be left out"), "\(refused.errors)")
        for sound in [["--sound"], ["--microphone", "PCH-0"], ["--microphone", "PCH-0", "--sound"]] {
            let deaf = await obscura(["record", "--camera", "b", "--interval", "10s"] + sound, on: cluster)
            #expect(deaf.status == .usage)
            #expect(deaf.errors.contains("\(sound[0]) has to be left out of a timelapse"), "\(deaf.errors)")
        }
    }

    @Test func `a timelapse on standard output is nothing but its bytes, and what it missed is told beside`() async {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { _, _ in
            var result = Samples.result()
            result.frames = 2
            result.missedPictures = 3
            return result
        }
        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("test".utf8))
            return .init(count: 1, bytes: 4, sha256: sha256OfTest, size: 4)
        }
        let words = ["record", "--camera", "b", "--interval", "10s", "--output", "-"]
        let outcome = await obscura(words, on: cluster)
        #expect(outcome.status == .success, "\(outcome.errors)")
        #expect(outcome.text == "test")
        #expect(outcome.errors.contains("missed    3 pictures"))
    }

    @Test func `sound goes with pre-roll and light`() async throws {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { request, _ in
            try request.checkParameters()
            var settings = CaptureSettings(camera: "b")
            settings.flash = .auto
            settings.preRoll = 5
            settings.microphone = ""
            #expect(request.settings == settings)
            return Samples.result()
        }
        let words = ["record", "--camera", "b", "--sound", "--pre-roll", "5s", "--flash", "auto"]
        let outcome = await obscura(words, on: cluster)
        #expect(outcome.status == .success, "\(outcome.errors)")
    }

    @Test func `Enter begins a film with pre-roll, pauses it, and lets it go on`() async throws {
        let cluster = FakeCluster()
        let (asked, asking) = AsyncStream<String>.makeStream()
        let told = Interruption()
        cluster.onStream(RecordMovie.self) { request, send in
            #expect(request.settings.preRoll == 5)
            var state = RecordingProgress(recording: "r1", frames: 0, droppedFrames: 0, duration: 0, bytes: 0)
            state.paused = true
            try await send(state, [])
            told.trigger()
            var wishes: [String] = []
            for await wish in asked {
                wishes.append(wish)
                state.paused = wish == "resume" ? nil : true
                try await send(state, [])
                told.trigger()
                if wishes.count == 3 { break }
            }
            #expect(wishes == ["resume", "pause", "resume"])
            var result = Samples.result()
            result.preRoll = 4.5
            return result
        }
        cluster.on(ResumeRecording.self) { request in
            #expect(request.recording == "r1")
            asking.yield("resume")
            return Empty()
        }
        cluster.on(PauseRecording.self) { _ in
            asking.yield("pause")
            return Empty()
        }
        let keys = Mutex(0)
        let person = PersonTerminal(
            write: { _ in },
            readLine: {
                let key = keys.withLock { keys in
                    keys += 1
                    return keys
                }
                await told.wait(times: key)
                return key <= 3 ? "" : nil
            }
        )
        let words = ["record", "--camera", "b", "--pre-roll", "5s", "--no-prompt", "--json"]
        let outcome = await obscura(words, on: cluster, person: person)
        #expect(outcome.status == .success, "\(outcome.errors)")
        #expect(outcome.text.contains(#""preRoll":4.5"#))
    }

    @Test(arguments: ["pause", "resume", "stop"])
    func `another command pauses, resumes and stops a film by its name`(verb: String) async throws {
        let cluster = FakeCluster()
        let names = ["pause": PauseRecording.name, "resume": ResumeRecording.name, "stop": StopRecording.name]
        cluster.on(PauseRecording.self) { _ in Empty() }
        cluster.on(ResumeRecording.self) { _ in Empty() }
        cluster.on(StopRecording.self) { request in
            throw ErrorReply(.unknownRecording, "There is no recording \(request.recording)")
        }
        let outcome = await obscura("record", verb, "r7", "--json", on: cluster)
        let name = try #require(names[verb])
        #expect(cluster.calls == [name])
        #expect(outcome.text == (verb == "stop" ? "" : "{\"recording\":\"r7\"}\n"))
        #expect((outcome.status == .success) == (verb != "stop"))
    }
}
