private import CameraSettings
package import Cameras
private import Consent
private import Hashing
private import Logging
private import Media
private import MessageSchema
private import Messaging
private import Movies
package import ServiceRuntime
private import Sound
private import Timekeeping
private import Video4Linux

/// The messages of capture: a photo, a film, and the wishes to pause and to stop.
package struct Capture: Sendable {
    /// What capture can be told beside what every service can.
    package static let settings = CameraConfiguration.settings

    private let host: ServiceHost
    private let gate: ConsentGate
    private let shelf: CameraShelf
    private let microphones: MicrophoneShelf
    private let desk = RecordingDesk()
    private let photos = PhotoQueue()
    private let spool: Spool
    private let delivery: LibraryDelivery
    private let keeper: SpoolKeeper

    /// Makes the spool; opens no camera yet.
    ///
    /// - Throws: `ErrorReply` with code `usage` or `alreadyRunning`; `FilesError` for a spool that can not be made.
    package init(host: ServiceHost, gate: ConsentGate, scanner: CameraScanner = CameraScanner()) throws {
        let configuration = try CameraConfiguration(host.settings)
        self.host = host
        self.gate = gate
        let shelf = CameraShelf(
            scanner: scanner,
            builtIn: configuration.builtIn,
            positions: configuration.positions,
            files: configuration.files,
            tell: { host.report(camera: $0, $1) }
        )
        self.shelf = shelf
        microphones = MicrophoneShelf(
            builtIn: configuration.builtIn,
            whyForbidden: { host.whyForbidden(.microphone($0)) },
            hasBuiltInCamera: { await shelf.showsBuiltIn }
        )
        spool = try Spool(host.dataDirectory + "/capture/spool")
        let delivery = LibraryDelivery { try host.client(of: .library) }
        self.delivery = delivery
        // Listed before this run films anything, which must not be taken for what was left.
        let told: @Sendable (String?) -> Void = { host.report(remark: $0) }
        keeper = SpoolKeeper(spool, left: try spool.notes(), log: host.log, told: told) { note, path in
            try await delivery.save(
                film: path,
                filename: note.filename,
                for: note.delegation,
                effectOf: note.request
            )
        }
    }

    /// Registers the messages on the host's server.
    package func register() async {
        await host.server.register(TakePhoto.self) { request, call in
            try await photo(request.settings, call)
        }
        await host.server.registerStream(RecordMovie.self) { request, call, sink in
            try await record(request.settings, call, sink)
        }
        await host.server.register(StopRecording.self, remembersReplies: true) { [desk] request, call in
            try await desk.stop(request.recording, for: call.principal)
            return Empty()
        }
        await host.server.register(ListRecordings.self) { [desk] _, call in
            ListRecordings.Reply(recordings: await desk.names(of: call.principal))
        }
        await host.server.register(PauseRecording.self) { [desk] request, call in
            try await desk.setPaused(true, request.recording, for: call.principal)
            return Empty()
        }
        await host.server.register(ResumeRecording.self) { [desk] request, call in
            try await desk.setPaused(false, request.recording, for: call.principal)
            return Empty()
        }
        await host.server.registerStream(PreviewCamera.self) { request, call, sink in
            try await preview(request, call, sink)
        }
        let controls = ControlDesk(shelf: shelf, gate: gate) { mayKnow($1, $0) }
        await host.server.register(ReadControls.self) { try await controls.read($0, $1) }
        await host.server.register(SetControls.self) { try await controls.set($0, $1) }
        await host.server.register(ResetControls.self) { try await controls.reset($0, $1) }
    }

    /// What ended work with a camera, as the program that asked may know it.
    private func reply(to error: any Error, _ camera: Camera, _ call: Call) async -> ErrorReply {
        var reply = ErrorReply(capture: error, camera: camera) { mayKnow($0, call) }
        if (error as? CameraError)?.code == .inUse,
            let now = try? await shelf.camera(camera.id), let reason = now.availability.reason
        {
            // What can be seen of the process that has it.
            reply.reason = reason
        }
        return reply
    }

    /// Whether a program may hear that a principal holds a camera: it is its own, or the person's to know.
    private func mayKnow(_ principal: Principal, _ call: Call) -> Bool {
        principal == call.principal || host.isOperator(call.caller)
    }

    // MARK: Preview

    private func preview(
        _ request: PreviewCamera,
        _ call: Call,
        _ sink: ItemSink<PreviewItem>
    ) async throws -> Empty {
        let named = try await shelf.camera(request.camera)
        try named.checkGivesPictures()
        let authorization = try await gate.authorize([Need(.camera(named.id), .use)], for: call)
        defer { authorization.end() }
        let camera = try await shelf.camera(again: named)
        let stream = PreviewStream(
            preview: await shelf.preview(of: camera),
            owner: call.principal,
            check: { try authorization.check() },
            revoked: { await authorization.revoked() }
        )
        host.log.info("preview", ["camera": .string(camera.id)])
        do {
            return try await stream.run(request, to: sink)
        } catch {
            let reply = await reply(to: error, camera, call)
            let cause = call.ended.map { "\($0)" } ?? reply.code.rawValue
            host.log.info("preview ended", ["camera": .string(camera.id), "cause": .string(cause)])
            throw reply
        }
    }

    // MARK: Photo

    private func photo(_ asked: CaptureSettings, _ call: Call) async throws -> CaptureResult {
        try Self.checkTimer(asked, call)
        let key = try call.idempotencyKey.map { try RequestKey(call.name, key: $0, asked: asked) }
        if let key, let earlier = try await earlierPhotos(key, asked, call) { return earlier }
        let named = try await shelf.camera(asked.camera)
        try named.checkGivesPictures()
        // Everything for this photo is used up here: the library goes by what it is handed.
        let authorization = try await gate.authorize(Self.needs(named), for: call)
        defer { authorization.end() }
        let camera = try await shelf.camera(again: named)
        // Whoever died meanwhile has no use for a picture.
        try call.caller.checkPresence()
        let requested = MonotonicTime.now()
        let session = await shelf.session(of: camera)
        let taker = PhotoTaker(session: session, camera: camera, owner: call.principal, queue: photos) {
            await authorization.revoked()
        } check: {
            try authorization.check()
        }
        let need = Need(.library, .addOnly)
        let pictures = PictureDelivery(
            delivery,
            for: authorization.delegation(of: need),
            // Such a grant is for this request, and is used up by the end of the first picture's save.
            staysOpen: (asked.count ?? 1) > 1 && authorization.grant(for: need)?.lifespan == .once
        )
        do {
            try await taker.take(asked, requested: requested) { photo in
                try authorization.checkUnfinished()
                try await pictures.add(photo, effectOf: key?.picture(photo.index))
            }
            let result = try await pictures.result(camera.id, asked)
            host.log.info(
                "photo taken",
                ["camera": .string(camera.id), "photos": .count(result.pictures?.count ?? 1)]
            )
            return result
        } catch {
            throw await pictures.error(await reply(to: error, camera, call))
        }
    }

    /// Refuses a self-timer that ends after nobody waits any more.
    private static func checkTimer(_ asked: CaptureSettings, _ call: Call) throws(ErrorReply) {
        guard let delay = asked.delay, let deadline = call.deadline,
            BootInstant.now().advanced(by: .seconds(delay)) >= deadline
        else { return }
        throw .invalidParameter("settings.delay", "shorter than the time that the request has")
    }

    /// The answer to a request for photos that is repeated with its key, where all of them were saved.
    ///
    /// What is missing of several is taken anew; the library answers with those that it has.
    private func earlierPhotos(
        _ key: RequestKey,
        _ asked: CaptureSettings,
        _ call: Call
    ) async throws -> CaptureResult? {
        guard var result = try await earlier(key, asked, call) else { return nil }
        let count = asked.count ?? 1
        guard count > 1 else { return result }
        let asker = Delegation(principal: call.principal, label: call.label.isEmpty ? nil : call.label)
        var assets = [result.asset]
        for index in 1..<count {
            guard let asset = try await delivery.saved(key.picture(index), for: asker) else { return nil }
            assets.append(asset)
        }
        result.assets = assets
        return result
    }

    /// The answer to a capture that is repeated with its key: what it brought is not taken again.
    private func earlier(_ key: RequestKey, _ asked: CaptureSettings, _ call: Call) async throws -> CaptureResult? {
        let asker = Delegation(principal: call.principal, label: call.label.isEmpty ? nil : call.label)
        var asset = try await delivery.saved(key, for: asker)
        if asset == nil { asset = try await keeper.asset(for: key, of: call.principal) }
        guard let asset else { return nil }
        var granted = asked
        // A camera that is gone by now keeps nobody from what it took.
        granted.camera = (try? await shelf.camera(asked.camera).id) ?? asked.camera
        return CaptureResult(asset: asset, camera: granted.camera, asked: asked, granted: granted)
    }

    /// What a capture needs: asked for in one question.
    private static func needs(_ camera: Camera, _ microphone: Microphone? = nil) -> [Need] {
        [Need(.camera(camera.id), .use), Need(.library, .addOnly)]
            + (microphone.map { [Need(.microphone($0.id), .use)] } ?? [])
    }

    // MARK: Film

    private func record(
        _ asked: CaptureSettings,
        _ call: Call,
        _ sink: ItemSink<RecordingProgress>
    ) async throws -> CaptureResult {
        let key = try call.idempotencyKey.map { try RequestKey(call.name, key: $0, asked: asked) }
        if let key, let earlier = try await earlier(key, asked, call) { return earlier }
        let named = try await shelf.camera(asked.camera)
        var microphone: (any SoundDevice)?
        if let name = asked.microphone { microphone = try await microphones.device(name) }
        // The library uses up its own part: a film may reach it when this process is another one.
        let needs = Self.needs(named, microphone?.microphone)
        let authorization = try await gate.authorize(needs, for: call, handingOn: [needs[1]])
        defer { authorization.end() }
        let camera = try await shelf.camera(again: named)
        let id = randomBytes(8).hexadecimal
        let plan = FilmPlan(asked)
        let note = Spool.Note(
            recording: id,
            filename: LocalTime.fileName("MOV", LocalTime.now(), plan.container.rawValue.uppercased()),
            delegation: authorization.delegation(of: Need(.library, .addOnly)),
            request: key
        )
        try spool.write(note)
        let handles = await desk.add(id, owner: call.principal, isPaused: plan.preRoll != nil)
        let recording = Recording(
            id: id,
            camera: camera,
            session: await shelf.session(of: camera),
            film: FilmWriter(path: spool.filmPath(id), plan: plan),
            stop: handles.stop,
            pause: handles.pause,
            owner: call.principal
        )
        host.log.info("recording", ["camera": .string(camera.id), "recording": .string(id)])
        let (granted, end) = await take(recording, microphone, asked, call, authorization, sink)
        // Concluding is not cancelled with the request: a film that was begun is kept or discarded as a whole. Whoever
        // wants it to stop in the meantime is right.
        let concluding = Task {
            do {
                let result = try await conclude(recording, note, end: end, asked: asked, granted: granted)
                await desk.remove(id)
                return result
            } catch {
                await desk.remove(id)
                throw error
            }
        }
        do {
            return try await concluding.value
        } catch {
            // What may still be delivered later needs what it was allowed.
            let isKept = ((try? spool.notes()) ?? [note]).contains { $0.recording == id }
            authorization.end(leavesUnspent: isKept)
            throw error
        }
    }

    private func take(
        _ recording: Recording,
        _ microphone: (any SoundDevice)?,
        _ asked: CaptureSettings,
        _ call: Call,
        _ authorization: Authorization,
        _ sink: ItemSink<RecordingProgress>
    ) async -> (granted: CaptureSettings, end: Recording.End) {
        let quality = asked.quality ?? .medium
        var wanted = quality.wanted
        if let width = asked.width { wanted.width = width }
        if let height = asked.height { wanted.height = height }
        wanted.h264 = asked.codec == .h264 ? .preferred : .fallback
        let maximum = asked.filmingSeconds
        // Without the microphone the film goes on, and is silent.
        let pictures = authorization.part { !$0.resource.isMicrophone }
        let sound = FilmListening(microphone, recording, authorization.part { $0.resource.isMicrophone })
        let (width, height, taken) = await sound.during {
            await recording.run(
                wanted,
                maximum: Int64(maximum * 1_000_000),
                check: { try pictures.check() },
                revoked: { await pictures.revoked() },
                isGone: { call.ended != .cancelled },
                progress: { state in
                    var state = state
                    state.sound = await sound.report
                    _ = try await sink.offer(state, admitting: { try pictures.check() })
                }
            )
        }
        var end = taken
        if case .broken(let error) = taken, error is CameraError || error is CameraInUse {
            end = .broken(await reply(to: error, recording.camera, call))
        }
        var granted = asked
        granted.camera = recording.camera.id
        if asked.flash != nil {
            let wasOn = await recording.light.wasOn
            granted.flash = wasOn ? .on : .off
            granted.flashFired = recording.camera.torch ? wasOn : nil
        }
        granted.quality = quality
        granted.width = width
        granted.height = height
        granted.maximumDuration = maximum
        granted.container = recording.film.plan.container
        granted.microphone = microphone?.microphone.id
        granted.codec = await recording.film.codec
        granted.playbackFramesPerSecond = recording.film.plan.timelapse?.framesPerSecond
        return (granted, end)
    }

    private func conclude(
        _ recording: Recording,
        _ note: Spool.Note,
        end taken: Recording.End,
        asked: CaptureSettings,
        granted: CaptureSettings
    ) async throws -> CaptureResult {
        var end = taken
        var frames = await recording.film.frames
        if case .cancelled = end {
            try spool.remove(recording.id)
            host.log.info("recording discarded", ["recording": .string(recording.id)])
            throw ErrorReply(.cancelled, "The recording was cancelled, and its film discarded")
        }
        guard frames > 0 else {
            try spool.remove(recording.id)
            if case .broken(let error) = end { throw ErrorReply(capture: error, camera: recording.camera) }
            throw ErrorReply(.cancelled, "The recording ended before its first frame")
        }
        if case .broken(let error as ErrorReply) = end, error.discardsUnfinished {
            try spool.remove(recording.id)
            host.log.info("recording discarded", ["recording": .string(recording.id)])
            throw error.adding("What was filmed until then was discarded, as whoever ended it said.")
        }
        let asset: Asset
        // Asked before the film is taken away.
        let room = await recording.film.room
        do {
            do { _ = try await recording.film.finish() } catch {
                // A film of which nothing reached the disk is none, and nothing waits for the library.
                if await recording.film.frames > 0 { await keeper.leave(note) } else { try spool.remove(recording.id) }
                throw error
            }
            frames = await recording.film.frames
            if case .complete = end, await recording.film.isCutShort { end = .broken(MovieError(.noSpace)) }
            asset = try await keeper.deliver(note)
        } catch {
            // What broke the recording is what the program has to hear, whatever became of the film.
            guard case .broken(let cause) = end else {
                throw ErrorReply(capture: error, camera: recording.camera).telling(error is MovieError ? room : nil)
            }
            let isKept = ((try? spool.notes()) ?? []).contains { $0.recording == recording.id }
            throw ErrorReply(capture: cause, camera: recording.camera).telling(room).ending(
                isKept ? .kept : .discarded,
                isKept
                    ? "What was filmed until then waits for the library, and comes into it by itself."
                    : "Nothing of what was filmed until then is kept."
            )
        }
        host.log.info(
            "recording saved",
            [
                "recording": .string(recording.id), "frames": .count(Int(frames)),
                "asset.bytes": .count(Int(asset.bytes)),
            ]
        )
        if case .broken(let error) = end {
            var reply = ErrorReply(capture: error, camera: recording.camera)
                .telling(room)
                .ending(.kept, "What was filmed until then is in the library.")
            reply.parameters = (reply.parameters ?? [:]).merging(["asset": "\(asset.url)"]) { $1 }
            throw reply
        }
        var result = CaptureResult(asset: asset, camera: recording.camera.id, asked: asked, granted: granted)
        result.frames = frames
        result.droppedFrames = await recording.film.dropped
        result.cuts = await recording.film.cuts
        result.missedPictures = await recording.film.missed
        result.preRoll = await recording.film.preRollSeconds
        if let microphone = granted.microphone { result.sound = await recording.film.soundReport(microphone) }
        return result
    }

    // MARK: Recovery

    /// Finishes what an earlier run left behind, and delivers what the library could not take, until it is cancelled.
    package func keepDelivering() async { await keeper.run() }
}
