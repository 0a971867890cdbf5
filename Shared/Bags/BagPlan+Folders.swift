extension BagPlan {
    /// The folder below `data/` for these parts, with `/` at its end; empty for none.
    ///
    /// A folder that lies there with another case or Unicode form is that folder. A name that a file has, or had in an
    /// earlier export, gets a `_`, the same in every run as long as that file stays.
    mutating func folder(_ parts: [String]) throws(BagError) -> String {
        var path = ""
        for part in parts {
            let safe = SafeName(part)
            var suffix = ""
            while true {
                let wanted = path + safe.text(suffix: suffix)
                let key = SafeName.key(wanted)
                if let there = lying[key], folders.contains(there) {
                    path = there + "/"
                    break
                }
                let isGone = try earlierManifest()["data/" + wanted] != nil
                guard lying[key] == nil, !claimed.contains(key), !isGone else {
                    suffix += "_"
                    continue
                }
                path = wanted + "/"
                break
            }
        }
        return path
    }

    /// Keeps the names of a folder and of those around it for folders.
    mutating func keepFolder(_ folder: String) {
        for index in folder.indices where folder[index] == "/" {
            let path = String(folder[..<index])
            lying[SafeName.key(path)] = path
            folders.insert(path)
        }
    }
}
