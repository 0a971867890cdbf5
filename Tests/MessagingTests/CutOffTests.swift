import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import Messaging

@Suite("A connection that breaks within a message", .timeLimit(.minutes(1)))
struct CutOffTests {
    @Test func `what comes after it is not lost`() async throws {
        let directory = try Cluster.makeDirectory()
        defer { unsafe rmdir(directory) }
        let endpoint = "ipc://\(directory)/x"
        let sender = try Sender(endpoint)
        for attempt in 1...10 {
            let router = Mutex<RawRouter?>(try RawRouter(endpoint))
            await sender.waitForConnection()
            let ending = Task.detached {
                // So that it happens while frames are copied; if it does not, this attempt shows less and does no harm.
                usleep(5_000 + UInt32(attempt) * 1_000)
                router.withLock { router in
                    router?.close()
                    router = nil
                }
            }
            _ = try await sender.sendMuch()
            await ending.value
            await sender.waitForLoss()
            let next = try RawRouter(endpoint)
            await sender.waitForConnection()
            #expect(try await sender.send([[1], [2]]) == .sent)
            // The sender comes first.
            #expect(try next.receive().dropFirst() == [[1], [2]])
            next.close()
        }
    }
}

/// A client's socket on a loop.
private actor Sender {
    private let loop = EventLoop(name: "sender")
    private let socket: SocketHandle
    private let chunk = [UInt8](repeating: 7, count: 4 << 20)
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(_ endpoint: String) throws {
        let socket = try SocketHandle(.dealer, in: MessagingContext())
        try SocketOptions.setClient(socket, as: .program)
        try socket.connect(endpoint)
        self.socket = socket
    }

    isolated deinit {}

    func waitForConnection() async { _ = await loop.wait(for: socket.writable) }

    /// Nobody listens now, so that it comes to that.
    func waitForLoss() async {
        while !Task.isCancelled, await loop.wait(for: socket.writable, until: .now()) == .ready { await Task.yield() }
    }

    func send(_ frames: [[UInt8]]) throws -> SocketHandle.Sending { try socket.send(frames) }

    /// Takes some milliseconds, because each frame is copied.
    func sendMuch() throws -> SocketHandle.Sending { try socket.send(Array(repeating: chunk, count: 30)) }
}
