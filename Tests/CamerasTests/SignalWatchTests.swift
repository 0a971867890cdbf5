import Cameras
import TestSupport
import Testing
import Timekeeping

@Suite(.tags(.unit), .timeLimit(.minutes(1)))
struct SignalWatchTests {
    private static let start = BootInstant.now()
    private static func after(_ milliseconds: Int) -> BootInstant { start.advanced(by: .milliseconds(milliseconds)) }

    @Test func `a signal that goes is lost within two seconds, whenever it goes`() {
        for gone in stride(from: 0, through: 3_000, by: 50) {
            var watch = SignalWatch(from: Self.start)
            let told = (0..<6_000).first { now in
                watch.look(at: Self.after(now)) { now < gone }
            }
            #expect(((gone + 750)...(gone + 1_500)).contains(told ?? -1), "gone at \(gone), told at \(told ?? -1)")
        }
    }

    @Test func `a signal that is missed once is not lost`() {
        var watch = SignalWatch(from: Self.start)
        let looks = [true, false, true, false, true, true, false]
        for (index, hasSignal) in looks.enumerated() {
            #expect(watch.nextLook == Self.after(750 * (index + 1)))
            #expect(!watch.look(at: watch.nextLook) { hasSignal })
        }
        let next = watch.nextLook
        #expect(watch.look(at: next) { false })
    }

    @Test func `nobody is asked between looks`() {
        var watch = SignalWatch(from: Self.start)
        var asked = 0
        for now in 0..<3_100 {
            _ = watch.look(at: Self.after(now)) {
                asked += 1
                return true
            }
        }
        #expect(asked == 4)
    }
}
