import Files
import MessageSchema
import Synchronization
import Testing
import Timekeeping

@testable import CommandLineService

@Suite("What the supervisor says", .timeLimit(.minutes(1)))
struct ReportQueueTests {
    private func report(_ number: Int) -> Supervisor.Report {
        .line(
            .library,
            SupervisorMachine.Line(state: .ready, pid: Int32(number), restarts: 0, since: BootInstant(milliseconds: 1))
        )
    }

    @Test func `a terminal that takes nothing holds nobody up, and what was left out is counted`() async throws {
        let pipe = try FileDescriptor.pipe()
        let gate = Mutex(pipe.readEnd.rawValue)
        let shown = Mutex<[Int32]>([])
        let omitted = Mutex(0)
        let queue = ReportQueue(capacity: 4) { report in
            // Blocks until the test lets it go on, as a stopped terminal does.
            let number = gate.withLock { $0 }
            _ = try? FileDescriptor(adopting: number).readAndKeep()
            if case .line(_, let line) = report { shown.withLock { $0.append(line.pid ?? 0) } }
        } showOmitted: { count in
            omitted.withLock { $0 += count }
        }
        for number in 1...100 { queue.add(report(number)) }
        #expect(shown.withLock { $0.isEmpty })
        await queue.finish(within: .milliseconds(20))
        #expect(shown.withLock { $0.isEmpty }, "whoever ends does not wait for it without end")
        try pipe.writeEnd.writeAll([UInt8](repeating: 0, count: 100))
        await queue.finish(within: .seconds(30))
        let (lines, left) = (shown.withLock { $0 }, omitted.withLock { $0 })
        #expect(lines.first == 1 && lines == lines.sorted())
        #expect(lines.count + left == 100)
        #expect((4...8).contains(lines.count))
    }
}

extension FileDescriptor {
    /// Reads a byte of a borrowed number, which stays open.
    fileprivate consuming func readAndKeep() throws {
        _ = try read(upTo: 1)
        _ = release()
    }
}
