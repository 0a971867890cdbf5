import MessageSchema
import ServiceRuntime
import Sound

/// The sound of a recording that may have some.
struct FilmListening: Sendable {
    /// How long the last sound of a film is waited for.
    private static let patience = Duration.milliseconds(500)

    private let pump: SoundPump?
    private let recording: Recording

    /// A recording whose sound the pump brings; without a pump it has none.
    init(_ recording: Recording, _ pump: SoundPump?) {
        self.recording = recording
        self.pump = pump
    }

    /// A recording that is heard as long as it is permitted; without a microphone it has no sound.
    init(_ microphone: (any SoundDevice)?, _ recording: Recording, _ permission: AuthorizationPart) {
        let pump = microphone.map { device in
            SoundPump(
                device: device,
                film: recording.film,
                check: { try permission.check() },
                revoked: { await permission.revoked() }
            )
        }
        self.init(recording, pump)
    }

    /// What became of the sound so far; nil for a film without.
    var report: RecordedSound? {
        get async {
            guard let pump else { return nil }
            return await recording.film.soundReport(pump.microphone.id)
        }
    }

    /// Films while the microphone is open.
    ///
    /// - Parameter filming: Films until an end.
    /// - Returns: What filming gave; a microphone that can not be opened ends the film before it begins.
    func during(
        _ filming: () async -> (width: Int, height: Int, end: Recording.End)
    ) async -> (width: Int, height: Int, end: Recording.End) {
        guard let pump else { return await filming() }
        do {
            try await pump.begin()
        } catch let error as SoundError {
            return (0, 0, .broken(ErrorReply(error, microphone: pump.microphone.id)))
        } catch {
            return (0, 0, Task.isCancelled ? .cancelled : .broken(error))
        }
        // Goes on for a moment after a film whose request was cancelled, like everything that concludes it.
        let listening = Task { await pump.run() }
        let outcome = await filming()
        await recording.film.endPictures()
        // A film that is discarded, or that there is none of, waits for no sound.
        let isEmpty = await recording.film.frames == 0
        if isEmpty || outcome.end.discards { listening.cancel() }
        // Ends a wait for sound that does not come; what came is brought to the film, however slow that is.
        let alarm = Task { [clock = recording.clock] in
            try await clock.sleep(for: Self.patience)
            await pump.close()
        }
        await listening.value
        alarm.cancel()
        return outcome
    }
}
