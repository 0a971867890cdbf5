import Foundation
import Glibc

/// What a program did: its exit status and all it wrote.
struct Outcome: Sendable {
    /// The exit status; 128 and the signal's number when a signal ended it.
    var status: Int32
    var output: String
    var errors: String

    /// The lines of the output that are not empty.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The output's only JSON object.
    func object<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(type, from: Data(output.utf8))
    }

    /// The objects of an output with one a line.
    func objects<T: Decodable>(_ type: T.Type = T.self) throws -> [T] {
        try lines.map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    /// The error on standard error, of a command that was told `--json`.
    func error() throws -> ErrorLine.Fields {
        let last = errors.split(separator: "\n").last { $0.hasPrefix("{\"error\"") }
        guard let last else { throw Missing(what: "an error in JSON on standard error, which is: \(errors)") }
        return try JSONDecoder().decode(ErrorLine.self, from: Data(last.utf8)).error
    }
}

/// Something a test can not go on without.
struct Missing: Error, CustomStringConvertible {
    var what: String
    var description: String { "missing: \(what)" }
}

/// A program that runs, its output going to files of its own.
final class Program: Sendable {
    let output: String
    let errors: String
    private let process: Process
    private let ended: AsyncStream<Void>

    /// The process; its own group's leader is whoever started the tests.
    var pid: Int32 { process.processIdentifier }

    init(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String],
        directory: String,
        input: FileHandle = .nullDevice
    ) throws {
        let name = "\(directory)/\(UUID().uuidString)"
        output = name + ".out"
        errors = name + ".err"
        process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.standardInput = input
        for path in [output, errors] where !FileManager.default.createFile(atPath: path, contents: nil) {
            throw Missing(what: "room for \(path)")
        }
        let files = try [output, errors].map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
        process.standardOutput = files[0]
        process.standardError = files[1]
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        ended = stream
        process.terminationHandler = { _ in continuation.finish() }
        // The child has its own; with more than a thousand open here, Foundation reads past its list of descriptors.
        defer { for file in files { try? file.close() } }
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    func send(_ signal: Int32) {
        if process.isRunning { kill(pid, signal) }
    }

    /// Waits for the end; one task may.
    func outcome() async -> Outcome {
        for await _ in ended {}
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Outcome(status: status, output: text(output), errors: text(errors))
    }

    private func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}

/// Asks again until the answer is yes; the limit is a hang guard.
func eventually(
    _ what: String,
    within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async throws {
    let start = ContinuousClock.now
    while try await !condition() {
        guard ContinuousClock.now - start < limit else { throw Missing(what: what) }
        // Another process is waited for, and it does not tell us.
        try await Task.sleep(for: .milliseconds(50))
    }
}
