import Consent

/// The control group of a process, and what it proves (cgroups(7), systemd.resource-control(5)).
struct ControlGroup: Hashable, Sendable {
    /// Absolute; `nil` where no hierarchy is mounted that a unit or a container would have a group in.
    let path: String?

    init(path: String?) { self.path = path }

    /// Reads `/proc/PID/cgroup`: the line of the name=systemd hierarchy where there is one (v1 and hybrid), else that of
    /// the unified hierarchy, else no group; `nil` if a line is none of a control group's.
    ///
    /// Without a mounted hierarchy the file is empty, for every process: only who may mount decides that, so a process
    /// can not leave its unit this way.
    init?(file: String) {
        var unified: String?
        for line in file.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else { return nil }
            if fields[1] == "name=systemd" {
                path = String(fields[2])
                return
            }
            if fields[0] == "0", fields[1].isEmpty { unified = String(fields[2]) }
        }
        path = unified
    }

    /// The principal that the group proves: a system unit, or a container below one of the prefixes, the longest that fits.
    ///
    /// Only root can put a process into `/system.slice/NAME.service`. A deeper group may have been delegated to somebody
    /// else, so it proves nothing.
    func principal(containerPrefixes: [String]) -> Principal? {
        guard let path else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 3, parts[0].isEmpty, parts[1] == "system.slice", parts[2].hasSuffix(".service") {
            return Principal("unit:\(parts[2])")
        }
        let fitting = containerPrefixes.filter { prefix in
            prefix.hasPrefix("/") && prefix.hasSuffix("/") && path.hasPrefix(prefix)
        }
        guard let prefix = fitting.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
        var name = path.dropFirst(prefix.count).prefix { $0 != "/" }
        if name.hasSuffix(".scope") { name = name.dropLast(6) }
        return Principal("container:\(name)")
    }
}
