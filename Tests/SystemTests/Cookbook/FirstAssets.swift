import Foundation
import ObscuraClient

/// 13.7: the first photo as a picture, and the first film in chunks of 1,024 bytes to Temp.MOV.
struct FirstAssets {
    let library: AssetsLibrary

    func run(writingTo folder: String) async throws {
        let groups: [AssetsGroup]
        do {
            groups = try await library.groups()
        } catch let error as ObscuraError {
            Main.say("Failed to enumerate the asset groups.")
            throw error
        }
        if let photo = try await first(.photo, in: groups) {
            Main.say("This is a photo asset")
            await show(photo.defaultRepresentation)
        }
        if let film = try await first(.video, in: groups) {
            Main.say("This is a video asset")
            Main.say("Video URL = \(try await write(film.defaultRepresentation, to: folder))")
        }
    }

    /// One loop inside another; leaving the outer one takes a return here, and took a flag in the book.
    private func first(_ type: AssetType, in groups: [AssetsGroup]) async throws -> Asset? {
        for group in groups {
            for try await asset in library.assets(in: group) where asset.type == type { return asset }
        }
        return nil
    }

    private func show(_ picture: AssetRepresentation) async {
        do {
            let bytes = try await picture.readBytes(from: 0, count: Int(picture.size))
            let size = picture.dimensions
            Main.say(
                "Image = \(bytes.count) bytes, \(size.width) x \(size.height), scale \(picture.scale), "
                    + "orientation \(picture.orientation)"
            )
        } catch {
            Main.say("Failed to create the image.")
        }
    }

    /// Writes a film to a new file, which takes its name when it is complete.
    ///
    /// The book appends to whatever Temp.MOV there was, and takes an error for the end.
    private func write(_ film: AssetRepresentation, to folder: String) async throws -> String {
        let target = URL(fileURLWithPath: folder).appendingPathComponent("Temp.MOV")
        let partial = target.appendingPathExtension("partial")
        try Data().write(to: partial)
        let file = try FileHandle(forWritingTo: partial)
        var offset: Int64 = 0
        while true {
            let chunk = try await film.readBytes(from: offset, count: 1_024)
            if chunk.isEmpty { break }
            try file.write(contentsOf: Data(chunk))
            offset += Int64(chunk.count)
        }
        try file.close()
        _ = try? FileManager.default.removeItem(at: target)
        try FileManager.default.moveItem(at: partial, to: target)
        return target.path
    }
}
