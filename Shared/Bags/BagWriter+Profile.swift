import Files

extension BagWriter {
    /// The tag file with what is said about the bag.
    static let infoName = "bag-info.txt"
    /// The label there of what was taken out of the copies.
    static let profileLabel = "Obscura-Privacy-Profile"
    /// The profile of copies from which nothing was taken; also that of files of which nothing is said.
    private static let nothingTaken = "none"
    private static let maximumInfoByteCount = 1 << 20

    /// Refuses to put copies of another profile into a bag.
    ///
    /// - Throws: `otherProfile`, `files`.
    static func check(_ profile: String, in root: borrowing Directory) throws(BagError) {
        let earlier: String?
        do throws(FilesError) { earlier = try earlierProfile(of: root) } catch { throw BagError(error) }
        guard let earlier, earlier != profile else { return }
        throw BagError(
            .otherProfile,
            "it has copies with the privacy profile \(earlier), and these would have \(profile)"
        )
    }

    /// The profile of what is in a bag: `bag-info.txt` tells it, and the journal where that is lost; nil for a bag without
    /// files of which nothing is said.
    static func earlierProfile(of root: borrowing Directory) throws(FilesError) -> String? {
        let info = try root.read(infoName, limit: maximumInfoByteCount) ?? []
        let label = profileLabel + ": "
        let lines = String(decoding: info, as: UTF8.self).split(whereSeparator: \.isNewline)
        if let line = lines.first(where: { $0.hasPrefix(label) }) { return String(line.dropFirst(label.count)) }
        if let told = BagJournal(readingFrom: root).profile { return told }
        guard try root.status(of: "data")?.kind == .directory else { return nil }
        return try BagPayload.files(in: root.openDirectory("data")).isEmpty ? nil : nothingTaken
    }

    /// Writes the profile down before the first file, where it is not told yet.
    static func tell(
        _ profile: String,
        in root: borrowing Directory,
        _ journal: inout BagJournal,
        _ journalFile: borrowing FileDescriptor
    ) throws(FilesError) {
        if try root.status(of: infoName) == nil {
            let line = "\(profileLabel): \(profile)\n"
            try root.writeAtomically(Array(line.utf8), to: infoName, permissions: 0o666)
        }
        if journal.profile != profile { try journal.setProfile(profile, in: journalFile) }
    }
}
