import Foundation
import ObscuraClient

/// The recipes of the cookbook's chapter on cameras and the photo library, as programs on ``ObscuraClient``.
@main
enum Main {
    static func main() async {
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) async -> Int32 {
        do {
            let cluster = try ObscuraCluster(options: .init(purpose: "A recipe of the cookbook"))
            switch (arguments.first, arguments.dropFirst().first, arguments.count) {
            case ("13.1", nil, 1):
                await MachineReport(camera: Camera(of: cluster)).run()
            case ("13.1", let mediaType?, 2):
                await MachineReport(camera: Camera(of: cluster)).run(about: mediaType)
            case ("13.5", let film?, 2):
                try await VideoSaving(library: AssetsLibrary(of: cluster)).run(film)
            case ("13.7", let folder?, 2):
                try await FirstAssets(library: AssetsLibrary(of: cluster)).run(writingTo: folder)
            default:
                say("usage: cookbook 13.1 [MEDIA-TYPE] | 13.5 FILM | 13.7 FOLDER", to: .standardError)
                return 64
            }
            return 0
        } catch {
            say("\(error)", to: .standardError)
            return 1
        }
    }

    /// Writes a line.
    static func say(_ line: String, to file: FileHandle = .standardOutput) {
        file.write(Data((line + "\n").utf8))
    }
}
