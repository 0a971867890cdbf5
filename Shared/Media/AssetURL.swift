/// The stable name of an asset: `assets-library://asset/asset.MOV?id=<UUID>&ext=MOV`.
///
/// The form is the Assets Library's. Scheme and host are compared without case, the identifier too; the query's two
/// items may come in either order; the extension has 1 to 16 letters and digits of ASCII. A text of another form is
/// malformed, which is not the same as unknown.
package struct AssetURL: LibraryURLCodable {
    package static let named = "an asset"

    /// The identifier: a UUID in capitals.
    package let id: String
    /// The extension in capitals, such as `JPG`.
    package let fileExtension: String

    /// Names an asset by its identifier.
    ///
    /// - Parameters:
    ///   - id: A UUID, in either case.
    ///   - fileExtension: Without the dot, in either case.
    package init(id: String, fileExtension: String) {
        self.id = id.uppercased()
        self.fileExtension = fileExtension.uppercased()
    }

    /// Reads an asset URL.
    ///
    /// - Returns: `nil` if the text is malformed.
    package init?(_ text: String) {
        guard let query = LibraryURLText(text, host: "asset") else { return nil }
        guard let id = query.items["id"], LibraryURLText.isUUID(id) else { return nil }
        let pathExtension = query.path.split(separator: ".").last.map(String.init)
        guard let fileExtension = query.items["ext"] ?? pathExtension, Self.isExtension(fileExtension) else {
            return nil
        }
        self.init(id: id, fileExtension: fileExtension)
    }

    /// 1 to 16 letters and digits of ASCII.
    private static func isExtension(_ text: String) -> Bool {
        (1...16).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    }

    package var description: String {
        "assets-library://asset/asset.\(fileExtension)?id=\(id)&ext=\(fileExtension)"
    }
}
