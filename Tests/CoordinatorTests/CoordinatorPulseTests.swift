import Files
import TestSupport
import Testing
import Timekeeping

@testable import CoordinatorService

@Suite("The pulse of a coordinator", .timeLimit(.minutes(1)))
struct CoordinatorPulseTests {
    private func end(after pause: Duration?) throws -> BootInstant? {
        try withTemporaryDirectory { path, directory in
            if let pause {
                let last = BootInstant.now().milliseconds - pause.wholeMilliseconds
                try directory.writeAtomically(Array("\(last)".utf8), to: "coordinator.alive")
            }
            return CoordinatorPulse(in: path).predecessorEnd
        }
    }

    @Test func `a pulse that was held up does not make an earlier coordinator end sooner`() throws {
        let start = BootInstant.now()
        // The disk stood still for ten seconds, while leases were renewed until the end.
        let end = try #require(try end(after: .seconds(10)))
        #expect(end >= start)
        #expect(end <= .now())
    }

    @Test func `without a pulse in the last minute there was nobody`() throws {
        #expect(try end(after: nil) == nil)
        #expect(try end(after: .seconds(61)) == nil)
        // Of another boot: this one has not lasted so long yet.
        #expect(try end(after: .seconds(-100)) == nil)
    }
}
