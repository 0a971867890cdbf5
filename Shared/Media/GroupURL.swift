/// The stable name of a group: `assets-library://group/?id=<PersistentID>`.
package struct GroupURL: LibraryURLCodable {
    package static let named = "a group"

    /// The identifier: a UUID in capitals.
    package let id: String

    /// Names a group by its persistent identifier, a UUID in either case.
    package init(id: String) { self.id = id.uppercased() }

    /// Reads a group URL.
    ///
    /// - Returns: `nil` if the text is malformed.
    package init?(_ text: String) {
        guard let query = LibraryURLText(text, host: "group") else { return nil }
        guard let id = query.items["id"], LibraryURLText.isUUID(id) else { return nil }
        self.init(id: id)
    }

    package var description: String { "assets-library://group/?id=\(id)" }
}
