import CLinux
import Glibc
import Testing

@testable import ServiceRuntime

@Suite("Readiness", .timeLimit(.minutes(1)))
struct ReadinessNotifierTests {
    @Test func `one datagram tells the supervisor`() throws {
        let address = "@obscura-notify-\(getpid())"
        let descriptor = unsafe clinux_notify_listen(address, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let notifier = ReadinessNotifier(environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "2000000"])
        #expect(notifier.watchdogInterval == .milliseconds(500))
        notifier.ready()
        notifier.status("two\nlines")
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == "READY=1\nSTATUS=ready")
        let more = unsafe read(descriptor, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(more, 0)), as: UTF8.self) == "STATUS=two lines")
    }

    @Test func `without a socket, or for another process, nothing happens`() {
        ReadinessNotifier(environment: [:]).alive()
        let other = ReadinessNotifier(environment: ["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "1"])
        #expect(other.watchdogInterval == nil)
    }
}
