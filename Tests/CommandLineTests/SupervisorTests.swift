import EventLoop
import Files
import Glibc
import MessageSchema
import Synchronization
import TestSupport
import Testing

@testable import CommandLineService

@Suite("Folders and starts of a cluster", .serialized, .timeLimit(.minutes(1)))
struct SupervisorTests {
    @Test func `when one executable is missing, none of those behind it is started`() async throws {
        try await withTemporaryDirectory { path in
            // The coordinator is the first and is not there.
            for service in ServiceName.allCases where service != .coordinator {
                let file = try FileDescriptor(
                    opening: "\(path)/\(service.executable)",
                    [.write, .create],
                    permissions: 0o755
                )
                try file.writeAll(Array("#!/bin/sh\nsleep 30\n".utf8))
            }
            let options = ClusterOptions(data: path + "/data", runtime: path + "/run")
            let reports = Mutex<[SupervisorMachine.Line]>([])
            let supervisor = Supervisor(
                options,
                folders: try ClusterFolders(options),
                executables: path,
                loop: EventLoop(name: "supervisor")
            ) { report in
                if case .line(_, let line) = report { reports.withLock { $0.append(line) } }
            }
            try await supervisor.start()
            #expect(await supervisor.waitUntilFinished() == 69)
            #expect(reports.withLock { lines in lines.allSatisfy { $0.pid == nil } })
        }
    }

    @Test func `a log file that is a link, or has another name, too, is not written`() throws {
        try withTemporaryDirectory { path, directory in
            let options = ClusterOptions(data: path + "/data", runtime: path + "/run")
            let logs = LogFiles(try ClusterFolders(options), at: path + "/data/log")
            try directory.writeAtomically(Array("target".utf8), to: "target")
            makeSymbolicLink(at: path + "/data/log/library.log", to: path + "/target")
            try #require(unsafe link(path + "/target", path + "/data/log/capture.log") == 0)
            try #require(unsafe mkfifo(path + "/data/log/exporter.log", 0o600) == 0)
            for service in [ServiceName.library, .capture] {
                let error = #expect(throws: ClusterError.self) { _ = try logs.open(service) }
                #expect(error?.code == .notPermitted)
                #expect(throws: ClusterError.self) { try logs.rotate(service) }
            }
            #expect(throws: ClusterError.self) { _ = try logs.open(.exporter) }
            #expect(try directory.read("target", limit: 99) == Array("target".utf8))
        }
    }

    @Test func `folders inside that are links are refused`() throws {
        for name in ["data/log", "run/notify", "run/keys"] {
            try withTemporaryDirectory { path, directory in
                for folder in ["data", "run", "elsewhere"] { try directory.createDirectory(folder) }
                makeSymbolicLink(at: "\(path)/\(name)", to: path + "/elsewhere")
                let error = #expect(throws: ClusterError.self) {
                    _ = try ClusterFolders(ClusterOptions(data: path + "/data", runtime: path + "/run"))
                }
                #expect(error?.code == .notPermitted, "\(name)")
                #expect(error?.description.contains("symbolic link") == true)
            }
        }
    }

    @Test func `a log that has grown too large is put aside, and its writer writes on`() throws {
        try withTemporaryDirectory { path, directory in
            let options = ClusterOptions(data: path + "/data", runtime: path + "/run")
            let logs = LogFiles(try ClusterFolders(options), at: path + "/data/log", limit: 1_000)
            let writer = try logs.open(.library)
            let inner = try directory.openDirectory("data/log")
            for round in 0..<3 {
                let lines = [UInt8](repeating: UInt8(ascii: "a") + UInt8(round), count: 1_001)
                try writer.writeAll(lines)
                #expect(try logs.rotate(.library))
                #expect(try inner.status(of: "library.log")?.size == 0)
                #expect(try inner.read("library.log.1", limit: 9_999) == lines)
            }
            try writer.writeAll(Array("next".utf8))
            #expect(try !logs.rotate(.library))
            #expect(try inner.read("library.log", limit: 99) == Array("next".utf8))
            #expect(try inner.entries().map(\.name) == ["library.log", "library.log.1", "up.lock"])
        }
    }

    @Test func `a second cluster on the same runtime directory is refused`() throws {
        try withTemporaryDirectory { path, _ in
            let options = ClusterOptions(data: path + "/data", runtime: path + "/run")
            let first = try ClusterFolders(options)
            let error = #expect(throws: ClusterError.self) { _ = try ClusterFolders(options) }
            #expect(error?.code == .alreadyRunning)
            _ = first.identity
        }
    }
}
