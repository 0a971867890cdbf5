package import Cameras
private import EventLoop
package import Media
package import MessageSchema
package import Movies
private import Video4Linux

/// Writes one film, on a thread that may wait for the disk and the codec.
package actor FilmWriter {
    /// What the film says about itself, by the first frame that is in it.
    package typealias Description = @Sendable (CapturedFrame) -> MovieDescription

    /// A frame that would be shown for fewer microseconds before the film's end is left out.
    private static let shortestFrame: Int64 = 1_000
    /// Frames nearer than a tick of the film's clock are one: the second must not reach an encoder either.
    private static let shortestStep: Int64 = 12
    /// Frames in a row that wait for one at which decoding can begin, until the camera is given up: ten seconds and more.
    private static let mostUnneeded = 600

    /// Bytes that a film leaves free beside room for a copy, by which it gets into the library: as many as the library
    /// leaves free, and some for the decisions and logs of the others.
    package static let usualReserve = DiskReserve(byteCount: 20 << 20)

    private let loop = EventLoop(name: "film")
    let path: String
    let reserve: DiskReserve
    /// What was asked of it.
    package nonisolated let plan: FilmPlan
    private var pictures: FilmPictures?
    private var describe: Description?
    private var writer: MovieWriter<DescriptorMovieFile>?
    private var timeline: FilmTimeline
    /// When the pictures of a timelapse are due; nil for a film of every frame.
    private var due: DueTimes?
    /// What is heard; see `FilmWriter+Sound`.
    var sound: FilmSound?
    var soundEnd: RecordedSound.End?
    /// Asked before sound that was kept is heard in the film.
    var mayBeHeard: (@Sendable () throws -> Void)?
    /// Whether the codec failed, and nothing more can be heard.
    var isSoundBroken = false
    private var maximum = Int64.max
    /// Time of filming of the first frame that is in it, and film time of the last.
    private var first: Int64?
    private var last: Int64 = 0
    /// What is kept in pauses; nil for a film that keeps nothing.
    private var preRoll: PreRoll?
    /// The times of pictures for the encoder, which has them before they have a place in the film.
    private var encoding = FilmTimeline()
    /// Microseconds of film that were there before the film went on.
    private var rolled: Int64 = 0
    /// Why the next frame has to be a key.
    private var awaited: Awaited? = .beginning
    private var unneeded = 0
    private(set) package var frames: Int64 = 0
    /// Frames that were no pictures, or that the camera lost before they came.
    private(set) package var dropped: Int64 = 0
    private(set) package var bytes: Int64 = 0
    /// Frames since the last good one that could not be added.
    private(set) package var badInARow = 0
    /// Whether no further frame fits into the film.
    private(set) package var isComplete = false
    /// Whether the disk had no room for its last frames.
    private(set) package var isCutShort = false
    /// How the pictures are compressed; known when the film has begun.
    private(set) package var codec: FilmCodec?

    private enum Awaited {
        case beginning, pause, jump
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// A film that has not begun; its file is made with its first picture.
    package init(path: String, plan: FilmPlan = FilmPlan(), reserve: DiskReserve = FilmWriter.usualReserve) {
        self.path = path
        self.reserve = reserve
        self.plan = plan
        timeline = FilmTimeline(ofTimelapse: plan.timelapse != nil)
        due = plan.timelapse.map { DueTimes($0) }
        preRoll = plan.preRoll.map { PreRoll(microseconds: $0) }
    }

    isolated deinit {}

    /// Microseconds of film so far.
    package var duration: Int64 { plan.timelapse?.time(of: frames) ?? first.map { last - $0 } ?? 0 }

    /// Microseconds of filming so far, without pauses; what the maximum is for.
    package var filmed: Int64 { plan.timelapse == nil ? duration : first.map { timeline.last - $0 } ?? 0 }

    /// Times at which a picture was due and none came before the next was; nil for what is no timelapse.
    package var missed: Int64? { due?.missed(by: filmed) }

    /// Where the film was cut; nil when it was not.
    package var cuts: [FilmCut]? { timeline.cuts.isEmpty ? nil : timeline.cuts }

    /// Begins the film with what its first frame tells; the last ends after `maximum` microseconds of filming at the latest.
    ///
    /// - Throws: `EncodingError`, `JPEGError` when there is no memory for a codec.
    package func begin(_ frame: CapturedFrame, maximum: Int64 = .max, describe: @escaping Description) throws {
        self.maximum = maximum
        self.describe = describe
        let pictures = try FilmPictures(frame.format, plan)
        codec = pictures.codec
        self.pictures = consume pictures
    }

    /// The film goes on with the next frame that is added, or with the pre-roll, as if no time had passed.
    ///
    /// - Throws: As ``add(_:)``.
    package func pause() throws {
        try writeKept(.max)
        preRoll?.hold()
        timeline.pause()
        sound?.pause(usual: usualFrame)
        if awaited == nil { awaited = .pause }
    }

    /// Adds a frame; one that is no picture is dropped and counted, one behind the film's end is not looked at.
    ///
    /// - Throws: `MovieError` when the disk fails or is full: what was written stays. `CameraError` for a stream that can not
    ///   be filmed, `EncodingError`.
    package func add(_ frame: CapturedFrame) throws {
        guard preRoll == nil else {
            try prepare(frame)
            return try writeKept(Self.keptAtOnce)
        }
        guard let place = place(frame) else { return }
        if let due, !due.needsPicture(at: place.time - (first ?? place.time)) {
            try pictures?.skip(frame)
            return
        }
        let time = plan.timelapse?.time(of: frames) ?? place.time
        lose(first == nil ? 0 : frame.stamp.lostBefore)
        switch try pictures?.outcome(of: frame, at: time, needsKey: awaited != nil) ?? .bad {
        case .bad:
            drop()
        case .unneeded:
            try wait()
        case .sample(let sample):
            try write(sample, of: frame, at: time, filmed: place.time)
        }
    }

    /// The place of a frame; nil where it has none, or is behind the film's end.
    private func place(_ frame: CapturedFrame) -> FilmTimeline.Place? {
        let isTimelapse = plan.timelapse != nil
        // How long pictures of a timelapse are shown says nothing about the camera.
        let usual = isTimelapse ? frame.format.usualStep : usualFrame
        let film = isTimelapse ? duration : nil
        guard let place = timeline.place(frame.stamp.microseconds, usual: usual, film: film) else {
            // A timelapse has no use for most frames.
            if !isTimelapse { drop() }
            return nil
        }
        if place.time - (first ?? 0) > maximum - Self.shortestFrame {
            isComplete = true
            return nil
        }
        if place.cut == .timeJump, awaited == nil { awaited = .jump }
        guard isTimelapse || frames == 0 || place.time - last >= Self.shortestStep else {
            drop()
            return nil
        }
        return place
    }

    /// Counts frames that were lost on the way here; of a timelapse only pictures can be, which are counted when they are due.
    package func lose(_ count: Int) {
        if plan.timelapse == nil { dropped += Int64(count) }
    }

    /// Finishes the film; it is an ordinary movie then.
    ///
    /// Frames for which the disk had no room are counted as dropped.
    ///
    /// - Returns: Bytes of the film.
    /// - Throws: `MovieError`; the film has no ``frames`` then where none of them reached the disk.
    package func finish() throws -> Int64 {
        do {
            try endPreRoll()
            finishSound()
            guard let summary = try writer?.finish(within: plan.timelapse == nil ? maximum : nil) else {
                throw MovieError(.badFrame)
            }
            writer = nil
            forget(to: summary.frames)
            return summary.byteCount
        } catch {
            let durable = writer?.durableFrameCount ?? 0
            if durable == 0 { forget(to: 0) }
            throw error
        }
    }

    /// Frames that were added and are not on the disk are none of the film's.
    private func forget(to count: Int) {
        guard Int64(count) < frames else { return }
        isCutShort = true
        dropped += frames - Int64(count)
        frames = Int64(count)
    }

    // MARK: Inside

    var usualFrame: Int64 { writer?.frameMicroseconds ?? 33_333 }

    private func write(
        _ sample: FilmPictures.Sample,
        of frame: CapturedFrame,
        at time: Int64,
        filmed: Int64
    ) throws {
        if writer == nil, var description = describe?(frame) {
            description.container = plan.container
            description.pictures = sample.pictures
            if let size = sample.size { (description.width, description.height) = size }
            if let made = sound?.description { description.sound = made }
            writer = try MovieWriter(
                description,
                file: DescriptorMovieFile(creating: path, reserve: reserve),
                fragmentMicroseconds: plan.timelapse?.fragmentMicroseconds ?? 1_000_000
            )
        }
        if let most = plan.maximumByteCount, frames > 0,
            let size = byteCount(adding: sample.bytes.count, endingAt: time - (first ?? time) + usualFrame), size > most
        {
            isComplete = true
            return
        }
        do throws(MovieError) {
            try writer?.append(sample.bytes, at: time, isKey: sample.isKey)
            // How long it is shown is known, and the next one may be an hour away.
            if let timelapse = plan.timelapse { try writer?.endFrame(at: timelapse.time(of: frames + 1)) }
        } catch {
            guard error.code == .timeWentBack || error.code == .badFrame else { throw error }
            drop()
            return
        }
        awaited = nil
        unneeded = 0
        badInARow = 0
        let start = first ?? filmed
        first = start
        last = time
        frames += 1
        bytes += Int64(sample.bytes.count)
        try soundFollows(frame.stamp.microseconds, usual: usualFrame)
        due?.take(at: filmed - start)
        isComplete = due.map { $0.nextDue > maximum - Self.shortestFrame } ?? (duration >= maximum - usualFrame)
    }

    /// Bytes of the finished film at most, with a frame of so many bytes and its sound.
    private func byteCount(adding byteCount: Int, endingAt end: Int64) -> Int64? {
        // The last frame may be shown for a little longer than usual.
        let rest = sound?.rest(until: end + 100_000) ?? (samples: 0, byteCount: 0)
        return writer?.byteCount(adding: byteCount, soundSamples: rest.samples, ofAtMost: rest.byteCount)
    }

    /// Adds what is heard; nothing where the film has not begun.
    func write(sound packets: [[UInt8]]) throws(MovieError) {
        guard !packets.isEmpty else { return }
        try writer?.append(sound: packets)
        bytes += packets.reduce(0) { $0 + Int64($1.count) }
    }

    /// Microseconds of the film if it ended now.
    var durationIfFinished: Int64? { writer?.durationIfFinished(within: maximum) }

    private func drop() {
        dropped += 1
        badInARow += 1
    }

    /// A frame that is of no use before the next key; nothing of the film is lost where the film does not go on yet.
    private func wait() throws {
        if awaited == .jump || awaited == nil { lose(1) }
        unneeded += 1
        guard unneeded < Self.mostUnneeded else {
            throw CameraError(.stalled, "\(unneeded) pictures of H.264, none of which can be the first")
        }
    }
}

// MARK: Pre-roll

extension FilmWriter {
    /// Kept pictures that are written for each new one: what comes meanwhile does not wait for the disk for long.
    private static let keptAtOnce = 4

    /// Seconds of the film that were there before it went on; nil for a film that keeps nothing.
    package var preRollSeconds: Double? { preRoll.map { _ in Double(min(rolled, duration)) / 1_000_000 } }

    /// Pictures that are in memory and not in the film.
    var keptCount: Int { preRoll?.count ?? 0 }

    /// Keeps a frame of a pause in memory, instead of the oldest; does nothing for a film without pre-roll.
    ///
    /// - Throws: `CameraError` for a stream that can not be filmed, `EncodingError`.
    package func keep(_ frame: CapturedFrame) throws {
        if preRoll != nil { try prepare(frame) }
    }

    /// The film goes on, with what was kept; it is written with the next frames, or by ``endPreRoll()``.
    package func resume() {
        resumeSound()
        rolled += preRoll?.release() ?? 0
    }

    /// Writes what was kept before the film went on, and lets go of what was kept since it was paused.
    ///
    /// - Throws: As ``add(_:)``.
    package func endPreRoll() throws {
        defer { preRoll?.hold() }
        try writeKept(.max)
    }

    /// Makes the picture of a frame, to be written in its turn.
    private func prepare(_ frame: CapturedFrame) throws {
        preRoll?.makeRoom(for: frame.stamp.microseconds)
        let isPaused = preRoll?.isHolding ?? false
        guard let place = encoding.place(frame.stamp.microseconds, usual: usualFrame) else {
            if !isPaused { drop() }
            return
        }
        let isFirst = preRoll?.isEmpty == true && awaited != nil
        switch try pictures?.outcome(of: frame, at: place.time, needsKey: isFirst || place.cut != nil) ?? .bad {
        case .bad:
            drop()
            // Nothing of the film is lost in a pause.
            if isPaused { dropped -= 1 }
        case .unneeded:
            try wait()
        case .sample(let sample):
            badInARow = 0
            unneeded = 0
            let bare = CapturedFrame(bytes: [], format: frame.format, stamp: frame.stamp)
            preRoll?.add(PreRoll.Picture(sample: sample, frame: bare))
            if let oldest = preRoll?.oldest { sound?.forget(before: oldest) }
        }
    }

    private func writeKept(_ most: Int) throws {
        var count = 0
        while count < most, !isComplete, let picture = preRoll?.next() {
            count += 1
            guard let place = place(picture.frame) else { continue }
            // What was lost in the pause is not lost of the film.
            if first != nil, awaited != .pause { lose(picture.frame.stamp.lostBefore) }
            // Pictures that the camera compressed go on at a key after a jump of its time.
            guard awaited == nil || picture.sample.isKey else {
                try wait()
                continue
            }
            try write(picture.sample, of: picture.frame, at: place.time, filmed: place.time)
        }
    }
}
