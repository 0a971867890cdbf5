import DecoderService
import Foundation
import Glibc
import Testing

/// What a worker can not do any more, tried in a process of its own.
@Suite(.timeLimit(.minutes(1)))
struct `A confined process` {
    @Test func `opens nothing, connects to nothing, and starts and signals no process`() async {
        await #expect(processExitsWith: .exitCode(0)) { exit(try confinedFailures()) }
    }
}

/// A bit for each call that was not refused, and one for what has to go on working; the process is confined afterwards.
private func confinedFailures() throws -> Int32 {
    let before = unsafe open("/proc/self/status", O_RDONLY)
    try Confinement.apply()
    var failures: Int32 = 0
    func expectRefused(_ result: Int32, _ bit: Int32) {
        if result >= 0 || errno != EPERM { failures |= bit }
    }
    expectRefused(unsafe open("/etc/passwd", O_RDONLY), 1)
    expectRefused(unsafe open("/tmp/obscura-confined", O_WRONLY | O_CREAT, 0o600), 2)
    expectRefused(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), 4)
    expectRefused(unsafe unlink("/tmp/obscura-nothing"), 8)
    expectRefused(kill(getppid(), 0), 16)
    expectRefused(unsafe chdir("/"), 32)
    // What it had, it still reads.
    var byte: UInt8 = 0
    if unsafe read(before, &byte, 1) != 1 { failures |= 64 }
    return failures
}
