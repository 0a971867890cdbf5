private import Encoding
import Media
import Movies
import Sound

/// Makes the sound of a film: what a microphone gave, in its place, as the film's file has it.
struct FilmSound: ~Copyable {
    /// What the film's description says.
    let description: MovieSound
    private var aligner: SoundAligner
    private var encoder: AACEncoder?
    private let isEncoded: Bool
    private var isFinished = false

    /// Decides how the sound is made: PCM in QuickTime, AAC in MP4; and how much of it is kept for a film that begins paused.
    ///
    /// - Parameters:
    ///   - format: What the microphone gives.
    ///   - container: What the film's file is.
    ///   - kept: Microseconds of pre-roll; nil for a film without.
    /// - Throws: `EncodingError`; `SoundError` with code `notSupported` for a format that a film can not have.
    init(_ format: SoundFormat, _ container: FilmContainer, keeping kept: Int64? = nil) throws {
        var made: AACEncoder?
        var coding = MovieSound.Coding.pcm
        if container == .mp4 {
            let encoder = try AACEncoder(rate: format.rate, channels: format.channels)
            coding = .aac(configuration: encoder.configuration, priming: encoder.priming)
            made = consume encoder
        }
        guard let description = MovieSound(rate: format.rate, channels: format.channels, coding: coding) else {
            throw SoundError(.notSupported, "\(format.channels) channels of \(format.rate) samples a second")
        }
        self.description = description
        aligner = SoundAligner(format, keeping: kept)
        isEncoded = container == .mp4
        encoder = made.take()
    }

    /// Whether there is sound for all of a film whose end is known.
    var isComplete: Bool { aligner.isComplete }
    var isOver: Bool { aligner.isOver }
    var gaps: Int { aligner.gaps }
    /// Seconds of film at which the newest sound ends.
    var heard: Double { Double(aligner.heard) / Double(aligner.format.rate) }
    /// Microseconds of sound in memory that is in no place yet.
    var waiting: Int64 { aligner.waitingMicroseconds }
    /// Seconds of silence that stand for sound.
    var silence: Double { Double(aligner.silence) / Double(aligner.format.rate) }

    mutating func frame(stamp: Int64, time: Int64, usual: Int64) {
        aligner.frame(stamp: stamp, time: time, usual: usual)
    }
    mutating func pause(usual: Int64) { aligner.pause(usual: usual) }
    mutating func add(_ block: SoundBlock) { aligner.add(block) }
    mutating func resume() { aligner.resume() }
    mutating func forget(before stamp: Int64) { aligner.forget(before: stamp) }
    mutating func finish(forgetsKept: Bool = false) { aligner.finish(forgetsKept: forgetsKept) }
    mutating func end(at time: Int64) { aligner.end(at: time) }

    /// What the file has to have of what was put into its place.
    ///
    /// - Throws: `EncodingError`.
    mutating func packets() throws -> [[UInt8]] {
        let samples = aligner.take()
        guard isEncoded else { return samples.isEmpty ? [] : [Self.bytes(samples)] }
        var packets = try encoder?.encode(samples) ?? []
        if aligner.isComplete, !isFinished {
            isFinished = true
            packets += try encoder?.finish() ?? []
        }
        return packets
    }

    /// How much is still to come for a film of so many microseconds: samples as the film counts them, and how large
    /// each is at most.
    func rest(until time: Int64) -> (samples: Int, byteCount: Int) {
        let frames = aligner.rest(until: time)
        guard let packets = encoder?.packetCount(adding: frames) else {
            return (frames, description.channels * 2)
        }
        return (packets, AACEncoder.mostByteCountOfChannel * description.channels)
    }

    private static func bytes(_ samples: [Int16]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
    }
}
