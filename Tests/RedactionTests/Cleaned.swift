import Containers
import Foundation
import MessageSchema
import Redaction
import TestSupport

/// A file and what a profile leaves of it.
struct Cleaned {
    let name: String
    let original: [UInt8]
    let bytes: [UInt8]

    init(_ name: String, _ original: [UInt8], _ profile: PrivacyProfile) throws {
        self.name = name
        self.original = original
        let source = RandomAccessBytes(original)
        let type = FileType(recognising: source)
        let redaction = try Redactor.redaction(of: source, type: type, profile: profile)
        bytes = redaction.bytes(at: 0, count: Int(redaction.byteCount), from: source)
    }
}

/// What exiftool says: values by group and name.
typealias Tags = [String: String]

extension Tool {
    /// All tags of files, also of those in tracks of films, by the files' names.
    static func tags(of files: [(name: String, bytes: [UInt8])]) throws -> [String: Tags] {
        try inTemporaryDirectory { place in
            for file in files { try Data(file.bytes).write(to: place.appending(path: file.name)) }
            let output = try run("exiftool", ["-a", "-G1", "-s", "-ee", "-u", "-r", "."], in: place.path)
            var found: [String: Tags] = [:]
            var name = ""
            for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
                if line.hasPrefix("======== ") {
                    name = String(line.dropFirst("======== ./".count))
                } else if line.hasPrefix("["), let close = line.firstIndex(of: "]"),
                    let colon = line.firstIndex(of: ":")
                {
                    let group = line[line.index(after: line.startIndex)..<close]
                    let tag = line[line.index(after: close)..<colon].trimmingCharacters(in: .whitespaces)
                    let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                    found[name.isEmpty ? files.first?.name ?? "" : name, default: [:]]["\(group):\(tag)"] = value
                }
            }
            return found
        }
    }

    /// The file after exiftool wrote tags into it.
    static func tagged(_ name: String, _ bytes: [UInt8], _ arguments: [String]) throws -> [UInt8] {
        try inTemporaryDirectory { place in
            let file = place.appending(path: name)
            try Data(bytes).write(to: file)
            _ = try run("exiftool", ["-q", "-overwrite_original", "-m"] + arguments + [name], in: place.path)
            return Array(try Data(contentsOf: file))
        }
    }

    /// The hash of each decoded picture and of the sound; nil where ffmpeg decodes none.
    static func frames(_ name: String, _ bytes: [UInt8]) throws -> String? {
        try inTemporaryDirectory { place in
            let file = place.appending(path: name)
            try Data(bytes).write(to: file)
            let arguments = [
                "-v", "quiet", "-noautorotate", "-i", name, "-map", "0:v?", "-map", "0:a?", "-fps_mode", "passthrough",
                "-f", "streamhash", "-",
            ]
            let text = String(decoding: try run("ffmpeg", arguments, in: place.path), as: UTF8.self)
            return text.isEmpty ? nil : text
        }
    }
}

extension Tags {
    /// Those that say where it was made.
    var places: Tags {
        filter { key, value in
            let words = [
                "GPS", "City", "Location", "Country", "State", "Province", "Coordinates", "Latitude", "Longitude",
            ]
            let group = key.split(separator: ":").first.map { String($0) } ?? ""
            return words.contains { key.contains($0) } && !["System", "ICC-meas", "ExifTool"].contains(group)
                && !key.hasSuffix(":SubjectLocation") && !key.contains("StateOf")
        }
    }

    /// Those that say anything about who, when and with what.
    var traces: Tags {
        filter { key, value in
            let words = [
                "Serial", "Owner", "Artist", "Copyright", "Creator", "Make", "Model", "Software", "Date", "Comment",
                "Description", "Thumbnail", "Author", "Title", "Keywords", "Lens", "UniqueID", "Time",
            ]
            let harmless = ["System", "ExifTool", "File", "ICC_Profile", "ICC-header", "ICC-meas", "ICC-view"]
            let group = key.split(separator: ":").first.map { String($0) } ?? ""
            if ["XMP", "IPTC", "Photoshop", "MPF", "Keys", "ItemList", "UserData", "GPS"].contains(where: {
                group.hasPrefix($0)
            }) {
                return true
            }
            let isClock =
                value.hasPrefix("0000:00:00") || key.contains("TimeScale") || key.contains("TimeCode")
                || key.contains("Time") && !key.contains("Date") && ["QuickTime", "GIF", "PNG"].contains(group)
                || group.hasPrefix("Track") && !key.contains("Date")
            return !harmless.contains(group) && words.contains { key.contains($0) } && !isClock
                // What exiftool makes of the picture itself, and what a raw picture is developed by.
                && !key.contains("UniqueCameraModel") && !key.contains("LocalizedCameraModel")
                && !key.hasSuffix(":ThumbnailTIFF")
        }
    }
}
