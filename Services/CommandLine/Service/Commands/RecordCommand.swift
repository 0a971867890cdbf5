private import Consent
private import Media
private import MessageSchema
private import Synchronization

/// `obscura record`.
struct RecordCommand: Command {
    private static let duration = Option(
        "duration",
        "SECONDS",
        "Stop after filming for so long, 0.1 seconds to a day (default: ten minutes)",
        as: .time(Limits.filmSeconds, "from 0.1 seconds to a day")
    )
    private static let progress = Flag(
        "progress",
        "Write each step of the progress as a line of standard error; with --json, before the result, with a type"
    )
    private static let quality = Option(
        "quality",
        "WORD",
        "high, medium, low, 640x480, 1280x720 or 960x540 (default: medium)",
        as: ValueReader<QualityPreset>.word
    )
    private static let container = Option(
        "container",
        "mov|mp4",
        "QuickTime or MP4 (default: mov)",
        as: ValueReader<FilmContainer>.word
    )
    private static let codec = Option(
        "codec",
        "jpeg|h264",
        "How pictures are compressed (default: as the camera does; else JPEG in mov, H.264 in mp4)",
        as: ValueReader<FilmCodec>.word
    )
    private static let maximumBytes = Option(
        "maximum-bytes",
        "N",
        "Stop before the file is larger, a million bytes to a million million",
        as: ValueReader<Int64>.byteCount(Limits.filmBytes)
    )

    private static let sound = Flag(
        "sound",
        "Film with sound, of the usual microphone unless one is named; not with --interval"
    )
    private static let microphone = Option(
        "microphone",
        "ID",
        "Film with the sound of this microphone, as 'obscura microphones list' has it",
        as: .device
    )

    var signature: CommandSignature {
        CommandSignature(
            "record",
            "Films into the library, until the duration is over or you interrupt",
            discussion:
                "An interrupt (Ctrl-C) ends the film and keeps it; the exit code is 130 then. A second one does not wait until\n"
                + "it is in the library, and keeps it all the same; one before the first frame leaves nothing.\n"
                + "--timeout is for the beginning, the answer of the person included, and not for the film.\n"
                + "With --pre-roll the camera is in use from the beginning, and nothing is kept but the newest seconds, in\n"
                + "memory. Enter, or 'obscura record resume', begins the film with them; Enter again pauses it.",
            parameters: [
                CaptureParameters.camera, Self.duration, Self.maximumBytes, Self.quality, Self.container, Self.codec,
                Self.sound, Self.microphone, CaptureParameters.output, Self.progress,
            ]
                + FilmParameters.all + CommonParameters.asking,
            examples: [
                ("record --duration 5s", "five seconds"),
                ("record --json --progress", "for scripts that must know when filming has begun"),
                ("record --sound --duration 60s", "the person is asked for camera and microphone at once"),
                ("record --container mp4 --codec h264", "for the web"),
                ("record --interval 10s --duration 8h", "a timelapse of a day's work, 96 seconds long"),
                ("record --pre-roll 5s", "waits; Enter begins the film with the five seconds before it"),
                ("record --quality 640x480 --output film.mov", "until Ctrl-C, and a copy beside the library"),
            ]
        )
    }

    func interruption(_ arguments: Arguments) -> InterruptionRule { .isHandled }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let progress: ProgressForm =
            !arguments[Self.progress] ? .bar : arguments[CommonParameters.json] ? .json : .lines
        try await CaptureParameters.deliver(arguments, context, cluster, isStream: progress == .json) {
            try await film(arguments, cluster, showing: progress, in: context)
        }
        return context.interruption.count > 0 ? .interrupted : .success
    }

    /// How the progress is shown.
    private enum ProgressForm {
        /// On one line that changes, if there is a person to see it.
        case bar
        /// A line of standard error for each step.
        case lines
        /// A line of JSON for each step, among the results.
        case json
    }

    /// Films until the duration is over or the user interrupts.
    private func film(
        _ arguments: Arguments,
        _ cluster: any Cluster,
        showing form: ProgressForm,
        in context: CommandContext
    ) async throws -> CaptureResult {
        var settings = CaptureSettings(camera: try await CaptureParameters.chosen(arguments, cluster, .movie))
        settings.quality = arguments[Self.quality]
        settings.container = arguments[Self.container]
        settings.codec = arguments[Self.codec]
        settings.maximumBytes = arguments[Self.maximumBytes]
        FilmParameters.add(arguments, to: &settings)
        settings.microphone = arguments[Self.microphone] ?? (arguments[Self.sound] ? "" : nil)
        if settings.microphone == "", settings.interval != nil { throw Self.noSoundOfTimelapse }
        settings.maximumDuration = arguments[Self.duration].map { $0 / .seconds(1) }
        let request = RecordMovie(settings: settings)
        let recording = RunningRecording()
        let keys = RecordingKeys(of: arguments[FilmParameters.preRoll] == nil ? nil : context.person)
        let terminal = context.terminal
        let asJSON = arguments[CommonParameters.json]
        let result = try await withThrowingTaskGroup(of: CaptureResult?.self) { group in
            group.addTask {
                let needs = await CaptureParameters.needs(of: request.settings, cluster)
                return try await context.asking(arguments, cluster, about: needs) { rules, hasBegun in
                    do {
                        // The deadline is for the beginning; how long a film lasts is another matter.
                        return try await cluster.stream(request, rules.endless) { progress, _ in
                            hasBegun()
                            if form == .lines, recording.name == nil {
                                terminal.writeError("recording \(progress.recording)")
                            }
                            recording.began(progress.recording)
                            keys.note(progress)
                            let line = Self.line(progress, keys.line(progress))
                            Self.show(progress, line, form, terminal)
                            // Without a person to see the progress, what waits for somebody is said all the same.
                            if form == .bar, !terminal.showsProgress, !asJSON,
                                recording.turned(toPause: progress.paused == true)
                            {
                                terminal.writeError(line)
                            }
                        }
                    } catch let error as ErrorReply {
                        throw error.keepingFilm(recording.name)
                    }
                }
            }
            if let patience = arguments[CommonParameters.timeout] {
                group.addTask {
                    try await Task.sleep(for: patience)
                    guard recording.name != nil else {
                        throw await Self.notBegun(within: patience, request.settings, cluster)
                    }
                    // The film goes on; only the others end it.
                    await context.interruption.wait(times: .max)
                    return nil
                }
            }
            group.addTask {
                await keys.follow(cluster, terminal)
                // Only the others end the film.
                await context.interruption.wait(times: .max)
                return nil
            }
            group.addTask {
                await context.interruption.wait()
                guard !Task.isCancelled, let name = recording.name else { return nil }
                terminal.showProgress("ending the film")
                let isEnding = await Self.stop(name, cluster, terminal)
                await context.interruption.wait(times: 2)
                guard isEnding, !Task.isCancelled else { return nil }
                throw Self.notWaitedFor(name)
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else { throw CancellationError() }
            return result
        }
        terminal.clearProgress()
        return result
    }

    private static func line(_ progress: RecordingProgress, _ paused: String?) -> String {
        paused
            ?? "filming  \(progress.duration.text) s, \(ByteText.of(progress.bytes)), "
            + "\(CountText.of(progress.droppedFrames, "frame")) dropped"
    }

    private static func show(
        _ progress: RecordingProgress,
        _ line: String,
        _ form: ProgressForm,
        _ terminal: Terminal
    ) {
        if form == .json { terminal.writeJSON(StreamLine(.progress, progress)) }
        if form == .lines {
            terminal.writeError(line)
        } else {
            terminal.showProgress(line + "  (Ctrl-C ends it)")
        }
    }

    /// Asks for the end of the film, after which it is kept whatever happens to its stream.
    ///
    /// What goes wrong here must not cost the film: its stream brings it, or tells what became of it.
    ///
    /// - Returns: Whether the film ends now, or has ended.
    private static func stop(_ recording: String, _ cluster: any Cluster, _ terminal: Terminal) async -> Bool {
        do {
            _ = try await cluster.call(StopRecording(recording: recording))
            return true
        } catch let error as ErrorReply where error.code == .unknownRecording {
            // It has ended by itself, and is on its way into the library.
            return true
        } catch let error as ErrorReply {
            terminal.writeError(ErrorLine.text(error))
        } catch {
            // Cancelled: the film is there.
        }
        return false
    }
}

extension RecordCommand {
    /// What whoever interrupts a second time is told.
    private static func notWaitedFor(_ recording: String) -> ErrorReply {
        ErrorReply(
            .cancelled,
            "Interrupted",
            reason: "The film is kept, and was not waited for",
            recoverySuggestion: "It comes into the library by itself: see 'obscura library list --reverse --limit 1'",
            parameters: ["recording": recording]
        )
    }

    /// The refusal of a service for a timelapse with sound, in the words of the option that was typed.
    private static var noSoundOfTimelapse: ErrorReply {
        var error = ErrorReply.invalidParameter("settings.microphone", "left out of a timelapse, which has no sound")
        error.reason = "--sound has to be left out of a timelapse, which has no sound"
        error.recoverySuggestion = "see 'obscura record --help'"
        return error
    }

    /// Why there is no film after so long: the person's answer, where that is what is missing.
    private static func notBegun(
        within patience: Duration,
        _ settings: CaptureSettings,
        _ cluster: any Cluster
    ) async -> ErrorReply {
        var error = ErrorReply(
            .deadlineExceeded,
            "The film did not begin in time",
            reason: "Nothing was filmed within \(patience).",
            recoverySuggestion: "Try again with a longer --timeout"
        )
        // Without an answer it stays unsaid what was waited for.
        guard let open = await undecided(settings, cluster), !open.isEmpty else { return error }
        error.cause = "unanswered"
        error.reason =
            "Nobody answered within \(patience) whether you may: \(open.map(\.description).joined(separator: ", "))."
        error.recoverySuggestion =
            "Try again with a longer --timeout, and have it answered: where 'obscura permissions prompts --answer' runs, "
            + "or before with 'obscura permissions grant'"
        return error
    }

    /// What nobody has decided about; nil where that is not known within a second: the time that was given is over.
    private static func undecided(_ settings: CaptureSettings, _ cluster: any Cluster) async -> [Need]? {
        await withTaskGroup(of: [Need]?.self) { group in
            group.addTask {
                try? await cluster.undecided(among: await CaptureParameters.needs(of: settings, cluster))
            }
            group.addTask {
                // Cancelled: the answer is there.
                try? await Task.sleep(for: .seconds(1))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

extension ErrorReply {
    /// The same error of a service that ended, which says too what becomes of the film.
    fileprivate func keepingFilm(_ recording: String?) -> ErrorReply {
        guard let recording, [.serviceUnavailable, .shuttingDown, .holderSilent].contains(code) else { return self }
        var error = self
        error.reason = ErrorWords.joined([reason, "What was filmed until then is kept."], by: ". ")
        error.recoverySuggestion =
            "It comes into the library as soon as capture and the library run: see 'obscura library list --reverse --limit 1'"
        error.parameters = (parameters ?? [:]).merging(["recording": recording]) { old, _ in old }
        return error
    }
}

/// The name of the recording, once it has begun.
private final class RunningRecording: Sendable {
    private struct State {
        var name: String?
        var isPaused = false
    }

    private let state = Mutex(State())

    var name: String? { state.withLock { $0.name } }

    func began(_ name: String) { state.withLock { $0.name = name } }

    /// Whether that is another state than before; one that is not told of yet films.
    func turned(toPause isPaused: Bool) -> Bool {
        state.withLock { state in
            defer { state.isPaused = isPaused }
            return state.isPaused != isPaused
        }
    }
}
