import Sound

/// Puts sound where it belongs in a film, by the times of both.
///
/// Sound comes later than the frames it was heard with, or earlier; its clock runs a little faster or slower than that of
/// the frames; some of it gets lost. What this gives is sound without gaps from the first frame on: what is missing is
/// silence, what belongs to no frame (before the first, in a pause, in a jump of the camera's time) is left out. As long
/// as a block is no more than `tolerance` away from the end of the one before, it is taken to follow it.
struct SoundAligner: Sendable {
    /// Microseconds of sound that wait for their frames at most.
    private static let patience: Int64 = 10_000_000
    /// Microseconds that the frames may be ahead of sound that does not come; it may be on its way through a busy machine.
    private static let lead: Int64 = 10_000_000
    /// Microseconds by which sound may be too early or too late.
    private static let tolerance: Int64 = 20_000

    /// A part of the film in which the camera's time went on evenly.
    private struct Span {
        /// What is taken off a stamp to have the film's time.
        let shift: Int64
        /// Film frame at which the next part begins; nil for the part that goes on.
        var end: Int64?
        /// Whether some of its sound was put into its place exactly.
        var isAligned = false
    }

    let format: SoundFormat
    private var blocks: [SoundBlock] = []
    private var waiting = 0
    private var spans: [Span] = []
    /// How far the sound may go now.
    private var limit: Int64 = 0
    private var lastTime: Int64 = 0
    private var made: [Int16] = []
    private var isFinal = false
    /// Whether no more sound comes; the rest of the film is silent.
    private(set) var isOver = false
    /// How much sound the film has, in frames of sound.
    private(set) var position: Int64 = 0
    /// How often there was none where there should have been.
    private(set) var gaps = 0
    /// Frames of silence that stand for sound.
    private(set) var silence: Int64 = 0

    init(_ format: SoundFormat) { self.format = format }

    /// Whether there is sound, or silence, for all of a film whose end is known.
    var isComplete: Bool { isFinal && spans.isEmpty }

    /// Frames of sound that are still to come for a film of so many microseconds.
    func rest(until time: Int64) -> Int { Int(max(0, format.frames(time) - position)) }

    /// Notes a frame that is in the film.
    ///
    /// - Parameters:
    ///   - stamp: Microseconds on the camera's clock.
    ///   - time: Microseconds of the film.
    ///   - usual: Microseconds that frames are usually shown.
    mutating func frame(stamp: Int64, time: Int64, usual: Int64) {
        let shift = stamp &- time
        if let last = spans.last, last.end == nil, last.shift != shift { close(at: min(time, lastTime + usual)) }
        if spans.last?.end != nil || spans.isEmpty { spans.append(Span(shift: shift)) }
        lastTime = time
        limit = format.frames(time)
        go()
    }

    /// The film pauses after the last frame.
    mutating func pause(usual: Int64) {
        close(at: lastTime + usual)
        go()
    }

    /// The film has no more frames, and ends then.
    mutating func end(at time: Int64) {
        if spans.isEmpty { spans.append(Span(shift: 0)) }
        spans[spans.count - 1].end = format.frames(time)
        isFinal = true
        go()
    }

    /// Adds sound; that which waits for too long is dropped, the oldest first.
    mutating func add(_ block: SoundBlock) {
        guard !isOver, block.frameCount > 0 else { return }
        blocks.append(block)
        waiting += block.frameCount
        go()
        while format.microseconds(waiting) > Self.patience, blocks.count > 1 {
            waiting -= blocks.removeFirst().frameCount
        }
    }

    /// There is no more sound.
    mutating func finish() {
        isOver = true
        go()
    }

    /// What was put into its place since the last time: samples, frame after frame.
    mutating func take() -> [Int16] {
        defer { made = [] }
        return made
    }

    // MARK: Inside

    private mutating func close(at time: Int64) {
        guard let last = spans.last, last.end == nil else { return }
        spans[spans.count - 1].end = max(format.frames(time), position)
    }

    private mutating func go() {
        while let span = spans.first {
            let end = span.end ?? limit
            while position < end, let block = blocks.first {
                guard place(block, before: end) else { break }
            }
            let isBehind = !blocks.isEmpty
            let isLate = limit - position > format.frames(Self.lead)
            if position < end, isOver || isBehind && span.end != nil { fill(to: end) }
            if position < end, blocks.isEmpty, isLate { fill(to: min(end, limit - format.frames(Self.lead / 2))) }
            guard span.end != nil, position >= end else { return }
            spans.removeFirst()
        }
    }

    /// Puts as much of the first block into the film as belongs before `end`.
    ///
    /// - Returns: False when it begins behind the end.
    private mutating func place(_ block: SoundBlock, before end: Int64) -> Bool {
        let exact = format.frames(block.microseconds &- spans[0].shift)
        let isNear = spans[0].isAligned && abs(exact - position) <= format.frames(Self.tolerance)
        let start = isNear ? position : exact
        guard start < end else { return false }
        let skipped = Int(min(max(0, position - start), Int64(block.frameCount)))
        if start > position { fill(to: start) }
        let taken = Int(min(Int64(block.frameCount - skipped), end - position))
        if taken > 0 {
            made += block.samples[skipped * format.channels..<(skipped + taken) * format.channels]
            position += Int64(taken)
            spans[0].isAligned = true
        }
        let used = skipped + taken
        waiting -= used
        if used == block.frameCount {
            blocks.removeFirst()
        } else {
            blocks[0] = SoundBlock(
                format: format,
                samples: Array(block.samples[(used * format.channels)...]),
                microseconds: block.microseconds + format.microseconds(used)
            )
        }
        return true
    }

    private mutating func fill(to end: Int64) {
        guard end > position else { return }
        gaps += 1
        silence += end - position
        // A film of a day without sound does not need a day of silence at once.
        made += [Int16](repeating: 0, count: Int(end - position) * format.channels)
        position = end
    }
}
