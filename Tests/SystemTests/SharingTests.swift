import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharingTests {
    private struct PictureLine: Decodable {
        var type: String
        var number: Int64
        var width: Int
        var height: Int
        var captured: Int64
        var dropped: Int64
        var bytes: Int
    }

    private struct SettingLine: Decodable {
        enum Value: Decodable, Equatable {
            case number(Int64)
            case text(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int64.self) {
                    self = .number(number)
                } else {
                    self = .text(try container.decode(String.self))
                }
            }
        }

        var name: String
        var value: Value?
    }

    private static var patterns: Cluster.Options {
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always"]
        return options
    }

    /// Starts a preview and waits for its first pictures.
    private static func preview(_ cluster: Cluster, _ more: String...) async throws -> Program {
        let preview = try cluster.start(["preview", "--camera", "pattern-back", "--json"] + more)
        try await eventually("pictures") { try pictures(preview).count >= 3 }
        return preview
    }

    private static func pictures(_ preview: Program) throws -> [PictureLine] {
        let text = String(decoding: FileManager.default.contents(atPath: preview.output) ?? Data(), as: UTF8.self)
        // The last line may be half written.
        return try text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1)
            .filter { $0.contains(#""type":"item""#) }
            .map { try JSONDecoder().decode(PictureLine.self, from: Data($0.utf8)) }
    }

    private static func setting(_ name: String, _ cluster: Cluster) async throws -> SettingLine.Value? {
        try await cluster.obscura("cameras", "controls", "pattern-back", "--json").objects(SettingLine.self)
            .first { $0.name == name }?.value
    }

    @Test func `programs share a camera: one films, others look and take a photo, and each gets its own`() async throws
    {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let film = try cluster.start(
                "record",
                "--camera",
                "pattern-back",
                "--quality",
                "640x480",
                "--duration",
                "60s",
                "--json",
                "--progress"
            )
            try await cluster.filmed(1, by: film)
            let large = try await Self.preview(cluster)
            let small = try await Self.preview(cluster, "--size", "160x120", "--rate", "5")
            let photo = try await cluster.obscura("photo", "--camera", "pattern-back", "--json")
            #expect(photo.status == 0, "\(photo.errors)")
            #expect(try Self.pictures(large).allSatisfy { $0.width == 640 && $0.height == 480 })
            #expect(try Self.pictures(small).allSatisfy { $0.width == 160 && $0.height == 120 })
            for program in [large, small, film] { program.send(SIGINT) }
            for preview in [large, small] {
                #expect(await preview.outcome().status == 130)
                let numbers = try Self.pictures(preview).map(\.number)
                #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
            }
            let filmed = await film.outcome()
            #expect(filmed.status == 130, "\(filmed.errors)")
        }
    }

    @Test func `a preview brings pictures that anybody can decode, at the size that was asked for`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let path = cluster.folder + "/frame%02d.jpg"
            let outcome = try await cluster.obscura(
                "preview",
                "--camera",
                "pattern-front",
                "--size",
                "300x300",
                "--frames",
                "4",
                "--output",
                path
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            for number in 1...4 {
                let probe = try await Cluster.run(
                    [
                        "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0",
                        "\(cluster.folder)/frame0\(number).jpg",
                    ],
                    in: cluster
                )
                #expect(probe.output == "mjpeg,300,224\n", "\(probe.errors)")
            }
        }
    }

    @Test func `a revocation ends a preview, says why, and the camera is free`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let preview = try await Self.preview(cluster, "--size", "640x480")
            let revoked = try await cluster.obscura("permissions", "revoke", "--resource", "camera/*", "--json")
            #expect(revoked.status == 0, "\(revoked.errors)")
            let outcome = await preview.outcome()
            #expect(outcome.status == 77)
            #expect(try outcome.error().code == "revoked")
            let again = try await cluster.obscura("preview", "--camera", "pattern-back", "--no-prompt", "--json")
            #expect(again.status == 77)
            #expect(again.output.isEmpty)
        }
    }

    @Test func `a viewer that stands still is let go of after its three silent seconds`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let preview = try await Self.preview(cluster, "--size", "640x480")
            kill(preview.pid, SIGSTOP)
            defer { kill(preview.pid, SIGKILL) }
            try await eventually("the end of the preview in the log") {
                let log = FileManager.default.contents(atPath: cluster.data + "/log/capture.log") ?? Data()
                return String(decoding: log, as: UTF8.self).split(separator: "\n").contains {
                    $0.contains("preview ended") && $0.contains("holderSilent")
                }
            }
            // Nobody uses it, so its settings are nobody's.
            let set = try await cluster.obscura(
                "cameras",
                "controls",
                "pattern-back",
                "--set",
                "brightness=5",
                "--json"
            )
            #expect(set.status == 75)
            #expect(try set.error().code == "notHeld")
        }
    }

    @Test func `settings are changed while one looks, and are as they were for the next`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let preview = try await Self.preview(cluster, "--size", "640x480")
            let set = try await cluster.obscura(
                "cameras",
                "controls",
                "pattern-back",
                "--set",
                "brightness=-40,color_effects=Black & White",
                "--json"
            )
            #expect(set.status == 0, "\(set.errors)")
            #expect(try await Self.setting("brightness", cluster) == .number(-40))
            let wrong = try await cluster.obscura("cameras", "controls", "pattern-back", "--set", "brightness=101")
            #expect(wrong.status == 64)
            #expect(wrong.errors.contains("from -100 to 100"), "\(wrong.errors)")
            preview.send(SIGINT)
            #expect(await preview.outcome().status == 130)
            // The command ends before the service has heard of it; who comes in between shares the camera as it is.
            try await eventually("the end of the preview in the log") {
                let log = FileManager.default.contents(atPath: cluster.data + "/log/capture.log") ?? Data()
                return String(decoding: log, as: UTF8.self).contains("preview ended")
            }
            let next = try await Self.preview(cluster, "--size", "640x480")
            #expect(try await Self.setting("brightness", cluster) == .number(0))
            #expect(try await Self.setting("color_effects", cluster) == .number(0))
            next.send(SIGINT)
            _ = await next.outcome()
        }
    }
}
