/// A file name that is safe on every file system an export may be copied to.
package struct SafeName: Hashable, Sendable {
    /// Bytes that ext4, APFS, NTFS and exFAT all take.
    package static let maximumByteCount = 255

    private static let longestExtension = 16
    private static let reserved: Set<String> = Set(
        ["CON", "PRN", "AUX", "NUL"] + (1...9).flatMap { ["COM\($0)", "LPT\($0)"] }
    )

    private let stem: String
    /// With its point; empty for none.
    private let fileExtension: String

    /// Makes a safe name of any text.
    ///
    /// Separators, control and direction characters go; what Windows or BagIt's manifests can not take becomes `_`;
    /// points and dashes at the start, points and spaces at the end go; names that Windows keeps for devices get a `_`.
    package init(_ text: String) {
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<", ">", ":", "\"", "|", "?", "*", "%", "/", "\\": cleaned.append("_")
            // The joiner of emoji is a format character that belongs to the name.
            case "\u{200D}": cleaned.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: break
                default: cleaned.append(scalar)
                }
            }
        }
        let characters = Self.trimmedAtEnd(String(cleaned).drop { $0 == "." || $0 == "-" || $0 == " " })
        let name = characters.isEmpty ? "asset" : String(characters)
        let point = name.lastIndex(of: ".")
        if let point, point != name.startIndex, name[point...].utf8.count <= Self.longestExtension,
            name[point...].dropFirst().allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        {
            stem = Self.safe(name[..<point])
            fileExtension = String(name[point...])
        } else {
            stem = Self.safe(name[...])
            fileExtension = ""
        }
    }

    /// The whole name, with `suffix` before the extension, at most 255 bytes.
    package func text(suffix: String = "") -> String {
        let room = Self.maximumByteCount - suffix.utf8.count - fileExtension.utf8.count
        // Cutting may leave a space or a point at the end of a name without an extension.
        return String(Self.trimmedAtEnd(Self.cut(stem, to: room))) + suffix + fileExtension
    }

    /// As many whole characters as there is room for; of one that is longer than all the room, its first scalars.
    private static func cut(_ stem: String, to room: Int) -> Substring {
        var count = 0
        var end = stem.startIndex
        while end < stem.endIndex {
            let width = stem[end].utf8.count
            guard count + width <= room else { break }
            count += width
            end = stem.index(after: end)
        }
        guard end == stem.startIndex, !stem.isEmpty else { return stem[..<end] }
        var scalars = String.UnicodeScalarView()
        for scalar in stem.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= room else { break }
            scalars.append(scalar)
        }
        return String(scalars)[...]
    }

    /// What names have in common that a file system may take for the same.
    ///
    /// Case is folded here; Swift's own comparison of strings is by canonical equivalence, as of NFC.
    package static func key(_ name: String) -> String { name.uppercased().lowercased() }

    private static func safe(_ stem: Substring) -> String {
        let trimmed = String(trimmedAtEnd(stem))
        // A device's name counts up to its first point: `NUL.tar.gz` is one.
        let device = trimmed.prefix { $0 != "." }
        return reserved.contains(device.uppercased()) ? device + "_" + trimmed.dropFirst(device.count) : trimmed
    }

    private static func trimmedAtEnd(_ text: Substring) -> Substring {
        var text = text
        while let last = text.last, last == "." || last == " " { text.removeLast() }
        return text
    }
}
