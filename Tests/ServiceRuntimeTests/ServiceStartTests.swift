import Files
import Glibc
import MessageSchema
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("The start of a service", .timeLimit(.minutes(1)))
struct ServiceStartTests {
    @Test(arguments: [(UInt32(0o700), true), (0o755, true), (0o775, false), (0o777, false), (0o1777, false)])
    func `a folder that others can write into is no place to serve in`(mode: UInt32, isSafe: Bool) throws {
        try withTemporaryDirectory { path, directory in
            try #require(unsafe chmod(path, mode) == 0)
            var error: ErrorReply?
            do { try ServiceStart.checkOwner(of: directory, path) } catch let refusal as ErrorReply { error = refusal }
            #expect((error == nil) == isSafe)
            if !isSafe { #expect(StartFailure(try #require(error)).code == 73) }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give a folder away"))
    func `a folder of another user is no place to serve in`() throws {
        try withTemporaryDirectory { path, directory in
            try #require(unsafe chown(path, 65_534, 65_534) == 0)
            #expect(throws: ErrorReply.self) { try ServiceStart.checkOwner(of: directory, path) }
            try #require(unsafe chown(path, 0, 0) == 0)
            try ServiceStart.checkOwner(of: directory, path)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only for root"))
    func `root runs no service of a system deployment`() throws {
        try withTemporaryDirectory { path, _ in
            let arguments = ["--data", path + "/data", "--runtime", path + "/run", "--deployment", "system"]
            let error = #expect(throws: SettingsError.self) {
                _ = try ServiceStart(name: .probe, declared: Setting.common, arguments: arguments)
            }
            #expect(error?.code == .badValue)
        }
    }
}
