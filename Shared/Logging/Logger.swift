private import Glibc
package import Timekeeping

/// Writes structured log lines: a constant message, dotted keys, one JSON object on one line.
///
/// A line is written by the calling thread in one call; the standard sink blocks only when nobody reads standard error.
/// Never log media content, paths outside the library or the people in front of a camera.
package struct Logger: Sendable {
    /// How much a line matters.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        /// Each frame, each message.
        case trace
        /// What a developer follows a problem with.
        case debug
        /// State changes.
        case info
        /// Something is wrong and the service goes on by itself.
        case warning
        /// Something was lost or refused that should not have been.
        case error

        private var rank: Int {
            switch self {
            case .trace: 0
            case .debug: 1
            case .info: 2
            case .warning: 3
            case .error: 4
            }
        }

        package static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }
    }

    /// The process or service that the line is about.
    package let service: String
    /// Lines below this level are dropped.
    package var level: Level

    private let sink: LogSink
    private let now: @Sendable () -> Timestamp
    private var context: [(key: String, value: LogValue)] = []

    /// A logger for one service of this process.
    package init(
        service: String,
        level: Level = .info,
        sink: LogSink = .standardError,
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.service = service
        self.level = level
        self.sink = sink
        self.now = now
    }

    /// A logger that puts these values on every line, too.
    package func with(_ values: KeyValuePairs<String, LogValue>) -> Logger {
        var copy = self
        copy.context += values.map { (key: $0.key, value: $0.value) }
        return copy
    }

    /// Writes a line, if the level is reached; the values are computed only then.
    package func log(
        _ level: Level,
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
    ) {
        guard level >= self.level else { return }
        var line = LogLine()
        line.add("time", .string(now().description))
        line.add("level", .string(level.rawValue))
        line.add("service", .string(service))
        line.add("pid", .integer(Int64(getpid())))
        line.add("message", .string(message.description))
        for (key, value) in context { line.add(key, value) }
        for (key, value) in values() { line.add(key, value) }
        sink.write(line.finished())
    }

    /// Writes a line at level `trace`.
    package func trace(
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
    ) {
        log(.trace, message, values())
    }

    /// Writes a line at level `debug`.
    package func debug(
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
    ) {
        log(.debug, message, values())
    }

    /// Writes a line at level `info`.
    package func info(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]) {
        log(.info, message, values())
    }

    /// Writes a line at level `warning`.
    package func warning(
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
    ) {
        log(.warning, message, values())
    }

    /// Writes a line at level `error`.
    package func error(
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
    ) {
        log(.error, message, values())
    }
}
