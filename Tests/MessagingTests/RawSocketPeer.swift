import EventLoop
import Glibc
import Testing

/// Speaks ZMTP 3.0 (rfc.zeromq.org/spec/23) with its own bytes over a local socket; it blocks a thread of its own.
actor RawSocketPeer {
    private let loop = EventLoop(name: "raw socket")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }
    private let descriptor: CInt

    /// Connects to a socket's path; what is read or written later fails after ten seconds.
    init(path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(connected == 0)
    }

    isolated deinit { close(descriptor) }

    /// The greeting, and a `READY` with these properties; returns when the other side is ready.
    func openAsProgram(_ properties: [(String, [UInt8])]) throws {
        try greet("NULL")
        try write(command("READY", metadata(properties)))
        try expectCommand("READY")
    }

    /// The greeting, a key, and an `INITIATE` with these properties; returns when the other side is ready.
    func openAsRole(_ name: String, key: String, _ properties: [(String, [UInt8])]) throws {
        try greet("PLAIN")
        try write(command("HELLO", short(name) + short(key)))
        try expectCommand("WELCOME")
        try write(command("INITIATE", metadata(properties)))
        try expectCommand("READY")
    }

    /// Sends a request, and gives the answer's header and body as text; `nil` when the connection ended instead.
    func ask(_ header: String, _ body: String = "{}") throws -> (header: String, body: String)? {
        let frames = ["OBS1", header, body].map { Array($0.utf8) }
        for (index, frame) in frames.enumerated() {
            try write([index < frames.count - 1 ? 1 : 0, UInt8(frame.count)] + frame)
        }
        guard let first = try? readFrame(), first == Array("OBS1".utf8) else { return nil }
        return (String(decoding: try readFrame(), as: UTF8.self), String(decoding: try readFrame(), as: UTF8.self))
    }

    /// Whether nothing comes for that many milliseconds.
    func isSilent(for milliseconds: CInt) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, milliseconds) == 0
    }

    /// Sends a request and reads nothing.
    func say(_ header: String) throws {
        for (flags, frame) in [(1, "OBS1"), (1, header), (0, "{}")] as [(UInt8, String)] {
            try write([flags, UInt8(frame.utf8.count)] + Array(frame.utf8))
        }
    }

    private func greet(_ mechanism: String) throws {
        let name = Array(mechanism.utf8) + [UInt8](repeating: 0, count: 20 - mechanism.utf8.count)
        try write([0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0] + name + [UInt8](repeating: 0, count: 32))
        _ = try read(64)
    }

    private func metadata(_ properties: [(String, [UInt8])]) -> [UInt8] {
        (properties + [("Socket-Type", Array("DEALER".utf8))]).flatMap { name, value in
            short(name) + [0, 0, 0, UInt8(value.count)] + value
        }
    }

    private func short(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    private func command(_ name: String, _ rest: [UInt8]) -> [UInt8] {
        let body = short(name) + rest
        return [4, UInt8(body.count)] + body
    }

    /// - Throws: `RawPeerError` for another one, such as an `ERROR`.
    private func expectCommand(_ name: String) throws {
        guard try readFrame().starts(with: short(name)) else { throw RawPeerError(number: 0) }
    }

    private func readFrame() throws -> [UInt8] {
        let flags = try read(1)[0]
        let size = try read(flags & 2 == 0 ? 1 : 8).reduce(0) { $0 << 8 | Int($1) }
        return try read(size)
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var chunk = [UInt8](repeating: 0, count: count - bytes.count)
            let got = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            guard got > 0 else { throw RawPeerError(number: got == 0 ? 0 : errno) }
            bytes += chunk[..<got]
        }
        return bytes
    }

    private func write(_ bytes: [UInt8]) throws {
        let sent = unsafe send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        guard sent == bytes.count else { throw RawPeerError(number: errno) }
    }
}
