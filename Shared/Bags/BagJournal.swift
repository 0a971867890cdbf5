import Files
import Hashing

/// What was put into a bag, with enough to see later whether it still lies there untouched.
///
/// One line a file: hash, bytes, time of change, inode, name; and one with the bag's privacy profile. It saves hashing everything again; a journal that is
/// lost or damaged costs time and nothing else, so its lines are not synced one by one.
struct BagJournal {
    static let name = ".obscura-journal"
    private static let maximumByteCount = 256 << 20

    private struct Entry {
        var digest: SHA256Digest
        var size: Int64
        var modified: Int64
        var inode: UInt64
    }

    private static let profileWord = "profile"

    private var entries: [String: Entry] = [:]
    /// What was taken out of the copies, where that was written down.
    private(set) var profile: String?

    init() {}

    /// What the directory's journal says; nothing if there is none that can be read.
    init(readingFrom root: borrowing Directory) {
        // See above: an unreadable journal is as good as none.
        guard let bytes = try? root.read(Self.name, limit: Self.maximumByteCount) else { return }
        for line in bytes.split(separator: 0x0A) {
            let parts = line.split(separator: 0x20, maxSplits: 4, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            if parts.count == 2, parts[0] == Self.profileWord { profile = parts[1] }
            guard parts.count == 5, let digest = SHA256Digest(parts[0]), let size = Int64(parts[1]),
                let modified = Int64(parts[2]), let inode = UInt64(parts[3])
            else { continue }
            entries[parts[4]] = Entry(digest: digest, size: size, modified: modified, inode: inode)
        }
    }

    /// The hash of a file that has not changed since it was written down.
    func digest(of name: String, _ status: FileStatus) -> SHA256Digest? {
        guard let entry = entries[name], entry.size == status.size, entry.modified == status.modifiedNanoseconds,
            entry.inode == status.inode
        else { return nil }
        return entry.digest
    }

    /// The hash of what was put there last, whatever became of it.
    func lastDigest(of name: String) -> SHA256Digest? { entries[name]?.digest }

    /// Writes down what is taken out of the copies.
    mutating func setProfile(_ profile: String, in file: borrowing FileDescriptor) throws(FilesError) {
        self.profile = profile
        try file.writeAll(Array("\(Self.profileWord) \(profile)\n".utf8))
    }

    /// Writes a file down.
    mutating func add(
        _ name: String,
        _ status: FileStatus,
        _ digest: SHA256Digest,
        to file: borrowing FileDescriptor
    ) throws(FilesError) {
        let entry = Entry(digest: digest, size: status.size, modified: status.modifiedNanoseconds, inode: status.inode)
        entries[name] = entry
        let line = "\(digest) \(entry.size) \(entry.modified) \(entry.inode) \(name)\n"
        try file.writeAll(Array(line.utf8))
    }
}
