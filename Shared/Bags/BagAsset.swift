package import Hashing
package import Media

/// One asset to be put into a bag: all files that come out of it, whose names are decided together.
package struct BagAsset: Hashable, Sendable {
    /// One file of the asset.
    package struct Output: Hashable, Sendable {
        /// The name the asset has in the library; any text.
        package var name: String
        package var digest: SHA256Digest
        package var byteCount: Int64

        package init(name: String, digest: SHA256Digest, byteCount: Int64) {
            self.name = name
            self.digest = digest
            self.byteCount = byteCount
        }
    }

    /// The asset's identifier, of which a part tells equal names apart: the same in every run.
    package var id: String
    /// The folders below `data/` that its files lie in, the outermost first; any text.
    package var folders: [String]
    package var outputs: [Output]

    package init(id: String, folders: [String] = [], outputs: [Output]) {
        self.id = id
        self.folders = folders
        self.outputs = outputs
    }

    /// An asset with one file, named by a template; without one by its own name, in no folder.
    package init(
        _ subject: NameTemplate.Subject,
        named names: NameTemplate?,
        digest: SHA256Digest,
        byteCount: Int64
    ) {
        var parts = names?.parts(of: subject) ?? [subject.filename]
        let name = parts.popLast() ?? subject.filename
        self.init(
            id: subject.id,
            folders: parts,
            outputs: [Output(name: name, digest: digest, byteCount: byteCount)]
        )
    }
}

/// A file that has its place in a bag.
package struct PlacedFile: Hashable, Sendable {
    /// The path below `data/`.
    package let name: String
    package let digest: SHA256Digest
    package let byteCount: Int64
    /// Whether the file lies there already, with this content.
    package let isPresent: Bool
    /// Whether the bag has it under this name with other bytes, which are set aside when it is renewed.
    package let isChanged: Bool

    /// The path as the manifest has it.
    package var path: String { "data/" + name }
}
