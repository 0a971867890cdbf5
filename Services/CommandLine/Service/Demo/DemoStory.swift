import Consent
private import Hashing
private import Media
import MessageSchema
private import Synchronization
private import Timekeeping

/// The story that must work, told with the cameras that are there: probe, ask, capture, keep, read, copy out, withdraw.
///
/// Everything goes over the same messages that any program sends; the person's part is played by whoever answers
/// prompts.
struct DemoStory: Sendable {
    /// What the program says when it asks.
    static let purpose = "The demo takes a photo and a short film, and copies them out"

    let program: any Cluster
    /// The person's side: an operator's requests.
    let person: any Cluster
    let principal: Principal
    /// What was decided before, for a camera to be noted before it is used.
    let decisions: DemoDecisions
    let narrator: DemoNarrator

    /// Waits for a person to answer for as long as a person needs.
    private var patient: CallRules {
        var rules = CallRules(timeout: .seconds(120))
        rules.purpose = Self.purpose
        return rules
    }

    /// Runs the story while prompts are answered: by the demo's own operator, or by the person at the terminal.
    func answered<Result: Sendable>(
        by answers: DemoAnswers?,
        dialogue: PromptDialogue?,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            if let answers {
                group.addTask {
                    try await answers.answer()
                    return nil
                }
            } else if let dialogue {
                group.addTask {
                    try await dialogue.run()
                    return nil
                }
            }
            // The coordinator must know that there is somebody to ask before the first question arises.
            _ = try await person.call(ListPrompts())
            group.addTask { try await body() }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    /// Chapters one to four.
    ///
    /// - Returns: The camera that was used, the photo and the film.
    func captureAndRead() async throws -> (camera: String, assets: [Asset]) {
        let camera = try await probe()
        decisions.touch(.camera(camera.id))
        let photo = try await takePhoto(with: camera)
        let movie = try await film(with: camera)
        try await read([photo.asset, movie.asset])
        return (camera.id, [photo.asset, movie.asset])
    }

    private func probe() async throws -> Camera {
        narrator.chapter(1, "Which cameras are there?")
        let lines = try await program.call(ReportCameras()).lines
        for line in lines { narrator.say(line) }
        let cameras = try await program.call(ListCameras()).cameras
        for camera in cameras {
            narrator.say(
                "\(camera.id): \(camera.name), \(camera.position.rawValue), \(camera.availability.state.rawValue)"
            )
        }
        guard let camera = cameras.first(where: { $0.availability.state == .available }) else {
            let isOff = cameras.contains { $0.availability.state == .disabled }
            throw ErrorReply(
                isOff ? .accessRestricted : .cameraAbsent,
                "There is no camera to show",
                reason: (cameras.first { $0.availability.state == .disabled } ?? cameras.first)?.availability.reason,
                recoverySuggestion: isOff
                    ? "See 'obscura permissions switch' and the policy"
                    : "Attach one, or start the cluster with --built-in-cameras always"
            )
        }
        return camera
    }

    private func takePhoto(with camera: Camera) async throws -> CaptureResult {
        narrator.chapter(2, "A photo; the person is asked first, unless it was decided before")
        let needs = [Need(.camera(camera.id), .use), Need(.library, .addOnly)]
        let states = try await program.call(PermissionStatus(needs: needs)).permissions
        for state in states {
            narrator.say("\(state.resource) \(state.access.rawValue): \(state.status.rawValue)")
        }
        let result = try await program.call(TakePhoto(settings: CaptureSettings(camera: camera.id)), patient)
        let wasAsked = states.contains { $0.status == .notDetermined }
        let words = wasAsked ? "the answer was yes" : "it was allowed before, so nobody was asked"
        narrator.say("\(words); the photo is \(result.asset.url)")
        narrator.say(
            "\(result.asset.width) × \(result.asset.height), \(CountText.of(result.asset.bytes, "byte")), \(date(of: result.asset))"
        )
        return result
    }

    private func film(with camera: Camera) async throws -> CaptureResult {
        narrator.chapter(3, "A film of two seconds; the answer is remembered")
        var settings = CaptureSettings(camera: camera.id)
        settings.maximumDuration = 2
        let result = try await program.stream(RecordMovie(settings: settings), patient.endless) { _, _ in }
        narrator.say(
            "\(CountText.of(result.frames ?? 0, "frame")), \(result.droppedFrames ?? 0) lost; "
                + "the film is \(result.asset.url)"
        )
        return result
    }

    private func read(_ assets: [Asset]) async throws {
        narrator.chapter(4, "Groups, assets, and bytes by range")
        for group in try await program.call(ListGroups(), patient).groups {
            narrator.say("\(group.name): \(group.count)")
        }
        for asset in assets {
            let hash = RunningHash()
            let half = max(1, asset.bytes / 2)
            for request in [
                ReadAsset(url: asset.url, offset: 0, length: half), ReadAsset(url: asset.url, offset: half),
            ] {
                _ = try await program.stream(request, patient) { _, bytes in hash.add(bytes) }
            }
            guard hash.text == asset.sha256 else {
                throw ErrorReply(.damaged, "The bytes of \(asset.url) are not those that were saved")
            }
            narrator.say("\(asset.filename): both halves read, the SHA-256 agrees")
        }
    }

    /// Chapter six: a running recording ends when the person withdraws, and the program is told why.
    ///
    /// Where the demo's label is known, only what is allowed to programs with it ends.
    func withdraw(_ camera: String, from label: String?) async throws {
        narrator.chapter(6, "The person withdraws while the program films")
        var settings = CaptureSettings(camera: camera)
        settings.maximumDuration = 20
        let request = RecordMovie(settings: settings)
        let begun = Mutex(false)
        var withdrawn = PermissionChange(principal: principal, resource: .camera(camera), access: .use)
        withdrawn.label = label
        let change = withdrawn
        do {
            _ = try await program.stream(request, patient.endless) { progress, _ in
                let isFirst = begun.withLock { begun in
                    defer { begun = true }
                    return !begun
                }
                guard isFirst else { return }
                narrator.say("filming, frame \(progress.frames) is in the film; the person revokes the camera")
                let start = BootInstant.now()
                _ = try await person.call(RevokePermission(change: change))
                let milliseconds = start.duration(to: .now()) / .milliseconds(1)
                narrator.say("every service has applied it after \(Int(milliseconds.rounded(.up))) ms")
            }
            throw ErrorReply(.internalFault, "The recording outlived the permission")
        } catch let error as ErrorReply where error.code == .revoked {
            narrator.say("the program is told: \(error.code.rawValue). \(error.reason ?? error.description)")
        }
    }

    private func date(of asset: Asset) -> String {
        guard let date = asset.date else { return "no date" }
        return "taken \(date.local ?? date.raw)"
    }
}

/// A hash that a closure can add to.
private final class RunningHash: Sendable {
    private let hash = Mutex(SHA256())

    func add(_ bytes: [UInt8]) { hash.withLock { $0.update(bytes) } }

    var text: String { hash.withLock { $0.finish().description } }
}
