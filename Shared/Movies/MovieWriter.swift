/// Writes pictures, and sound, as a QuickTime or MP4 movie that can be played after a crash at any byte.
///
/// The file starts with a small placeholder and a `moov` without frames; then comes a `moof` and `mdat` pair for about
/// each second, written in one call and made durable before the next. Finishing appends a `moov` with every frame, makes
/// it durable, and turns the placeholder into the head of one large `mdat` around all fragments with a single write of 16
/// bytes; so players that know no fragments see an ordinary movie. Until that write the file is a fragmented movie, after
/// it an ordinary one; there is no state between (the scheme of OBS Studio's hybrid MP4, with the missing syncs).
///
/// Calls block on the disk. Frames are kept in memory until their fragment is written: one second, or `maximumPending`.
package struct MovieWriter<File: MovieFile & ~Copyable>: ~Copyable {
    /// What became of a movie.
    package struct Summary: Equatable, Sendable {
        package let frames: Int
        /// Microseconds from the first frame to the end of the last.
        package let durationMicroseconds: Int64
        /// Bytes of the file.
        package let byteCount: Int64
    }

    /// Bytes of frames after which a fragment is written even if it is short.
    package static var maximumPending: Int { 32 << 20 }

    private enum State {
        case open, full, closed
    }

    private struct Pending {
        let bytes: [UInt8]
        let duration: UInt32
        let isKey: Bool
    }

    /// The file; it belongs to the writer.
    package var file: File
    private let head: MovieHead
    private let headByteCount: Int
    private let fragmentTicks: UInt64
    private let layout: MovieLayout
    private var state = State.open
    private var samples = FrameIndex()
    private var sound: SoundIndex?
    private var pendingSound: PendingSound
    private var pending: [Pending] = []
    private var pendingBytes = 0
    private var pendingTicks: UInt64 = 0
    /// The newest frame: how long it is shown is known when the next one comes.
    private var held: (bytes: [UInt8], ticks: Int64, isKey: Bool)?
    /// When the frame before ended, where that was said.
    private var ended: Int64?
    private var recentDurations: [UInt32] = []
    private var end: Int64
    private var sequence: UInt32 = 1

    /// Starts a movie in an empty file and makes its head durable.
    ///
    /// - Throws: `noSpace`, `inputOutput`.
    package init(
        _ description: MovieDescription,
        file: consuming File,
        fragmentMicroseconds: Int64 = 1_000_000
    ) throws(MovieError) {
        head = MovieHead(description)
        sound = head.sound?.emptyIndex
        pendingSound = PendingSound(sampleByteCount: head.sound?.sampleByteCount ?? 0)
        let prologue = MovieLayout.prologue(description.container, description.pictures)
        layout = MovieLayout(placeholderStart: Int64(prologue.count) - MovieLayout.placeholderByteCount)
        fragmentTicks = UInt64(max(1, Self.ticks(fragmentMicroseconds)))
        let movie = head.initialMovie
        headByteCount = movie.count
        let start = prologue + movie
        self.file = file
        end = Int64(start.count)
        try self.file.write([start], at: 0)
        try self.file.synchronise()
    }

    /// How many frames are on the disk for good.
    package var durableFrameCount: Int { samples.count }

    /// How many frames were given so far.
    package var frameCount: Int { samples.count + pending.count + (held == nil ? 0 : 1) }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - bytes: One picture, whole: a JPEG, or a sample of H.264 (``H264AccessUnit/sample``).
    ///   - microseconds: When it was taken, on any clock that only goes forward.
    ///   - isKey: Whether decoding can begin with it; the first one has to be such.
    /// - Throws: `timeWentBack` and `badFrame`, which leave the movie as it was; `noSpace`, after which only `finish` is
    ///   of use; `inputOutput`, after which the movie is closed: a failed sync is never tried again, because the kernel may
    ///   have dropped the data (fsync(2)).
    package mutating func append(
        _ bytes: [UInt8],
        at microseconds: Int64,
        isKey: Bool = true
    ) throws(MovieError) {
        guard state == .open else { throw MovieError(state == .full ? .noSpace : .closed) }
        guard !bytes.isEmpty, bytes.count < UInt32.max, isKey || frameCount > 0 else { throw MovieError(.badFrame) }
        let ticks = Self.ticks(microseconds)
        if let ended, ticks < ended { throw MovieError(.timeWentBack) }
        if let previous = held {
            guard ticks > previous.ticks else { throw MovieError(.timeWentBack) }
            hold(previous, duration: UInt32(clamping: ticks - previous.ticks))
        }
        held = (bytes, ticks, isKey)
        if isFragmentDue(before: isKey) { try flush() }
    }

    /// Says how long the newest frame is shown, where that is known before the next one comes: it can be made durable then,
    /// in a film without sound.
    ///
    /// - Parameter microseconds: When it ends, on the clock of the frames.
    /// - Throws: As ``append(_:at:isKey:)``; `timeWentBack` for an end that is not later than the frame's beginning.
    package mutating func endFrame(at microseconds: Int64) throws(MovieError) {
        guard state == .open else { throw MovieError(state == .full ? .noSpace : .closed) }
        guard let last = held else { return }
        let ticks = Self.ticks(microseconds)
        guard ticks > last.ticks else { throw MovieError(.timeWentBack) }
        held = nil
        ended = ticks
        hold(last, duration: UInt32(clamping: ticks - last.ticks))
        // Sound that still comes for the frame is written with it, when the next one comes.
        if sound == nil, isFragmentDue(before: true) { try flush() }
    }

    /// Adds sound, which goes on where the sound before it ended; it is in the file with the fragment of the frames.
    ///
    /// - Parameter packets: Packets of AAC, or any numbers of whole frames of PCM.
    /// - Throws: `badFrame` for what is neither, or in a film without sound, which leaves the movie as it was; `noSpace`
    ///   and `closed` as for a frame.
    package mutating func append(sound packets: [[UInt8]]) throws(MovieError) {
        guard state == .open else { throw MovieError(state == .full ? .noSpace : .closed) }
        for packet in packets {
            guard sound != nil, pendingSound.add(packet) else { throw MovieError(.badFrame) }
        }
    }

    /// Where there are keys, fragments begin with them as well as the interval allows: a key ends the one before from three
    /// quarters of it on, and at five quarters a fragment ends without one.
    private func isFragmentDue(before isKey: Bool) -> Bool {
        if pendingBytes >= Self.maximumPending || pending.count >= 512 { return true }
        guard head.hasKeys else { return pendingTicks >= fragmentTicks }
        return pendingTicks * 4 >= fragmentTicks * (isKey ? 3 : 5)
    }

    /// Bytes that the finished file would have at most, with one more frame of so many bytes.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes of the frame.
    ///   - soundSamples: How much sound is still to come for the frames: samples of PCM, or packets.
    ///   - sampleByteCount: Bytes of each of these at most.
    /// - Returns: Bytes.
    package func byteCount(adding byteCount: Int, soundSamples: Int = 0, ofAtMost sampleByteCount: Int = 0) -> Int64 {
        let waiting = pending.count + 2
        let frames = pendingBytes + (held?.bytes.count ?? 0) + byteCount
        // The frame may end a fragment, and is in one of its own then.
        let fragments = 2 * (MovieFragment.byteCount(frames: 0, marksKeys: false) + 8) + waiting * 12
        let index = headByteCount + FrameIndex.mostByteCount(frames: samples.count + waiting)
        var heard = 0
        if let sound {
            let packets = pendingSound.count + soundSamples
            heard = pendingSound.bytes.count + soundSamples * sampleByteCount
            let isFixed = head.sound?.sampleByteCount != 0
            heard += MovieFragment.Sound.byteCount(sizes: 0) * 2 + (isFixed ? 0 : packets * 4)
            heard += sound.mostByteCount(addingSamples: packets, chunks: 2)
        }
        return end + Int64(frames + fragments + index + heard)
    }

    /// Writes what is left, then the whole `moov`, and makes the file an ordinary movie.
    ///
    /// The last frame is shown as long as the middle one of those before it, but not beyond `maximumMicroseconds` of film.
    /// When the disk was full, what fitted is kept.
    ///
    /// - Throws: `closed` when called twice, `badFrame` when there was no frame; `noSpace` and `inputOutput`: the file is
    ///   then still a fragmented movie that `MovieRecovery` can finish.
    package mutating func finish(within maximumMicroseconds: Int64? = nil) throws(MovieError) -> Summary {
        guard state != .closed else { throw MovieError(.closed) }
        if state == .open {
            if let last = held {
                held = nil
                hold(last, duration: lastDuration(within: maximumMicroseconds))
            }
            do throws(MovieError) {
                try flush()
            } catch  where error.code == .noSpace {
                // The frames that did not fit are lost; the others are worth finishing.
            }
        }
        guard samples.count > 0 else { throw MovieError(state == .full ? .noSpace : .badFrame) }
        state = .closed
        file.useReserve()
        end = try layout.finish(head: head, samples: samples, sound: sound, end: end, file: &file)
        return Summary(
            frames: samples.count,
            durationMicroseconds: Int64(samples.duration) * 100 / 9,
            byteCount: end
        )
    }

    private mutating func hold(_ frame: (bytes: [UInt8], ticks: Int64, isKey: Bool), duration: UInt32) {
        pending.append(Pending(bytes: frame.bytes, duration: duration, isKey: frame.isKey))
        pendingBytes += frame.bytes.count
        pendingTicks += UInt64(duration)
        recentDurations.append(duration)
        if recentDurations.count > 31 { recentDurations.removeFirst() }
    }

    /// Microseconds that a frame is likely to be shown: the middle one of the newest.
    package var frameMicroseconds: Int64 { Int64(middleDuration) * 100 / 9 }

    /// Microseconds of the film if it were finished now.
    package func durationIfFinished(within maximumMicroseconds: Int64? = nil) -> Int64 {
        let last = held == nil ? 0 : UInt64(lastDuration(within: maximumMicroseconds))
        return Int64(samples.duration + pendingTicks + last) * 100 / 9
    }

    private func lastDuration(within maximumMicroseconds: Int64?) -> UInt32 {
        guard let maximumMicroseconds else { return middleDuration }
        let (scaled, overflow) = maximumMicroseconds.multipliedReportingOverflow(by: 9)
        let room = overflow ? Int64.max : scaled / 100 - Int64(samples.duration + pendingTicks)
        // A frame that is not shown at all is none.
        return UInt32(clamping: min(Int64(middleDuration), max(1, room)))
    }

    private var middleDuration: UInt32 {
        recentDurations.isEmpty ? 3000 : recentDurations.sorted()[recentDurations.count / 2]
    }

    private mutating func flush() throws(MovieError) {
        guard !pending.isEmpty else { return }
        let frames = pending.map {
            MovieFragment.Frame(byteCount: UInt32($0.bytes.count), duration: $0.duration, isKey: $0.isKey)
        }
        let fragment = MovieFragment(
            sequence: sequence,
            start: samples.duration,
            frames: frames,
            marksKeys: head.hasKeys,
            sound: pendingSound.count == 0
                ? nil
                : MovieFragment.Sound(
                    start: sound?.duration ?? 0,
                    count: pendingSound.count,
                    sizes: pendingSound.sizes
                )
        )
        let fragmentHead = fragment.head(soundByteCount: pendingSound.bytes.count)
        let heard = sound?.mostByteCount(addingSamples: pendingSound.count, chunks: 1) ?? 0
        file.keepRoom(forEnd: Int64(headByteCount + samples.mostByteCount(adding: frames.count) + heard))
        do throws(MovieError) {
            try file.write([fragmentHead] + pending.map(\.bytes) + [pendingSound.bytes], at: end)
            try file.synchroniseData()
        } catch {
            let isFull = error.code == .noSpace
            state = isFull ? .full : .closed
            pending.removeAll()
            pendingBytes = 0
            pendingTicks = 0
            pendingSound.removeAll()
            held = nil
            // The half-written fragment takes the room that the final index needs.
            if isFull { try file.truncate(to: end) }
            throw error
        }
        var offset = end + Int64(fragmentHead.count)
        for frame in frames {
            samples.add(offset: offset, byteCount: frame.byteCount, duration: frame.duration, isKey: frame.isKey)
            offset += Int64(frame.byteCount)
        }
        sound?.add(offset: offset, count: pendingSound.count, sizes: pendingSound.sizes)
        end = offset + Int64(pendingSound.bytes.count)
        pendingSound.removeAll()
        sequence += 1
        pending.removeAll(keepingCapacity: true)
        pendingBytes = 0
        pendingTicks = 0
    }

    /// Microseconds in ticks of 1/90,000 s, rounded, so that errors do not add up.
    private static func ticks(_ microseconds: Int64) -> Int64 {
        let scaled = microseconds * 9
        return (scaled + (scaled < 0 ? -50 : 50)) / 100
    }
}
