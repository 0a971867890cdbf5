private import Files
package import Hashing

/// What lies in the staging area at the start.
package struct LeftBehind: Hashable, Sendable {
    /// Uploads that never finished: removed.
    package var partialUploads = 0
    /// Content that was placed and whose row may not have committed.
    package var pending: [SHA256Digest] = []
}

extension MediaStore {
    /// Removes what never finished arriving, and names the content whose row has to be looked for.
    ///
    /// Before anything arrives; afterwards call `settle` or `remove` for each.
    package func clearStaging() throws -> LeftBehind {
        var left = LeftBehind()
        for entry in try folders.staging.entries() {
            if entry.name.hasSuffix(".pending"), let digest = SHA256Digest(String(entry.name.dropLast(8))) {
                left.pending.append(digest)
            } else {
                try folders.staging.removeAll(entry.name)
                left.partialUploads += 1
            }
        }
        return left
    }

    /// Removes placed content that no row has, and its marker.
    package func remove(_ digest: SHA256Digest) throws {
        let name = digest.description
        if try folders.size(of: name) != nil {
            let folder = try folders.folder(for: name)
            try folder.remove(name)
            try folder.sync()
        }
        settle(digest)
    }

    /// Everything that is placed, by the first two digits of its hash: one of 256 parts, so that a check can rest in between.
    package func placed(in part: UInt8) throws -> [SHA256Digest] {
        let outer = [part].hexadecimal
        guard try folders.media.status(of: outer) != nil else { return [] }
        var found: [SHA256Digest] = []
        let folder = try folders.media.openDirectory(outer)
        for inner in try folder.entries() where inner.kind != .regular {
            for entry in try folder.openDirectory(inner.name).entries() {
                if let digest = SHA256Digest(entry.name) { found.append(digest) }
            }
        }
        return found
    }
}
