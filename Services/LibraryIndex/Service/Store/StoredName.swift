/// A file's name as the library keeps it: a label, never a path.
package struct StoredName: Hashable, Sendable {
    /// At most 255 bytes, without separators or control characters.
    package let text: String

    /// Keeps what is harmless of a name somebody gave; `extension` is used when nothing is left.
    package init(_ given: String, fileExtension: String) {
        let last = given.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var count = 0
        // The end is kept, for its extension.
        let end = last.unicodeScalars.reversed().lazy.filter { !$0.isControl }.prefix { scalar in
            count += UTF8.width(scalar)
            return count <= TextBounds.filenameBytes
        }
        let kept = String(String.UnicodeScalarView(Array(end).reversed()))
        text = kept.isEmpty || kept == "." || kept == ".." ? "asset.\(fileExtension)" : kept
    }
}
