import Foundation
import TestSupport
import Testing

/// The built executable as a process, where the rest of the suite runs the same code in this one.
@Suite(.timeLimit(.minutes(1)))
struct `The executable` {
    private static let folder: String = {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: own).deletingLastPathComponent().path
    }()

    /// Starts it; what it says on standard error is its first sign of life.
    private func start(_ arguments: [String], of name: String = "obscura", output: Pipe? = nil) throws
        -> (process: Process, errors: Pipe)
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "\(Self.folder)/\(name)")
        process.arguments = arguments
        process.environment = ["OBSCURA_RUNTIME": "/no/such/cluster"]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = output ?? FileHandle.nullDevice
        try process.run()
        // A hang guard: what does not end by itself in twenty seconds fails the test by its status.
        let pid = process.processIdentifier
        Task {
            try await Task.sleep(for: .seconds(20))
            if process.isRunning { kill(pid, SIGKILL) }
        }
        return (process, errors)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `ends with 130 and a word when it is interrupted`(signal: Int32) async throws {
        let (process, errors) = try start(["status", "--wait", "50"])
        // Its block of the signal is what shows in /proc, so nothing is sent before that.
        let mask: UInt64 = 1 << (SIGINT - 1) | 1 << (signal - 1)
        while blocked(by: process.processIdentifier) & mask != mask { try await turn() }
        kill(process.processIdentifier, signal)
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        #expect(String(decoding: said, as: UTF8.self).hasPrefix("Error Domain=Obscura Code=cancelled"))
    }

    @Test func `says at once that there is no cluster`() throws {
        let (process, errors) = try start(["cameras", "list", "--json"])
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 69)
        #expect(String(decoding: said, as: UTF8.self).hasPrefix(#"{"error":{"cause":"notConnected""#))
    }

    @Test(
        arguments: [
            "obscura", "obscura-coordinator", "obscura-probe", "obscura-capture", "obscura-library",
            "obscura-exporter", "obscura-decoder",
        ]
    )
    func `tells about itself`(name: String) throws {
        let output = Pipe()
        let (process, errors) = try start(["--help"], of: name, output: output)
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        #expect(said.hasPrefix("usage: \(name) ") || said.hasPrefix("usage: \(name)\n"), "\(said)")
        #expect(said.contains("--help"))
    }

    /// The signals that all threads of a process block (proc(5), `SigBlk`).
    private func blocked(by pid: Int32) -> UInt64 {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        let masks = tasks.map { task -> UInt64 in
            let status = FileManager.default.contents(atPath: "/proc/\(pid)/task/\(task)/status") ?? Data()
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
            return line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
        }
        return masks.count > 1 ? masks.reduce(.max) { $0 & $1 } : 0
    }
}
