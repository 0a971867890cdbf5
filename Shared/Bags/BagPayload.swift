import Files

/// One file below `data/`, as it lies there.
struct PayloadFile: Hashable, Sendable {
    /// The path below `data/`.
    let name: String
    let status: FileStatus
}

/// The files below `data/`.
enum BagPayload {
    private static let deepest = 32

    /// Whether a name is that of a copy under way, which a kill left behind.
    static func isPartial(_ name: String) -> Bool { name.hasPrefix(".obscura-") && name.hasSuffix(".partial") }

    /// The paths of everything, folders before what lies in them, and which of them are folders; links are none.
    static func paths(in data: borrowing Directory, below prefix: String = "", depth: Int = 0) throws(FilesError)
        -> [(path: String, isFolder: Bool)]
    {
        var found: [(path: String, isFolder: Bool)] = []
        for entry in try data.entries() {
            let kind = if let kind = entry.kind { kind } else { try data.status(of: entry.name)?.kind }
            let isFolder = kind == .directory && entry.isExact && depth < deepest
            found.append((prefix + entry.name, isFolder))
            guard isFolder else { continue }
            let inner = try data.openDirectory(entry.name)
            found += try paths(in: inner, below: prefix + entry.name + "/", depth: depth + 1)
        }
        return found
    }

    /// All regular files, in the order of their paths; links and devices are none.
    static func files(in data: borrowing Directory, below prefix: String = "", depth: Int = 0) throws(FilesError)
        -> [PayloadFile]
    {
        var found: [PayloadFile] = []
        for entry in try data.entries() where !isPartial(entry.name) {
            guard entry.isExact, let status = try data.status(of: entry.name) else { continue }
            switch status.kind {
            case .regular: found.append(PayloadFile(name: prefix + entry.name, status: status))
            case .directory where depth < deepest:
                let inner = try data.openDirectory(entry.name)
                found += try files(in: inner, below: prefix + entry.name + "/", depth: depth + 1)
            default: break
            }
        }
        return found
    }
}
