private import Glibc
private import Synchronization

/// Where finished lines go.
package struct LogSink: Sendable {
    private let writeLine: @Sendable ([UInt8]) -> Void

    /// A sink that hands each line, with its line feed, to the closure on the logging thread.
    package init(_ writeLine: @escaping @Sendable ([UInt8]) -> Void) {
        self.writeLine = writeLine
    }

    /// Standard error, one write(2) a line; what can not be written is lost, as there is nowhere to report it.
    package static let standardError = LogSink { line in
        var rest = line[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if written > 0 {
                rest.removeFirst(written)
            } else if written < 0, errno == EINTR {
                continue
            } else {
                return
            }
        }
    }

    /// Drops every line.
    package static let discard = LogSink { _ in }

    func write(_ line: [UInt8]) {
        writeLine(line)
    }
}

/// A sink that keeps its lines, for tests.
package final class LogRecord: Sendable {
    private let kept = Mutex<[String]>([])

    package init() {}

    /// The sink to give to a logger.
    package var sink: LogSink {
        LogSink { line in self.kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
    }

    /// The lines so far, each with its line feed.
    package var lines: [String] { kept.withLock { $0 } }
}
