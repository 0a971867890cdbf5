/// How exported files are named: text with fields in braces, such as `{date:%Y/%m}/{name}`.
///
/// `/` in the text or in a date's form begins the next folder; one in a field's value does not. What comes out is any
/// text: whoever makes files of it makes each part safe. `{{` and `}}` are braces.
package struct NameTemplate: Hashable, Sendable, CustomStringConvertible {
    /// So many parts, the file's name included.
    package static let mostParts = 8
    /// A longer text is refused.
    package static let maximumByteCount = 1024
    /// What stands for a value that is not known, where the field says nothing else after `|`.
    package static let unknown = "unknown"

    /// What is wrong with a text, and where.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The character, counted from 1; one more than there are for the end.
        package let position: Int
        package let reason: String

        package var description: String { "character \(position): \(reason)" }
    }

    /// What a field takes from the asset.
    package enum Field: String, Hashable, Sendable, CaseIterable {
        /// The file's name without its extension.
        case name
        /// When it was made, by the clock where it was made.
        case date
        /// `photo` or `video`.
        case kind
        /// The camera's model.
        case camera
        /// The camera's maker.
        case make
        /// The first eight characters of the asset's identifier.
        case id
    }

    /// What is known of an asset.
    package struct Subject: Hashable, Sendable {
        package var filename: String
        package var kind: AssetKind
        package var id: String
        package var date: AssetDate?
        package var cameraMake: String?
        package var cameraModel: String?

        package init(
            filename: String,
            kind: AssetKind,
            id: String,
            date: AssetDate? = nil,
            cameraMake: String? = nil,
            cameraModel: String? = nil
        ) {
            self.filename = filename
            self.kind = kind
            self.id = id
            self.date = date
            self.cameraMake = cameraMake
            self.cameraModel = cameraModel
        }
    }

    enum Piece: Hashable, Sendable {
        case text(String)
        case folder
        case field(Field, orElse: String)
        case date([DatePiece], orElse: String)
    }

    enum DatePiece: Hashable, Sendable {
        case text(String)
        case folder
        case part(WallClockParts.Part)
    }

    /// The text it was read from.
    package let description: String
    private let pieces: [Piece]

    /// Reads a template.
    ///
    /// - Throws: `Fault`, which names the first wrong place.
    package init(_ text: String) throws(Fault) {
        var parser = NameTemplateParser(text)
        pieces = try parser.pieces()
        description = text
    }

    /// The folders and, last, the name of an asset's file, with the extension that its file has; never empty.
    package func parts(of subject: Subject) -> [String] {
        let (stem, fileExtension) = Self.split(subject.filename)
        var parts = [""]
        for piece in pieces {
            switch piece {
            case .text(let text): parts[parts.count - 1] += text
            case .folder: parts.append("")
            case .field(let field, let orElse):
                let value = Self.value(of: field, subject, stem)
                parts[parts.count - 1] += value.flatMap { $0.isEmpty ? nil : $0 } ?? orElse
            case .date(let form, let orElse):
                guard let clock = WallClockParts(subject.date) else {
                    parts[parts.count - 1] += orElse
                    continue
                }
                for piece in form {
                    switch piece {
                    case .text(let text): parts[parts.count - 1] += text
                    case .folder: parts.append("")
                    case .part(let part): parts[parts.count - 1] += clock.text(part)
                    }
                }
            }
        }
        parts[parts.count - 1] += fileExtension
        return parts
    }

    private static func value(of field: Field, _ subject: Subject, _ stem: String) -> String? {
        switch field {
        case .name: stem
        case .kind: subject.kind.rawValue
        case .camera: subject.cameraModel
        case .make: subject.cameraMake
        case .id: String(subject.id.lowercased().prefix(8))
        // Read with its form.
        case .date: nil
        }
    }

    /// A name's stem, and its extension with the point.
    private static func split(_ filename: String) -> (stem: String, fileExtension: String) {
        guard let point = filename.lastIndex(of: "."), point != filename.startIndex else { return (filename, "") }
        let tail = filename[point...].dropFirst()
        let isExtension =
            !tail.isEmpty && tail.utf8.count < 16
            && tail.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isExtension ? (String(filename[..<point]), String(filename[point...])) : (filename, "")
    }
}
