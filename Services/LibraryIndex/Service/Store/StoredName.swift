/// A file's name as the library keeps it: a label, never a path.
package struct StoredName: Hashable, Sendable {
    /// At most 255 bytes, without separators or control characters.
    package let text: String

    /// Keeps what is harmless of a name somebody gave; `extension` is used when nothing is left.
    package init(_ given: String, fileExtension: String) {
        let last = given.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        let scalars = last.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
        var kept = String(String.UnicodeScalarView(scalars))
        while kept.utf8.count > 255 { kept.removeFirst() }
        text = kept.isEmpty || kept == "." || kept == ".." ? "asset.\(fileExtension)" : kept
    }
}
