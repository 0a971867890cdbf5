/// Writes motion JPEG as a QuickTime movie that can be played after a crash at any byte.
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
    }

    /// The file; it belongs to the writer.
    package var file: File
    private let head: MovieHead
    private let fragmentTicks: UInt64
    private let layout: MovieLayout
    private var state = State.open
    private var samples = FrameIndex()
    private var pending: [Pending] = []
    private var pendingBytes = 0
    private var pendingTicks: UInt64 = 0
    /// The newest frame: how long it is shown is known when the next one comes.
    private var held: (bytes: [UInt8], ticks: Int64)?
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
        layout = MovieLayout()
        fragmentTicks = UInt64(max(1, Self.ticks(fragmentMicroseconds)))
        let start = layout.prologue + head.initialMovie
        self.file = file
        end = Int64(start.count)
        try self.file.write([start], at: 0)
        try self.file.synchronise()
    }

    /// How many frames were given so far.
    package var frameCount: Int { samples.count + pending.count + (held == nil ? 0 : 1) }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - bytes: One JPEG picture, whole.
    ///   - microseconds: When it was taken, on any clock that only goes forward.
    /// - Throws: `timeWentBack` and `badFrame`, which leave the movie as it was; `noSpace`, after which only `finish` is
    ///   of use; `inputOutput`, after which the movie is closed: a failed sync is never tried again, because the kernel may
    ///   have dropped the data (fsync(2)).
    package mutating func append(_ bytes: [UInt8], at microseconds: Int64) throws(MovieError) {
        guard state == .open else { throw MovieError(state == .full ? .noSpace : .closed) }
        guard !bytes.isEmpty, bytes.count < UInt32.max else { throw MovieError(.badFrame) }
        let ticks = Self.ticks(microseconds)
        if let previous = held {
            guard ticks > previous.ticks else { throw MovieError(.timeWentBack) }
            hold(previous.bytes, duration: UInt32(clamping: ticks - previous.ticks))
        }
        held = (bytes, ticks)
        let isFull = pendingBytes >= Self.maximumPending || pending.count >= 512
        if pendingTicks >= fragmentTicks || isFull { try flush() }
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
        if state == .open, let last = held {
            held = nil
            hold(last.bytes, duration: lastDuration(within: maximumMicroseconds))
            do throws(MovieError) {
                try flush()
            } catch  where error.code == .noSpace {
                // The frames that did not fit are lost; the others are worth finishing.
            }
        }
        guard samples.count > 0 else { throw MovieError(.badFrame) }
        state = .closed
        end = try layout.finish(head: head, samples: samples, end: end, file: &file)
        return Summary(
            frames: samples.count,
            durationMicroseconds: Int64(samples.duration) * 100 / 9,
            byteCount: end
        )
    }

    private mutating func hold(_ bytes: [UInt8], duration: UInt32) {
        pending.append(Pending(bytes: bytes, duration: duration))
        pendingBytes += bytes.count
        pendingTicks += UInt64(duration)
        recentDurations.append(duration)
        if recentDurations.count > 31 { recentDurations.removeFirst() }
    }

    /// Microseconds that a frame is likely to be shown: the middle one of the newest.
    package var frameMicroseconds: Int64 { Int64(middleDuration) * 100 / 9 }

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
        let frames = pending.map { MovieFragment.Frame(byteCount: UInt32($0.bytes.count), duration: $0.duration) }
        let fragment = MovieFragment(sequence: sequence, start: samples.duration, frames: frames)
        let fragmentHead = fragment.head
        do throws(MovieError) {
            try file.write([fragmentHead] + pending.map(\.bytes), at: end)
            try file.synchroniseData()
        } catch {
            let isFull = error.code == .noSpace
            state = isFull ? .full : .closed
            pending.removeAll()
            held = nil
            // The half-written fragment takes the room that the final index needs.
            if isFull { try file.truncate(to: end) }
            throw error
        }
        var offset = end + Int64(fragmentHead.count)
        for frame in frames {
            samples.add(offset: offset, byteCount: frame.byteCount, duration: frame.duration)
            offset += Int64(frame.byteCount)
        }
        end = offset
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
