import Foundation

/// Films that are being taken, and films that were.
extension Cluster {
    private struct Progress: Decodable {
        var type: String
        var duration: Double?
    }

    /// Waits until a `record --json --progress` has told of so many seconds of film.
    func filmed(_ seconds: Double, by film: Program) async throws {
        try await eventually("\(seconds) seconds of film") {
            let text = try String(contentsOfFile: film.output, encoding: .utf8)
            let told = text.split(separator: "\n").compactMap { line in
                // The last line may be half written.
                try? JSONDecoder().decode(Progress.self, from: Data(line.utf8))
            }
            guard film.isRunning else { throw Missing(what: "a film that goes on: \(text)") }
            return told.contains { ($0.duration ?? 0) >= seconds }
        }
    }

    /// What the library has, when that is one asset.
    func onlyAsset() async throws -> AssetLine? {
        let assets = try await obscura("library", "list", "--json").objects(AssetLine.self)
        return assets.count == 1 ? assets.first : nil
    }

    /// The frames that a player finds in a film, without an error.
    func framesPlayed(of url: String) async throws -> Int {
        let copy = "\(folder)/film-\(UInt32.random(in: 0...UInt32.max)).mov"
        let read = try await obscura("library", "read", url, "--output", copy)
        guard read.status == 0 else { throw Missing(what: "the film \(url): \(read.errors)") }
        let frames = try await Self.run(
            [
                "/usr/bin/ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                "stream=nb_read_frames", "-of", "csv=p=0", copy,
            ],
            in: self
        )
        guard frames.status == 0, frames.errors.isEmpty else {
            throw Missing(what: "a film that plays: \(frames.errors)")
        }
        return Int(frames.lines.first?.filter(\.isNumber) ?? "") ?? 0
    }
}
