import Files
import Hashing

extension BagWriter {
    /// Makes a placed file out of one with the same content that lies in the bag under another name.
    ///
    /// The content is hashed on the way, as that of every file is.
    /// - Returns: False when the bag has no file whose bytes are that content; nothing has changed then.
    /// - Throws: `nameTaken` when something got the name meanwhile, `files` when the bag can not be written.
    package mutating func duplicate(_ file: PlacedFile) throws(BagError) -> Bool {
        for name in try names(of: file.digest) where name != file.name {
            var writer = try begin(file)
            guard try fill(&writer, from: name) else {
                abandon(writer)
                continue
            }
            do throws(BagError) {
                try finish(writer)
                return true
            } catch {
                guard error.code == .contentMismatch else { throw error }
            }
        }
        return false
    }

    mutating func names(of digest: SHA256Digest) throws(BagError) -> [String] {
        if let namesByDigest { return namesByDigest[digest] ?? [] }
        var found: [SHA256Digest: [String]] = [:]
        for file in try payload() {
            guard let content = plan.knownDigest(of: file) else { continue }
            found[content, default: []].append(file.name)
        }
        namesByDigest = found
        return found[digest] ?? []
    }

    /// Copies a file's bytes; false when they can not be read, or are more than announced.
    private func fill(_ writer: inout BagFileWriter, from name: String) throws(BagError) -> Bool {
        // A file that is gone or can not be read is as good as none: its content comes from elsewhere.
        guard let source = try? data.open(name, [.read, .noFollow]) else { return false }
        while true {
            guard let bytes = try? source.read(upTo: 1 << 20) else { return false }
            guard !bytes.isEmpty else { return true }
            do throws(BagError) {
                try writer.write(bytes)
            } catch {
                guard error.code == .contentMismatch else { throw error }
                return false
            }
        }
    }
}
