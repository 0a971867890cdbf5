import Testing

@testable import ServiceRuntime

@Suite("Settings", .timeLimit(.minutes(1)))
struct SettingsTests {
    private struct NoFile: Error {}
    private let declared = [
        Setting("log-level", "LEVEL", "how much is logged", fallback: "info"),
        Setting("roots", "DIR", "where exports may go"),
        Setting("open-files", "N", "descriptors", fallback: "64"),
        Setting("config", "FILE", "settings"),
    ]

    private func settings(
        _ arguments: [String],
        environment: [String: String] = [:],
        file: String? = nil
    ) throws -> Settings {
        try Settings(declared, arguments: arguments, environment: environment) { _ in
            guard let file else { throw NoFile() }
            return Array(file.utf8)
        }
    }

    @Test func `a flag beats the environment, which beats the file, which beats the default`() throws {
        let file = #"{"log-level": "trace", "roots": ["/a", "/b"], "open-files": 128}"#
        let environment = ["OBSCURA_CONFIG": "f", "OBSCURA_LOG_LEVEL": "debug"]
        let all = try settings(["--log-level", "error"], environment: environment, file: file)
        #expect(all["log-level"] == "error")
        #expect(all.origin(of: "log-level") == .flag)
        #expect(all["roots"] == "/a:/b")
        #expect(try all.number("open-files", in: 1...1_000) == 128)

        let without = try settings([], environment: environment, file: file)
        #expect(without["log-level"] == "debug")
        #expect(try settings(["--config=f"], file: file)["log-level"] == "trace")
        #expect(try settings([]).origin(of: "log-level") == .fallback)
    }

    @Test(arguments: [["--nonsense", "1"], ["--log-level"], ["stray"]])
    func `what is not known is refused`(arguments: [String]) {
        #expect(throws: SettingsError.self) { try settings(arguments) }
    }

    @Test(arguments: ["", "[]", #"{"nonsense": 1}"#, #"{"roots": {}}"#])
    func `a file of another shape is refused`(file: String) {
        let error = #expect(throws: SettingsError.self) { try settings(["--config", "f"], file: file) }
        #expect(error.map { StartFailure($0).code } == 65)
    }

    @Test func `a file may say what is for another service, which is passed over`() throws {
        let file = #"{"export-roots": ["/srv/a", "/srv/b"], "media": "/m", "roots": "/r"}"#
        let settings = try settings(["--config", "f"], file: file)
        #expect(settings["roots"] == "/r")
        #expect(settings["export-roots"] == nil && settings["media"] == nil)
    }

    @Test func `a file that can not be read is the caller's error`() {
        #expect(throws: NoFile.self) { try settings(["--config", "f"]) }
    }

    @Test(arguments: ["0", "1001", "many", ""])
    func `a number is checked against its range`(text: String) throws {
        let settings = try settings(["--open-files", text])
        let error = #expect(throws: SettingsError.self) { try settings.number("open-files", in: 1...1_000) }
        #expect(error.map { StartFailure($0).code } == 64)
    }

    @Test func `a number in the file that can not be is bad data, and no wrong flag`() throws {
        let settings = try settings(["--config", "f"], file: #"{"open-files": 1001}"#)
        let error = #expect(throws: SettingsError.self) { try settings.number("open-files", in: 1...1_000) }
        #expect(error.map { StartFailure($0).code } == 65)
        #expect(error?.description == #""open-files" in the configuration file: 1001 is not a number from 1 to 1000"#)
    }
}
