import Sound

/// Puts sound where it belongs in a film, by the times of both.
///
/// Sound comes later than the frames it was heard with, or earlier; its clock runs a little faster or slower than that of
/// the frames; some of it gets lost. What this gives is sound without gaps from the first frame on: what is missing is
/// silence, what belongs to no frame (before the first, in a pause, in a jump of the camera's time) is left out. As long
/// as a block is no more than `tolerance` away from the end of the one before, it is taken to follow it.
///
/// While the film is paused the newest sound alone is held: what pictures may still come for, or are kept as well.
struct SoundAligner: Sendable {
    /// Microseconds of sound that wait for their frames at most.
    private static let patience: Int64 = 10_000_000
    /// Microseconds that the frames may be ahead of sound that does not come; it may be on its way through a busy machine.
    private static let lead: Int64 = 10_000_000
    /// Microseconds by which sound may be too early or too late.
    private static let tolerance: Int64 = 20_000
    /// Microseconds by which sound and the pictures of the same time may reach a film at different times.
    private static let margin: Int64 = 2_000_000

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
    /// Microseconds of a pause whose pictures are kept.
    private let kept: Int64
    /// Whether the film is paused: what is there is no part of it yet.
    private var isHolding: Bool
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
    /// Where the newest sound ends that is none of the silence that stands for it.
    private(set) var heard: Int64 = 0
    /// How often there was none where there should have been.
    private(set) var gaps = 0
    /// Frames of silence that stand for sound.
    private(set) var silence: Int64 = 0

    /// An aligner without sound.
    ///
    /// - Parameters:
    ///   - format: That of all sound.
    ///   - kept: Microseconds of pre-roll of a film that begins paused; nil for one that has none.
    init(_ format: SoundFormat, keeping kept: Int64? = nil) {
        self.format = format
        self.kept = kept ?? 0
        isHolding = kept != nil
    }

    /// Microseconds of sound that is in no place yet.
    var waitingMicroseconds: Int64 { format.microseconds(waiting) }

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
        isHolding = false
        let shift = stamp &- time
        if let last = spans.last, last.end == nil, last.shift != shift { close(at: min(time, lastTime + usual)) }
        if spans.last?.end != nil || spans.isEmpty { spans.append(Span(shift: shift)) }
        lastTime = time
        limit = format.frames(time)
        go()
    }

    /// The film pauses after the last frame.
    mutating func pause(usual: Int64) {
        isHolding = true
        close(at: lastTime + usual)
        go()
        // No more comes, and none of this is for later.
        if isOver { drop(blocks.count) }
        trim()
    }

    /// The film goes on: what is held is for its next frames.
    mutating func resume() { isHolding = false }

    /// Lets go of sound before the oldest picture that is kept.
    mutating func forget(before stamp: Int64) {
        guard isHolding, spans.isEmpty else { return }
        drop(blocks.prefix { $0.microseconds + format.microseconds($0.frameCount) <= stamp }.count)
    }

    /// The film has no more frames, and ends then.
    mutating func end(at time: Int64) {
        if spans.isEmpty { spans.append(Span(shift: 0)) }
        spans[spans.count - 1].end = format.frames(time)
        isFinal = true
        go()
        if isComplete { drop(blocks.count) }
    }

    /// Adds sound; that which waits for too long is dropped, the oldest first.
    mutating func add(_ block: SoundBlock) {
        guard !isOver, block.frameCount > 0 else { return }
        blocks.append(block)
        waiting += block.frameCount
        go()
        trim()
    }

    /// There is no more sound.
    ///
    /// - Parameter forgetsKept: Whether what is held for a film that is paused must not get into it.
    mutating func finish(forgetsKept: Bool = false) {
        isOver = true
        go()
        if isHolding, forgetsKept { drop(blocks.count) }
    }

    /// What was put into its place since the last time: samples, frame after frame.
    mutating func take() -> [Int16] {
        defer { made = [] }
        return made
    }

    // MARK: Inside

    private mutating func trim() {
        let most = kept + (isHolding ? Self.margin : Self.patience)
        while waitingMicroseconds > most, blocks.count > 1 { drop(1) }
    }

    private mutating func drop(_ count: Int) {
        waiting -= blocks.prefix(count).reduce(0) { $0 + $1.frameCount }
        blocks.removeFirst(count)
    }

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
            heard = position
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
        // Silence that goes on is the same gap.
        if heard == position { gaps += 1 }
        silence += end - position
        // A film of a day without sound does not need a day of silence at once.
        made += [Int16](repeating: 0, count: Int(end - position) * format.channels)
        position = end
    }
}
