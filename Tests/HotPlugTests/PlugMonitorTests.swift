import Files
import FoundationEssentials
import TestSupport
import Testing
import Timekeeping

@testable import HotPlug

@Suite("The monitor of devices", .timeLimit(.minutes(1)))
struct PlugMonitorTests {
    private static func touch(_ path: String) throws { try Data().write(to: URL(filePath: path)) }

    /// News until all of these names were heard, merged.
    private static func hear(_ names: Set<String>, from monitor: PlugMonitor) async throws -> Set<String> {
        var heard: Set<String> = []
        while !heard.isSuperset(of: names) { heard.formUnion(try await monitor.next().nodes) }
        return heard
    }

    @Test func `what the kernel and udev say of cameras, controllers and lights is heard, and nothing else`()
        async throws
    {
        let mouth = try Mouth()
        let monitor = try PlugMonitor(socket: mouth.socket(), folder: nil, now: { BootInstant(nanoseconds: 7) })
        try mouth.say(Samples.kernel("add", "sda1", subsystem: "block"))
        try mouth.say([0, 1, 2])
        try mouth.say(Samples.kernel("add", "video0"))
        try mouth.say(Samples.udev("add", "video0"))
        try mouth.say(Samples.kernel("remove", "media3", subsystem: "media"))
        try mouth.say(Samples.kernel("add", "white:flash", subsystem: "leds"))
        let news = try await monitor.next()
        #expect(news == PlugNews(of: ["video0", "media3", "white:flash"], since: BootInstant(nanoseconds: 7)))
    }

    @Test func `a node that is made, changed, renamed or removed is heard, and a file is not`() async throws {
        try await withTemporaryDirectory { path in
            let monitor = try PlugMonitor(socket: nil, folder: try FolderWatch(path))
            for step in 0..<4 {
                switch step {
                case 0: try Self.touch(path + "/video0")
                case 1:
                    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + "/video0")
                case 2: try FileManager.default.moveItem(atPath: path + "/video0", toPath: path + "/video1")
                default: try FileManager.default.removeItem(atPath: path + "/video1")
                }
                try Self.touch(path + "/tty\(step)")
                let wanted: Set<String> = step == 2 ? ["video0", "video1"] : [step == 3 ? "video1" : "video0"]
                #expect(try await Self.hear(wanted, from: monitor) == wanted)
            }
        }
    }

    @Test func `both mouths are heard by one listener`() async throws {
        try await withTemporaryDirectory { path in
            let mouth = try Mouth()
            let monitor = try PlugMonitor(socket: mouth.socket(), folder: try FolderWatch(path))
            let listening = Task { try await Self.hear(["video0", "v4l-subdev2"], from: monitor) }
            try mouth.say(Samples.kernel("add", "video0"))
            try Self.touch(path + "/v4l-subdev2")
            #expect(try await listening.value == ["video0", "v4l-subdev2"])
        }
    }

    @Test func `a listener that gives up loses nothing`() async throws {
        let mouth = try Mouth()
        let monitor = try PlugMonitor(socket: mouth.socket(), folder: nil)
        for round in 0..<50 {
            let listening = Task { try await monitor.next() }
            if round.isMultiple(of: 2) { await Task.yield() }
            listening.cancel()
            await #expect(throws: CancellationError.self) { try await listening.value }
            try mouth.say(Samples.kernel("add", "video\(round)"))
            #expect(try await monitor.next().nodes == ["video\(round)"])
        }
    }

    @Test func `changes of nodes that inotify has no room for make the news incomplete`() async throws {
        let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let room = Int(text.split(separator: "\n").first ?? "") ?? 0
        guard (1...100_000).contains(room) else {
            try Test.cancel("the queue is too long to fill")
        }
        try await withTemporaryDirectory { path in
            let monitor = try PlugMonitor(socket: nil, folder: try FolderWatch(path))
            // Each makes two events, and no two alike are next to each other, which the kernel would make one.
            for _ in 0..<room / 2 + 1_000 {
                try Self.touch(path + "/video0")
                try FileManager.default.removeItem(atPath: path + "/video0")
            }
            var isIncomplete = false
            while !isIncomplete { isIncomplete = try await monitor.next().isIncomplete }
            try Self.touch(path + "/video9")
            #expect(try await Self.hear(["video9"], from: monitor).contains("video9"))
        }
    }

    @Test func `more nodes than are remembered make the news incomplete`() {
        var news = PlugNews(since: BootInstant(nanoseconds: 0))
        for number in 0..<256 { news.add("video\(number)") }
        #expect(!news.isIncomplete)
        news.add("video0")
        #expect(!news.isIncomplete)
        news.add("video256")
        #expect(news.isIncomplete)
        #expect(news.nodes.count == 256)
    }

    @Test func `a folder that goes is told once, and the other mouth is still heard`() async throws {
        try await withTemporaryDirectory { path in
            let folder = path + "/dev"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let mouth = try Mouth()
            let monitor = try PlugMonitor(socket: mouth.socket(), folder: try FolderWatch(folder))
            try FileManager.default.removeItem(atPath: folder)
            #expect(try await monitor.next().isIncomplete)
            try mouth.say(Samples.kernel("add", "video0"))
            let news = try await monitor.next()
            #expect(news.nodes == ["video0"])
            #expect(!news.isIncomplete)
        }
    }

    @Test func `without any mouth it waits, and ends when it is told to`() async throws {
        let monitor = try PlugMonitor(socket: nil, folder: nil)
        let listening = Task { try await monitor.next() }
        await Task.yield()
        listening.cancel()
        await #expect(throws: CancellationError.self) { try await listening.value }
    }

    @Test func `this machine has at least one mouth`() async throws {
        let (monitor, missing) = PlugMonitor.machine()
        #expect(monitor != nil)
        #expect(missing.count < 2, "\(missing)")
    }

    @Test func `a folder that is not there can not be watched`() {
        let error = #expect(throws: FilesError.self) { _ = try FolderWatch("/no/such/folder") }
        #expect(error?.code == .notFound)
    }
}
