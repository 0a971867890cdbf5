import Media
import Testing

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct ShutterTests {
    /// What becomes of frames a tenth of a second apart, from the second one after the request at one second on.
    private static func verdicts(
        _ shutter: Shutter,
        _ lumas: [Double],
        light: Bool = true
    ) -> [Shutter.Verdict?] {
        var shutter = shutter
        return lumas.enumerated().map { index, luma in
            let time = 1_000_000 + Int64(index) * 100_000
            guard shutter.looks(at: time) else { return nil }
            let verdict = shutter.judge(luma: luma, taken: time)
            switch verdict {
            case .light: shutter.asked(isLit: light)
            case .take: shutter.took()
            case .wait: break
            }
            return verdict
        }
    }

    private static let bright = Array(repeating: 100.0, count: 8)

    @Test func `a frame of the very moment of the request is too old`() {
        let shutter = Shutter(flash: .off, earliest: 1_000_000, moment: 1_000_000)
        let verdicts = Self.verdicts(shutter, Self.bright)
        #expect(verdicts.prefix(5) == [nil, .wait, .wait, .take(converged: true), .take(converged: true)])
    }

    @Test func `each picture after the first says for itself whether exposure had settled`() {
        let shutter = Shutter(flash: .off, earliest: 0, moment: 0)
        let verdicts = Self.verdicts(shutter, [100, 100, 100, 180, 180, 180, 180])
        #expect(
            verdicts == [
                .wait, .wait, .take(converged: true), .take(converged: false), .take(converged: false),
                .take(converged: true), .take(converged: true),
            ]
        )
    }

    @Test func `before a self-timer's moment exposure settles, and nothing is taken`() {
        let shutter = Shutter(flash: .off, earliest: 0, moment: 1_450_000)
        let verdicts = Self.verdicts(shutter, Self.bright)
        #expect(verdicts == Array(repeating: .wait, count: 5) + Array(repeating: .take(converged: true), count: 3))
    }

    @Test func `a scene that never settles is taken two seconds after the moment, and not before`() {
        var shutter = Shutter(flash: .off, earliest: 0, moment: 5_000_000)
        var time: Int64 = 1_000_000
        while shutter.judge(luma: Double(time / 100_000 % 7) * 30, taken: time) == .wait { time += 100_000 }
        #expect(time == 7_000_000)
    }

    @Test func `a self-timer's light goes on a second before, and exposure settles under it`() {
        let shutter = Shutter(flash: .on, earliest: 0, moment: 2_250_000)
        let lumas = Array(repeating: 20.0, count: 4) + Array(repeating: 200.0, count: 12)
        let verdicts = Self.verdicts(shutter, lumas)
        #expect(verdicts.firstIndex(of: .light) == 3)
        #expect(verdicts.firstIndex(of: .take(converged: true)) == 13)
    }

    @Test func `in the dark auto lights once, and a light that refuses leaves a dark picture`() {
        let shutter = Shutter(flash: .auto, earliest: 0, moment: 0)
        let dark = Array(repeating: 10.0, count: 4)
        #expect(Self.verdicts(shutter, dark, light: false) == [.wait, .wait, .light, .take(converged: true)])
        #expect(Self.verdicts(shutter, dark + [200, 200, 200]).last == .take(converged: true))
        #expect(!Self.verdicts(Shutter(flash: .off, earliest: 0, moment: 0), dark).contains(.light))
    }
}
