private import Files
import MessageSchema
private import ServiceRuntime
private import Timekeeping

/// The demo's chapter five: the copies go out, and are verified.
struct DemoExport: Sendable {
    let context: CommandContext
    let narrator: DemoNarrator
    let cluster: any Cluster

    /// A new folder of this user.
    func standardDestination() throws -> String {
        guard let data = StandardDirectories.data(context.user) else {
            throw ErrorReply.usage("No place for the copies", "this user has no home directory", "give --to DIR")
        }
        let stamp = Timestamp.now().description.filter { $0.isNumber }.prefix(14)
        return "\(data)/demo/\(stamp)"
    }

    /// Refuses a folder that the copies can not go to, before anything is taken; leaves it as it was.
    static func check(_ destination: String) async throws {
        let bag = OwnBag(path: ExportCommand.absolute(destination), privacy: .none)
        do {
            _ = try await bag.open()
        } catch {
            _ = await bag.close()
            throw error
        }
        _ = await bag.close()
    }

    /// Copies the assets and verifies the bag.
    func export(_ assets: [Asset], to destination: String) async throws -> DemoResult {
        narrator.chapter(5, "Copies go out, chunk by chunk, verified, with a manifest")
        var rules = CallRules(timeout: nil)
        rules.purpose = DemoStory.purpose
        let export = OwnExport(
            cluster: cluster,
            selection: ExportSelection(assets: assets.map(\.url)),
            privacy: nil,
            destination: ExportCommand.absolute(destination)
        )
        let outcome = try await export.run(rules) { files, bytes in
            narrator.say("\(CountText.of(files, "file")), \(ByteText.of(bytes)) copied")
        }
        for failure in outcome.failures { narrator.say("failed: \(failure.url) \(failure.reason)") }
        let problems = try VerifyExportCommand.problems(in: outcome.destination)
        narrator.say(problems == 0 ? "every byte verified against the manifest" : CountText.of(problems, "problem"))
        return DemoResult(
            job: outcome.job,
            destination: outcome.destination,
            files: outcome.files,
            bytes: outcome.bytes,
            copied: outcome.copied,
            skipped: outcome.skipped,
            failed: outcome.failures.count + problems,
            verified: outcome.verified
        )
    }
}
