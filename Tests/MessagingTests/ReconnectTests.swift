import EventLoop
import Glibc
import MessageSchema
import TestSupport
import Testing
import Timekeeping

@testable import Messaging

@Suite("How soon a client connects again", .timeLimit(.minutes(1)))
struct ReconnectTests {
    @Test func `at once after a connection that lasted, later and later after those that did not`() {
        var pause = ReconnectPause()
        #expect(pause.after(life: .seconds(60)) == .zero)
        var pauses: [Duration] = []
        for _ in 0..<8 { pauses.append(pause.after(life: .milliseconds(1))) }
        #expect(pauses.prefix(3) == [.milliseconds(50), .milliseconds(100), .milliseconds(200)])
        #expect(pauses.last == ReconnectPause.longest)
        #expect(pauses == pauses.sorted())
        #expect(pause.after(life: ReconnectPause.proof) == .zero)
    }

    @Test func `a service that lets in and ends at once is not asked in a busy loop`() async throws {
        let place = try FlightyService()
        let context = try MessagingContext()
        let client = try MessageClient(place.endpoint, context: context, loop: EventLoop(name: "client"))
        let asking = Task { try? await client.call(Add(left: 1, right: 2), CallOptions(timeout: .seconds(20))) }
        let start = BootInstant.now()
        // 0, 50, 100, 200 and 400 ms lie between the first six.
        for _ in 0..<6 { try await place.letInAndEnd() }
        #expect(start.duration(to: .now()) >= .milliseconds(500))
        asking.cancel()
        _ = await asking.value
    }
}

/// A service that speaks the handshake of ZMTP 3.0 (rfc.zeromq.org/spec/23) and nothing more; it blocks a thread of its own.
private actor FlightyService {
    private let loop = EventLoop(name: "flighty")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }
    nonisolated let endpoint: ServiceEndpoint
    private let listener: CInt

    init() throws {
        endpoint = ServiceEndpoint(service: "library", runtimeDirectory: try Cluster.makeDirectory())
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = endpoint.programsPath
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 8) == 0)
    }

    isolated deinit {
        close(listener)
        unsafe unlink(endpoint.programsPath)
        unsafe rmdir(endpoint.runtimeDirectory)
    }

    /// Waits for the next client that finishes the handshake, and hangs up.
    func letInAndEnd() throws {
        let name = Array("NULL".utf8) + [UInt8](repeating: 0, count: 16)
        let greeting =
            [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0] + name + [UInt8](repeating: 0, count: 32)
        let ready = [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array("ROUTER".utf8)
        while true {
            let peer = accept(listener, nil, nil)
            try #require(peer >= 0, "nobody came within ten seconds")
            defer { close(peer) }
            guard send(greeting, to: peer), read(64, from: peer), send([4, UInt8(ready.count)] + ready, to: peer),
                // The client's own READY: flags, size, and more than one byte.
                read(3, from: peer)
            else { continue }
            return
        }
    }

    private func send(_ bytes: [UInt8], to peer: CInt) -> Bool {
        unsafe Glibc.send(peer, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
    }

    private func read(_ count: Int, from peer: CInt) -> Bool {
        var left = count
        while left > 0 {
            var chunk = [UInt8](repeating: 0, count: left)
            let got = unsafe Glibc.read(peer, &chunk, left)
            guard got > 0 else { return false }
            left -= got
        }
        return true
    }
}
