import Foundation
import Glibc
import ObscuraClient

/// The recipes of the cookbook's chapter on cameras and the photo library, as programs that write lines.
enum Recipes {
    /// 13.1: what the cameras of this machine can do.
    static func reportOfTheMachine(_ camera: Camera) async -> [String] {
        var lines: [String] = []
        lines.append(await camera.isAvailable() ? "Camera is available." : "Camera is not available.")
        for (device, name) in [(CameraDevice.front, "front"), (.rear, "rear")] {
            guard await camera.isAvailable(device) else {
                lines.append("The \(name) camera is not available.")
                continue
            }
            lines.append("The \(name) camera is available.")
            let hasFlash = await camera.hasFlash(device)
            lines.append("The \(name) camera is \(hasFlash ? "equipped" : "not equipped") with a flash")
        }
        let takesPhotos = await camera.supports(.image, from: .camera)
        lines.append(takesPhotos ? "The camera supports taking photos." : "The camera does not support taking photos")
        let films = await camera.supports(.movie, from: .camera)
        lines.append(films ? "The camera supports shooting videos." : "The camera does not support shooting videos.")
        return lines
    }

    /// 13.5: a video goes into the library, and its URL comes back; or the error does.
    static func saveVideo(at path: String, in library: AssetsLibrary) async throws -> (
        url: String?, error: ObscuraError?
    ) {
        do {
            return (try await library.saveVideo(at: URL(fileURLWithPath: path)).url, nil)
        } catch let error as ObscuraError {
            return (nil, error)
        }
    }

    /// 13.7, the first half: the first photo that any group has, as the bytes of its picture.
    static func firstPhoto(in library: AssetsLibrary) async throws -> (
        line: String, bytes: [UInt8], orientation: AssetOrientation
    )? {
        for group in try await library.groups() {
            for try await asset in library.assets(in: group) where asset.type == .photo {
                let picture = asset.defaultRepresentation
                let bytes = try await picture.readBytes(from: 0, count: Int(picture.size))
                return ("This is a photo asset", bytes, picture.orientation)
            }
        }
        return nil
    }

    /// 13.7, the second half: the first video, in chunks of 1,024 bytes, to Temp.MOV.
    ///
    /// The book appends to whatever Temp.MOV there was, and takes an error for the end. Here the file is new, and takes
    /// its name when it is complete.
    static func firstVideo(in library: AssetsLibrary, to folder: String) async throws -> (
        line: String, path: String, asset: Asset
    )? {
        for group in try await library.groups() {
            for try await asset in library.assets(in: group) where asset.type == .video {
                let film = asset.defaultRepresentation
                let path = folder + "/Temp.MOV"
                let partial = path + ".partial"
                guard FileManager.default.createFile(atPath: partial, contents: nil),
                    let file = FileHandle(forWritingAtPath: partial)
                else { throw Missing(what: "room for \(partial)") }
                var offset: Int64 = 0
                while true {
                    let chunk = try await film.readBytes(from: offset, count: 1_024)
                    if chunk.isEmpty { break }
                    try file.write(contentsOf: Data(chunk))
                    offset += Int64(chunk.count)
                }
                try file.close()
                guard unsafe rename(partial, path) == 0 else { throw Missing(what: "the name \(path)") }
                return ("This is a video asset", path, asset)
            }
        }
        return nil
    }
}
