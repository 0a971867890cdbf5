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

    @Test func `reaches no other process by signals, limits or descriptors, and itself as before`() async {
        await #expect(processExitsWith: .exitCode(0)) { exit(try failuresOfReaching()) }
    }
}

/// A function of glibc that Glibc's module map lacks: variadic, or an extension of GNU.
private func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
    guard let address = unsafe dlsym(nil, name) else { throw Missing(name: name) }
    return unsafe unsafeBitCast(address, to: type)
}

private struct Missing: Error {
    let name: String
}

private typealias Signalling = @convention(c) (Int32, Int32, Int32) -> Int32
private typealias Limiting = @convention(c) (Int32, Int32, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Int32
private typealias Controlling = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

/// A bit for each call that was not answered as it has to be; the process is confined afterwards.
private func failuresOfReaching() throws -> Int32 {
    let tgkill = try function("tgkill", as: Signalling.self)
    let prlimit = try unsafe function("prlimit", as: Limiting.self)
    let prctl = try function("prctl", as: Controlling.self)
    let other = getppid()
    let own = getpid()
    let null = unsafe open("/dev/null", O_RDWR)
    try Confinement.apply()
    var failures: Int32 = 0
    func expect(_ isRight: Bool, _ bit: Int32) { if !isRight { failures |= bit } }
    func isRefused(_ result: Int32) -> Bool { result == -1 && errno == EPERM }
    // The main thread has the number of its process. Signal 0 only asks whether one could be sent.
    expect(isRefused(tgkill(other, other, 0)), 1)
    expect(tgkill(own, own, 0) == 0 && raise(0) == 0, 2)
    var limit = rlimit()
    // RLIMIT_NOFILE is 7 in the kernel's asm-generic/resource.h.
    expect(isRefused(unsafe prlimit(other, 7, nil, &limit)) && isRefused(unsafe prlimit(own, 7, nil, &limit)), 4)
    expect(unsafe prlimit(0, 7, nil, &limit) == 0, 8)
    // F_SETFL with O_ASYNC, F_SETOWN, F_SETSIG and F_SETLEASE of fcntl(2).
    for (command, value) in [(F_SETFL, 0x2000), (8, other), (10, SIGKILL), (1024, 0)] {
        expect(isRefused(fcntl(null, command, value)), 16)
    }
    let copy = fcntl(null, F_DUPFD_CLOEXEC, 3)
    expect(copy >= 3 && fcntl(copy, F_GETFD) == FD_CLOEXEC && fcntl(copy, F_GETFL) >= 0, 32)
    // PR_SET_PDEATHSIG, PR_SET_DUMPABLE and PR_SET_SECCOMP; PR_GET_NAME needs 16 bytes.
    for option: Int32 in [1, 4, 22] { expect(isRefused(prctl(option, 0, 0, 0, 0)), 64) }
    var name = (UInt64(0), UInt64(0))
    let hasName = unsafe withUnsafeMutableBytes(of: &name) { bytes in
        prctl(16, UInt(bitPattern: bytes.baseAddress), 0, 0, 0) == 0
    }
    expect(hasName, 128)
    return failures
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
