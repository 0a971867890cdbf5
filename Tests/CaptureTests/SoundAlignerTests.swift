import Sound
import Testing

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct SoundAlignerTests {
    private static let usual: Int64 = 100_000

    private static func frame(_ aligner: inout SoundAligner, _ milliseconds: Int64, film: Int64? = nil) {
        let time = film ?? milliseconds
        aligner.frame(stamp: 1_000_000 + milliseconds * 1000, time: time * 1000, usual: usual)
    }

    private static func sound(_ aligner: inout SoundAligner, _ milliseconds: Range<Int64>, offset: Int64 = 0) {
        for start in stride(from: milliseconds.lowerBound, to: milliseconds.upperBound, by: 20) {
            aligner.add(Tone.block(at: 1_000_000 + start * 1000, milliseconds: 20, offset: offset * 1000))
        }
    }

    @Test func `sound before the first frame is left out, and the rest follows the frames`() {
        var aligner = SoundAligner(Tone.format)
        Self.sound(&aligner, -100..<250)
        #expect(aligner.take() == [])
        Self.frame(&aligner, 0)
        #expect(aligner.position == 0)
        Self.frame(&aligner, 100)
        #expect(aligner.position == 800)
        Self.frame(&aligner, 200)
        aligner.end(at: 250_000)
        #expect(aligner.isComplete)
        #expect(Tone.runs(aligner.take()) == [[1, 800], [2, 800], [3, 400]])
        #expect(aligner.gaps == 0 && aligner.silence == 0)
    }

    @Test func `sound that comes after its frames is waited for`() {
        var aligner = SoundAligner(Tone.format)
        for time in stride(from: Int64(0), through: 500, by: 100) { Self.frame(&aligner, time) }
        #expect(aligner.take() == [])
        Self.sound(&aligner, 0..<400)
        aligner.end(at: 600_000)
        #expect(!aligner.isComplete)
        Self.sound(&aligner, 400..<700)
        #expect(aligner.isComplete)
        #expect(Tone.runs(aligner.take()) == (1...6).map { [$0, 800] })
    }

    @Test func `what was lost is silence of the same length, and what follows is in its place`() {
        var aligner = SoundAligner(Tone.format)
        Self.frame(&aligner, 0)
        Self.frame(&aligner, 1_000)
        Self.sound(&aligner, 0..<300)
        Self.sound(&aligner, 500..<1_000)
        aligner.end(at: 1_000_000)
        #expect(Tone.runs(aligner.take()) == [1, 2, 3].map { [$0, 800] } + [[0, 1600]] + (6...10).map { [$0, 800] })
        #expect(aligner.gaps == 1 && aligner.silence == 1600)
    }

    @Test func `times that waver a little neither tear nor repeat sound`() {
        var aligner = SoundAligner(Tone.format)
        Self.frame(&aligner, 0)
        for start in stride(from: Int64(0), to: 1_000, by: 20) {
            let wavering: Int64 = start == 0 ? 0 : start % 60 == 0 ? 9 : -7
            Self.sound(&aligner, start..<start + 20, offset: wavering)
            if start % 100 == 80 { Self.frame(&aligner, start + 20) }
        }
        aligner.end(at: 1_000_000)
        #expect(Tone.runs(aligner.take()) == (1...10).map { [$0, 800] })
        #expect(aligner.gaps == 0)
    }

    @Test func `a microphone whose clock is a percent slow is put right before it is heard`() {
        var aligner = SoundAligner(Tone.format)
        Self.frame(&aligner, 0)
        // A block of twenty milliseconds each 20.2.
        for number in 0..<500 as Range<Int64> {
            aligner.add(Tone.block(at: 1_000_000 + number * 20_200, milliseconds: 20))
            Self.frame(&aligner, number * 20 + 20)
        }
        let expected = Tone.format.frames(499 * 20_000 + 20_000)
        #expect(abs(aligner.position - expected) < Tone.format.frames(220_000))
        let late = aligner.take().enumerated().allSatisfy { index, sample in
            sample == 0 || abs(Int(sample) - (index / 800 + 1)) <= 1
        }
        #expect(late)
        #expect(aligner.gaps > 3 && aligner.gaps < 8)
    }

    @Test func `a pause cuts sound where it cuts the frames`() {
        var aligner = SoundAligner(Tone.format)
        for time in stride(from: Int64(0), through: 200, by: 100) { Self.frame(&aligner, time) }
        Self.sound(&aligner, 0..<260)
        aligner.pause(usual: Self.usual)
        Self.sound(&aligner, 260..<9_000)
        // The next frame follows the last, whose hundred milliseconds are over.
        Self.frame(&aligner, 9_000, film: 300)
        Self.sound(&aligner, 9_000..<9_200)
        Self.frame(&aligner, 9_100, film: 400)
        aligner.end(at: 500_000)
        #expect(Tone.runs(aligner.take()) == [[1, 800], [2, 800], [3, 800], [91, 800], [92, 800]])
        #expect(aligner.gaps == 0)
    }

    @Test func `a jump of the camera's time cuts sound too, also when sound comes late`() {
        var aligner = SoundAligner(Tone.format)
        for time in stride(from: Int64(0), through: 200, by: 100) { Self.frame(&aligner, time) }
        Self.frame(&aligner, 5_000, film: 300)
        Self.frame(&aligner, 5_100, film: 400)
        Self.sound(&aligner, 0..<5_200)
        aligner.end(at: 500_000)
        #expect(Tone.runs(aligner.take()) == [[1, 800], [2, 800], [3, 800], [51, 800], [52, 800]])
    }

    @Test func `after its end there is silence for as long as there are frames`() {
        var aligner = SoundAligner(Tone.format)
        Self.frame(&aligner, 0)
        Self.frame(&aligner, 300)
        Self.sound(&aligner, 0..<300)
        aligner.finish()
        Self.sound(&aligner, 300..<1_000)
        Self.frame(&aligner, 900)
        aligner.end(at: 1_000_000)
        #expect(aligner.isComplete)
        #expect(Tone.runs(aligner.take()) == [[1, 800], [2, 800], [3, 800], [0, 5600]])
        // It goes on, and is one.
        #expect(aligner.gaps == 1 && aligner.silence == 5600)
        #expect(aligner.heard == 2400)
    }

    @Test(arguments: [nil, 0, 5_000_000] as [Int64?])
    func `in a pause the newest sound alone is in memory, and the film goes on with it`(kept: Int64?) {
        var aligner = SoundAligner(Tone.format, keeping: kept)
        if kept == nil {
            Self.frame(&aligner, 0)
            Self.sound(&aligner, 0..<200)
            aligner.pause(usual: Self.usual)
            #expect(aligner.take().count == 800)
        }
        for start in stride(from: Int64(200), to: 60_000, by: 100) {
            Self.sound(&aligner, start..<start + 100)
            #expect(aligner.waitingMicroseconds <= (kept ?? 0) + 2_000_000)
        }
        aligner.resume()
        // What comes now takes no place from what is kept.
        Self.sound(&aligner, 60_000..<61_000)
        let first = 59_000 - (kept ?? 0) / 1000
        let film: Int64 = kept == nil ? 100 : 0
        for time in stride(from: first, through: 60_900, by: 100) {
            Self.frame(&aligner, time, film: time - first + film)
        }
        aligner.end(at: (61_000 - first + film) * 1000)
        #expect(aligner.isComplete)
        #expect(Tone.runs(aligner.take()) == (Int(first) / 100 + 1...610).map { [$0, 800] })
        #expect(aligner.gaps == 0 && aligner.waitingMicroseconds == 0)
    }

    @Test func `sound before the oldest picture that is kept is let go of, and none that a frame waits for`() {
        var aligner = SoundAligner(Tone.format, keeping: 30_000_000)
        Self.sound(&aligner, 0..<1_000)
        aligner.forget(before: 1_500_000)
        #expect(aligner.waitingMicroseconds == 500_000)
        Self.frame(&aligner, 500, film: 0)
        Self.frame(&aligner, 700, film: 200)
        // It is filmed: nothing is kept.
        aligner.forget(before: 9_000_000)
        aligner.pause(usual: Self.usual)
        #expect(Tone.runs(aligner.take()) == [[6, 800], [7, 800], [8, 800]])
        aligner.forget(before: 1_900_000)
        #expect(aligner.waitingMicroseconds == 100_000)
        aligner.finish(forgetsKept: true)
        #expect(aligner.waitingMicroseconds == 0 && aligner.gaps == 0)
    }

    @Test func `a microphone that is silent does not hold up the film, nor fill the memory`() {
        var aligner = SoundAligner(Tone.format)
        for time in stride(from: Int64(0), through: 30_000, by: 100) { Self.frame(&aligner, time) }
        #expect(aligner.position >= 20 * 8_000 && aligner.position < 30 * 8_000)
        // And one without frames keeps ten seconds.
        var other = SoundAligner(Tone.format)
        Self.sound(&other, 0..<60_000)
        Self.frame(&other, 57_000, film: 0)
        Self.frame(&other, 58_000, film: 1_000)
        #expect(other.position == 8_000)
        #expect(Tone.runs(other.take()).first == [571, 800])
    }
}
