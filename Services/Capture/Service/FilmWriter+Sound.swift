package import MessageSchema
import Movies
package import Sound

/// The sound of a film.
extension FilmWriter {
    /// Prepares for sound; before the film's first frame.
    ///
    /// - Parameters:
    ///   - format: What the microphone gives.
    ///   - check: Asked before sound that was kept in a pause becomes part of the film; throws to let go of it.
    /// - Throws: `EncodingError`, `SoundError` for a format that a film can not have.
    package func prepareSound(_ format: SoundFormat, admitting check: @escaping @Sendable () throws -> Void) throws {
        guard frames == 0 else { return }
        sound = try FilmSound(format, plan.container, keeping: plan.preRoll)
        mayBeHeard = check
    }

    /// Adds sound that was heard while the film is taken, if the check lets it.
    ///
    /// The check is made here, where nothing comes between it and the film.
    ///
    /// - Returns: Whether more is wanted: not when there is sound for all of a film that has ended.
    /// - Throws: What `check` throws, and then nothing is added.
    package func add(_ block: SoundBlock, admitting check: @Sendable () throws -> Void) throws -> Bool {
        try check()
        guard let isOver = sound?.isOver, !isOver, !isSoundBroken else { return false }
        sound?.add(block)
        // The disk's errors are told with the next frame.
        try? writeSound()
        return sound?.isComplete == false
    }

    /// There is no more sound: the rest of the film is silent.
    package func endSound(_ reason: RecordedSound.End.Reason) {
        guard let isOver = sound?.isOver, !isOver, sound?.isComplete == false else { return }
        soundEnd = RecordedSound.End(at: Double(duration) / 1_000_000, reason: reason)
        // What was heard before a microphone failed was allowed, and what was kept before it was taken back is not any more.
        sound?.finish(forgetsKept: reason == .revoked)
        try? writeSound()
    }

    /// There are no more frames: sound is taken for as long as the film is, and not longer.
    package func endPictures() {
        guard let duration = durationIfFinished else {
            // Nothing of it is in a film.
            sound?.finish(forgetsKept: true)
            return
        }
        sound?.end(at: duration)
        try? writeSound()
    }

    /// What became of the sound; nil for a film without.
    package func soundReport(_ microphone: String) -> RecordedSound? {
        guard let description = sound?.description, let gaps = sound?.gaps, let silence = sound?.silence else {
            return nil
        }
        var report = RecordedSound(
            microphone: microphone,
            rate: description.rate,
            channels: description.channels,
            gaps: gaps,
            silence: silence
        )
        report.ended = soundEnd
        // What was on its way to the film when the sound ended is in it.
        if let end = soundEnd, let heard = sound?.heard { report.ended?.at = max(end.at, heard) }
        return report
    }

    /// A frame was written: the sound until then may follow.
    func soundFollows(_ stamp: Int64, usual: Int64) throws(MovieError) {
        sound?.frame(stamp: stamp, time: duration, usual: usual)
        try writeSound()
    }

    /// Microseconds of sound in memory that is not in the film.
    var keptSound: Int64 { sound?.waiting ?? 0 }

    /// The film goes on with what was kept of its sound, if the person still lets it.
    func resumeSound() {
        guard plan.preRoll != nil, let mayBeHeard else { return }
        do {
            try mayBeHeard()
            sound?.resume()
        } catch {
            endSound(.revoked)
        }
    }

    /// Ends the sound where the film ends; whatever keeps it from the film, its pictures are worth finishing.
    func finishSound() {
        endPictures()
        sound?.finish()
        try? writeSound()
    }

    private func writeSound() throws(MovieError) {
        guard !isSoundBroken else { return }
        var packets: [[UInt8]] = []
        do {
            packets = try sound?.packets() ?? []
        } catch {
            isSoundBroken = true
            soundEnd = soundEnd ?? RecordedSound.End(at: Double(duration) / 1_000_000, reason: .fault)
        }
        try write(sound: packets)
    }
}
