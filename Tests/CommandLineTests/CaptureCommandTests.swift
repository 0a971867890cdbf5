import CommandLineService
import Consent
import Files
import Media
import MessageSchema
import Testing

/// What became of a flash.
enum CaptureFlash: Sendable {
    case lit, dark, notAsked
}

@Suite(.timeLimit(.minutes(1)))
struct `Photo and record` {
    @Test func `a photo is printed as the asset's fields, flat, with how it was taken`() async throws {
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { request in
            var result = Samples.result()
            result.asked = request.settings
            result.granted.flashFired = true
            return result
        }
        let outcome = await obscura("photo", "--camera", "back", "--flash", "on", "--json", on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.lines.count == 1)
        #expect(outcome.text.contains(#""asked":{"camera":"back","flash":"on"}"#))
        #expect(outcome.text.contains(#""granted":{"camera":"pattern-back","flashFired":true}"#))
        #expect(outcome.text.contains(#""camera":"pattern-back","filename":"IMG_0001.JPG""#))
        #expect(outcome.text.contains(#""url":"assets-library://asset/asset.JPG?id="#))
        #expect(!outcome.text.contains(#""type""#))
    }

    @Test(arguments: [(CaptureFlash.lit, false), (.dark, true), (.notAsked, false)])
    func `a flash that was asked for and was off is told`(flash: CaptureFlash, isTold: Bool) async {
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { request in
            var result = Samples.result()
            result.asked = request.settings
            result.granted.flash = flash == .lit ? .on : .off
            return result
        }
        let asked = flash == .notAsked ? [] : ["--flash", "on"]
        let outcome = await obscura(["photo", "--camera", "front"] + asked, on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.text.contains("flash     off: the camera has none, or it could not be lit") == isTold)
    }

    @Test func `a self-timer that is too long for the request is told by its option`() async {
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { _ in
            throw ErrorReply.invalidParameter("settings.delay", "shorter than the time that the request has")
        }
        let outcome = await obscura("photo", "--camera", "b", "--timeout", "3s", "--delay", "10s", on: cluster)
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains("--delay has to be shorter") && !outcome.errors.contains("settings."))
    }

    @Test func `several photos are a line each, and a numbered copy each`() async throws {
        let folder = try TemporaryDirectory()
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { request in
            #expect(request.settings.count == 2)
            #expect(request.settings.delay == 1.5)
            #expect(request.settings.format == .png)
            #expect(request.settings.whenBusy == .refuse)
            var result = Samples.result()
            result.assets = [result.asset, result.asset]
            result.assets?[1].filename = "IMG_0002.PNG"
            result.granted.flashFired = true
            result.pictures = [
                PictureFacts(flash: .on, converged: true, lostBefore: 0),
                PictureFacts(flash: .off, converged: false, lostBefore: 3),
            ]
            return result
        }
        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("test".utf8))
            return .init(count: 1, bytes: 4, sha256: sha256OfTest, size: 4)
        }
        let outcome = await obscura(
            "photo",
            "--camera",
            "b",
            "--count",
            "2",
            "--delay",
            "1.5s",
            "--format",
            "png",
            "--when-busy",
            "refuse",
            "--output",
            folder.path + "/a.b.png",
            "--json",
            on: cluster
        )
        #expect(outcome.status == .success, "\(outcome.errors)")
        #expect(outcome.lines.count == 2)
        #expect(
            outcome.lines.first?.contains(#""granted":{"camera":"pattern-back","converged":true,"flashFired":true}"#)
                == true
        )
        #expect(
            outcome.lines.last?.contains(#""granted":{"camera":"pattern-back","converged":false,"flashFired":false}"#)
                == true
        )
        #expect(outcome.lines.last?.contains(#""filename":"IMG_0002.PNG""#) == true)
        #expect(try folder.open().entries().map(\.name).sorted() == ["a.b-1.png", "a.b-2.png"])
        // The self-timer's time comes on top of the usual patience.
        #expect(cluster.rules(of: TakePhoto.name)?.timeout == .seconds(121.5))
        let asked = cluster.calls.count
        for count in ["0", "101", "two"] {
            #expect(await obscura("photo", "--camera", "b", "--count", count, on: cluster).status == .usage)
        }
        #expect(cluster.calls.count == asked)
    }

    @Test func `copies of several photos go to standard output one after the other, without the fields`() async {
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { _ in
            var result = Samples.result()
            result.assets = [result.asset, result.asset]
            return result
        }
        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("test".utf8))
            return .init(count: 1, bytes: 4, sha256: sha256OfTest, size: 4)
        }
        let outcome = await obscura("photo", "--camera", "b", "--count", "2", "--output", "-", on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.text == "testtest")
        #expect(outcome.errors.contains("taken by"))
    }

    @Test func `a photo of another size than was asked for says which it has`() async {
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { _ in
            var result = Samples.result()
            (result.asked.width, result.asked.height) = (1_920, 1_080)
            (result.granted.width, result.granted.height) = (640, 480)
            return result
        }
        let other = await obscura("photo", "--camera", "b", on: cluster)
        #expect(other.text.contains("granted   640×480 of the 1920×1080 that were asked for"))
        cluster.on(TakePhoto.self) { _ in
            var result = Samples.result()
            (result.granted.width, result.granted.height) = (640, 480)
            return result
        }
        let same = await obscura("photo", "--camera", "b", on: cluster)
        #expect(same.status == .success && !same.text.contains("granted"))
    }

    @Test func `the back camera is chosen, unless it can not be used`() async throws {
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { Samples.result($0.settings.camera) }
        cluster.on(ListCameras.self) { _ in
            .init(cameras: [Samples.camera("f", .front), Samples.camera("b", .back), Samples.camera("a", .external)])
        }
        #expect(await obscura("photo", "--json", on: cluster).text.contains(#""asked":{"camera":"b"}"#))
        cluster.on(ListCameras.self) { _ in
            .init(cameras: [Samples.camera("f", .front), Samples.camera("b", .back, .busy)])
        }
        #expect(await obscura("photo", "--json", on: cluster).text.contains(#""asked":{"camera":"f"}"#))
        cluster.on(ListCameras.self) { _ in
            .init(cameras: [Samples.camera("b", .back, .disabled), Samples.camera("f", .front)])
        }
        #expect(await obscura("photo", "--json", on: cluster).text.contains(#""asked":{"camera":"f"}"#))
        cluster.on(ListCameras.self) { _ in .init(cameras: []) }
        let none = await obscura("photo", "--json", on: cluster)
        #expect(none.status == .unavailable)
        #expect(none.errors.contains(#""code":"cameraAbsent""#))
    }

    @Test func `purpose, deadline and the wish not to ask go with the request`() async throws {
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { _ in Samples.result() }
        let line = ["--camera", "b", "--purpose", "a portrait", "--no-prompt", "--timeout", "7"]
        #expect(
            await obscura("photo", line[0], line[1], line[2], line[3], line[4], line[5], line[6], on: cluster).status
                == .success
        )
        let rules = try #require(cluster.rules(of: TakePhoto.name))
        #expect(rules.purpose == "a portrait")
        #expect(!rules.mayPrompt)
        #expect(rules.timeout == .seconds(7))
    }

    @Test func `a film has no sound unless it is asked for, of the usual microphone or of one that is named`() async {
        let words: [([String], String?)] = [
            ([], nil), (["--sound"], ""), (["--microphone", "PCH-0"], "PCH-0"),
            (["--sound", "--microphone", "PCH-0"], "PCH-0"),
        ]
        for (arguments, microphone) in words {
            let cluster = FakeCluster()
            cluster.onStream(RecordMovie.self) { request, send in
                #expect(request.settings.microphone == microphone)
                var result = Samples.result()
                if microphone != nil {
                    result.sound = RecordedSound(microphone: "PCH-0", rate: 48_000, channels: 1, gaps: 1, silence: 2.5)
                    result.sound?.ended = .init(at: 2.5, reason: .revoked)
                }
                return result
            }
            let line = ["record", "--camera", "b", "--duration", "5s"] + arguments
            let outcome = await obscura(line, on: cluster)
            #expect(outcome.status == .success, "\(outcome.errors)")
            let words = "sound     PCH-0, revoked after 2.5 s: silent since"
            #expect(outcome.text.contains(words) == (microphone != nil))
            let object = await obscura(line + ["--json"], on: cluster)
            #expect(object.text.contains(#""ended":{"at":2.5,"reason":"revoked"}"#) == (microphone != nil))
        }
    }

    @Test func `microphones are listed with whether each can be used`() async {
        let cluster = FakeCluster()
        cluster.on(ListMicrophones.self) { _ in
            let state = Availability(.busy, reason: "another program uses it")
            let found = Microphone(id: "PCH-0", name: "Audio", driver: "d", builtIn: false, availability: state)
            return .init(microphones: [found], problem: "some may not be opened")
        }
        let outcome = await obscura("microphones", "list", on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.text.contains("PCH-0") && outcome.text.contains("busy") && outcome.text.contains("Audio"))
        #expect(outcome.text.contains("another program uses it"))
        #expect(outcome.errors.contains("some may not be opened"))
        let none = FakeCluster()
        none.on(ListMicrophones.self) { _ in .init(microphones: []) }
        #expect(await obscura("microphones", "list", on: none).text.contains("no microphones"))
    }

    @Test func `a denial ends with 77 and says what changes it`() async {
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { _ in
            throw ErrorReply(
                .accessDenied,
                "Access denied",
                reason: "The person said no.",
                recoverySuggestion: "obscura permissions grant --resource camera/b --principal uid:1000"
            )
        }
        let outcome = await obscura("photo", "--camera", "b", on: cluster)
        #expect(outcome.status == .notPermitted)
        #expect(
            outcome.errors == "Error Domain=Obscura Code=accessDenied \"Access denied\" The person said no; "
                + "obscura permissions grant --resource camera/b --principal uid:1000\n"
        )
    }

    @Test func `a copy is written whole or not at all`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/copy.jpg"
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { _ in Samples.result() }
        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("te".utf8))
            try await send(Empty(), Array("st".utf8))
            return .init(count: 2, bytes: 4, sha256: sha256OfTest, size: 4)
        }
        #expect(await obscura("photo", "--camera", "b", "--output", path, on: cluster).status == .success)
        let directory = try folder.open()
        #expect(try directory.read("copy.jpg", limit: 100) == Array("test".utf8))

        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("other".utf8))
            return .init(count: 1, bytes: 5, sha256: sha256OfTest, size: 5)
        }
        let damaged = await obscura("photo", "--camera", "b", "--output", path, on: cluster)
        #expect(damaged.status == .badData)
        #expect(damaged.text.contains(Samples.url.description), "what was taken is told, whatever becomes of the copy")
        #expect(try directory.read("copy.jpg", limit: 100) == Array("test".utf8))
        #expect(try directory.entries().map(\.name) == ["copy.jpg"])
        let asked = cluster.calls.count
        for command in ["photo", "record"] {
            let missing = await obscura(command, "--camera", "b", "--output", folder.path + "/no/x", on: cluster)
            #expect(missing.status == .cannotCreate)
        }
        #expect(cluster.calls.count == asked, "nothing is taken that has no place to go")
        cluster.on(TakePhoto.self) { _ in throw ErrorReply(.inUse, "in use") }
        let refused = await obscura("photo", "--camera", "b", "--output", folder.path + "/new.jpg", on: cluster)
        #expect(refused.status == .tryAgain)
        #expect(try directory.entries().map(\.name) == ["copy.jpg"])
    }

    @Test(arguments: [ErrorCode.unknownRecording, .serviceUnavailable, .deadlineExceeded])
    func `an interrupt that comes too late costs no film`(code: ErrorCode) async throws {
        let folder = try TemporaryDirectory()
        let cluster = FakeCluster()
        let (interruption, refused) = (Interruption(), Interruption())
        cluster.onStream(RecordMovie.self) { _, send in
            try await send(.init(recording: "r1", frames: 1, droppedFrames: 0, duration: 0.1, bytes: 9), [])
            interruption.trigger()
            await refused.wait()
            return Samples.result()
        }
        cluster.on(StopRecording.self) { _ in
            refused.trigger()
            throw ErrorReply(code, "There is no such recording")
        }
        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("test".utf8))
            return .init(count: 1, bytes: 4, sha256: sha256OfTest, size: 4)
        }
        let path = folder.path + "/film.mov"
        let words = ["record", "--camera", "b", "--output", path]
        let outcome = await obscura(
            words[0],
            words[1],
            words[2],
            words[3],
            words[4],
            on: cluster,
            interruption: interruption
        )
        #expect(outcome.status == .interrupted)
        #expect(outcome.text.contains(Samples.url.description))
        #expect(outcome.errors.isEmpty == (code == .unknownRecording), "\(outcome.errors)")
        #expect(try folder.open().read("film.mov", limit: 100) == Array("test".utf8))
    }

    @Test func `a camera that may not be opened says who may`() async {
        let cluster = FakeCluster()
        cluster.on(ListCameras.self) { _ in
            var camera = Samples.camera("usb-1", .external)
            let reason = "this user may not open /dev/video0; members of group video may"
            camera.availability = Availability(.denied, reason: reason)
            camera.mediaTypes = []
            return .init(cameras: [camera])
        }
        let outcome = await obscura("photo", on: cluster)
        #expect(outcome.status == .notPermitted)
        #expect(outcome.errors.contains("usb-1: this user may not open /dev/video0; members of group video may"))
    }

    @Test func `an interrupt ends a film, keeps it, and the program ends with 130`() async {
        let cluster = FakeCluster()
        let interruption = Interruption()
        let stopped = Interruption()
        cluster.onStream(RecordMovie.self) { _, send in
            try await send(.init(recording: "r1", frames: 1, droppedFrames: 0, duration: 0.1, bytes: 9), [])
            interruption.trigger()
            await stopped.wait()
            var result = Samples.result()
            result.frames = 3
            result.droppedFrames = 0
            return result
        }
        cluster.on(StopRecording.self) { request in
            #expect(request.recording == "r1")
            stopped.trigger()
            return Empty()
        }
        let outcome = await obscura("record", "--camera", "b", "--json", on: cluster, interruption: interruption)
        #expect(outcome.status == .interrupted)
        #expect(outcome.lines.count == 1)
        #expect(outcome.text.contains(#""frames":3"#))
    }

    @Test func `a film's progress is printed where it is asked for, every line with a type`() async {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { request, send in
            #expect(request.settings.maximumDuration == 1.5)
            try await send(.init(recording: "r1", frames: 1, droppedFrames: 0, duration: 0.1, bytes: 9), [])
            return Samples.result()
        }
        let outcome = await obscura(
            "record",
            "--camera",
            "b",
            "--duration",
            "1.5s",
            "--json",
            "--progress",
            on: cluster
        )
        #expect(outcome.status == .success)
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.first?.contains(#""recording":"r1","type":"progress""#) == true)
        #expect(outcome.lines.last?.contains(#""type":"result""#) == true)
    }

    @Test(arguments: [ErrorCode.serviceUnavailable, .shuttingDown])
    func `a film that ends with its service is kept, and it is said where`(code: ErrorCode) async {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { request, send in
            if request.settings.camera == "b" {
                try await send(.init(recording: "r1", frames: 1, droppedFrames: 0, duration: 0.1, bytes: 9), [])
            }
            throw ErrorReply(code, "The service is ending.")
        }
        let outcome = await obscura("record", "--camera", "b", on: cluster)
        #expect(outcome.status == .unavailable)
        #expect(outcome.errors.contains("What was filmed until then is kept"), "\(outcome.errors)")
        #expect(outcome.errors.contains("obscura library list"))
        let unbegun = await obscura("record", "--camera", "c", on: cluster)
        #expect(!unbegun.errors.contains("is kept"), "there is none")
    }

    @Test(arguments: [Status.notDetermined, .authorized])
    func `a film that did not begin in time says whether nobody answered`(status: Status) async {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { _, _ in
            try await Task.sleep(for: .seconds(3600))
            return Samples.result()
        }
        cluster.on(PermissionStatus.self) { request in
            .init(
                permissions: request.needs.map {
                    PermissionState(principal: .user(1), resource: $0.resource, access: $0.access, status: status)
                }
            )
        }
        let outcome = await obscura("record", "--camera", "b", "--timeout", "1ms", on: cluster)
        #expect(outcome.status == .tryAgain)
        let isSaid = outcome.errors.contains("Nobody answered") && outcome.errors.contains("camera/b use")
        #expect(isSaid == (status == .notDetermined), "\(outcome.errors)")
    }

    @Test func `a film that did not begin in time says so also where nobody tells who has not answered`() async {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { _, _ in
            try await Task.sleep(for: .seconds(3600))
            return Samples.result()
        }
        cluster.on(PermissionStatus.self) { _ in
            try await Task.sleep(for: .seconds(3600))
            return .init(permissions: [])
        }
        let outcome = await obscura("record", "--camera", "b", "--timeout", "1ms", on: cluster)
        #expect(outcome.status == .tryAgain)
        #expect(outcome.errors.contains("did not begin in time"), "\(outcome.errors)")
    }

    @Test func `cameras that come and go stand in columns`() async throws {
        let cluster = FakeCluster()
        cluster.onStream(WatchCameras.self) { _, send in
            try await send(.init(kind: .present, camera: Samples.camera("b", .back)), [])
            try await send(.init(kind: .added, camera: Samples.camera("usb-046d_Webcam", .external, .noBandwidth)), [])
            return Empty()
        }
        let lines = await obscura("cameras", "watch", on: cluster).lines
        #expect(lines.count == 2)
        let columns = lines.map { line in line.firstRange(of: "Pattern").map { line[..<$0.lowerBound].count } }
        #expect(columns[0] != nil && columns[0] == columns[1], "\(lines)")
    }

    @Test func `an interrupt before the film has begun leaves nothing, and a second one does not wait for the film`()
        async
    {
        let cluster = FakeCluster()
        let interruption = Interruption()
        cluster.onStream(RecordMovie.self) { _, _ in
            interruption.trigger()
            try await Task.sleep(for: .seconds(3600))
            return Samples.result()
        }
        #expect(
            await obscura("record", "--camera", "b", on: cluster, interruption: interruption).status == .interrupted
        )

        let second = Interruption()
        cluster.onStream(RecordMovie.self) { _, send in
            try await send(.init(recording: "r1", frames: 1, droppedFrames: 0, duration: 0.1, bytes: 9), [])
            second.trigger()
            try await Task.sleep(for: .seconds(3600))
            return Samples.result()
        }
        cluster.on(StopRecording.self) { _ in
            second.trigger()
            return Empty()
        }
        let outcome = await obscura("record", "--camera", "b", on: cluster, interruption: second)
        #expect(outcome.status == .interrupted)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("The film is kept"), "\(outcome.errors)")
    }
}

let sha256OfTest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
