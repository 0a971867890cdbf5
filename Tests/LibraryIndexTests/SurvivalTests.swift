import Files
import Foundation
import Glibc
import LibraryIndexService
import Media
import MessageSchema
import SQLite
import TestSupport
import Testing

/// Whatever fails or dies at whatever step: index and store agree, and what was acknowledged is there.
@Suite(.tags(.system, .slow), .timeLimit(.minutes(10)), .serialized)
struct SurvivalTests {
    @Test func `a failure of any file operation leaves no half asset`() async throws {
        try await withTemporaryDirectory { path in
            var step = 1
            var saved = 0
            while true {
                let library = try await TestLibrary.open(path)
                let bytes = try TestLibrary.picture(UInt8(truncatingIfNeeded: step))
                let faults = FileFaults(at: step, .failOnce(EIO))
                let succeeded = await FileFaults.$current.withValue(faults) {
                    do {
                        _ = try await library.save(bytes)
                        return true
                    } catch {
                        return false
                    }
                }
                if succeeded { saved += 1 }
                #expect(try await library.all().count == saved)
                await library.close()
                try await expectAgreement(path, assets: saved)
                if !faults.isReached { break }
                step += 1
                try #require(step < 200)
            }
            #expect(step > 12)
        }
    }

    @Test func `a kill before any file operation loses nothing that was acknowledged`() async throws {
        try await withTemporaryDirectory { path in
            var step = 1
            var saved = 0
            while true {
                await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, step = step as Int] in
                    let library = try await TestLibrary.open(path)
                    let bytes = try TestLibrary.picture(UInt8(truncatingIfNeeded: step))
                    let faults = FileFaults(at: step, .kill)
                    _ = try await FileFaults.$current.withValue(faults) { try await library.save(bytes) }
                    try Data().write(to: URL(filePath: "\(path)/acknowledged-\(step)"))
                    raise(SIGKILL)
                }
                let isAcknowledged = FileManager.default.fileExists(atPath: "\(path)/acknowledged-\(step)")
                let library = try await TestLibrary.open(path)
                let count = try await library.all().count
                await library.close()
                // A commit may have happened before the kill that came after it; never the other way round.
                #expect(count == saved || count == saved + 1)
                if isAcknowledged { #expect(count == saved + 1) }
                saved = count
                try await expectAgreement(path, assets: saved)
                if isAcknowledged, step > 12 { break }
                step += 1
                try #require(step < 100)
            }
        }
    }

    @Test func `a lost mount is refused and not filled again`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            _ = try await library.save(try TestLibrary.picture())
            await library.close()
            try FileManager.default.moveItem(atPath: "\(path)/store", toPath: "\(path)/away")
            let code1 = await refusal { _ = try await TestLibrary.open(path) }
            #expect(code1 == .storeLost)
            try FileManager.default.removeItem(atPath: "\(path)/store")
            try FileManager.default.moveItem(atPath: "\(path)/away", toPath: "\(path)/store")
            let again = try await opened(path)
            #expect(try await again.all().count == 1)
        }
    }

    @Test func `a second library on the same folder is refused and the first is unharmed`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let error = await #expect(throws: SQLiteError.self) { _ = try await TestLibrary.open(path) }
            #expect(error?.code == .inUse(processID: getpid()))
            #expect(try await library.save(try TestLibrary.picture()).state == .ok)
        }
    }

    @Test func `an index of a newer release is refused`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            await library.close()
            try Connection(opening: "\(path)/library/library.sqlite").execute("PRAGMA user_version = 99")
            let error = await #expect(throws: SQLiteError.self) { _ = try await TestLibrary.open(path) }
            #expect(error.flatMap { ErrorReply.library($0)?.code } == .databaseTooNew)
        }
    }

    /// A refused opening lets go of the index soon, when its actors are gone.
    private func opened(_ path: String) async throws -> Library {
        _ = try FileLock.waiting(for: .seconds(20), "library.sqlite.lock", in: Directory(opening: "\(path)/library"))
        return try await TestLibrary.open(path)
    }

    private func expectAgreement(_ path: String, assets: Int) async throws {
        let library = try await TestLibrary.open(path)
        let found = try await library.verify()
        #expect(found.checked == assets)
        #expect(found.damaged.isEmpty)
        #expect(found.orphans == 0)
        #expect(try Directory(opening: "\(path)/store/staging").entries().isEmpty)
        await library.close()
    }
}
