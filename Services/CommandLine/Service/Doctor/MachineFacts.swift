private import Files
private import Glibc

/// What the doctor asks the machine itself.
package struct MachineFacts: Sendable {
    /// A device node of a camera or a microphone, and whether this user may open it.
    package struct Node: Hashable, Sendable {
        package var path: String
        package var isOpenToUser: Bool

        package init(path: String, isOpenToUser: Bool) {
            self.path = path
            self.isOpenToUser = isOpenToUser
        }

        /// Whether it is one of a sound card.
        var isOfSound: Bool { path.hasPrefix("/dev/snd/") }

        /// The group whose members may open such nodes on Debian.
        var group: String { isOfSound ? "audio" : "video" }
    }

    package var nodes: [Node]
    /// Whether this user can look into a directory; nil when there is none.
    package var canRead: @Sendable (String) -> Bool?
    /// Whether processes have control groups, by which units and containers are told apart.
    package var hasControlGroups: Bool
    /// Whether the kernel filters system calls, by which decoders are confined.
    package var hasCallFilters: Bool

    package init(
        nodes: [Node],
        hasControlGroups: Bool = true,
        hasCallFilters: Bool = true,
        canRead: @escaping @Sendable (String) -> Bool?
    ) {
        self.nodes = nodes
        self.hasControlGroups = hasControlGroups
        self.hasCallFilters = hasCallFilters
        self.canRead = canRead
    }

    /// Asks this machine; blocks briefly.
    package static func ofThisMachine() -> MachineFacts {
        let microphones = names(in: "/dev/snd").filter(isMicrophone).map { "snd/\($0)" }
        let nodes = (names(in: "/dev").filter(isCamera) + microphones).map { name in
            Node(path: "/dev/\(name)", isOpenToUser: unsafe access("/dev/\(name)", R_OK | W_OK) == 0)
        }
        // Empty without a mounted hierarchy (cgroups(7)).
        let groups = (try? FileDescriptor(opening: "/proc/self/cgroup", [.read]).readAll(limit: 1 << 20)) ?? []
        // There with CONFIG_SECCOMP_FILTER alone (seccomp(2), "/proc interfaces").
        let hasCallFilters = unsafe access("/proc/sys/kernel/seccomp/actions_avail", F_OK) == 0
        return MachineFacts(nodes: nodes, hasControlGroups: !groups.isEmpty, hasCallFilters: hasCallFilters) { path in
            guard unsafe access(path, F_OK) == 0 else { return nil }
            return unsafe access(path, R_OK | X_OK) == 0
        }
    }

    /// Whether a node of `/dev` is a camera's: `video0`.
    package static func isCamera(_ name: String) -> Bool { name.hasPrefix("video") && isNumber(name.dropFirst(5)) }

    /// Whether a node of `/dev/snd` gives sound: `pcmC0D0c`, where one that ends in p plays it.
    package static func isMicrophone(_ name: String) -> Bool {
        guard name.hasPrefix("pcmC"), name.hasSuffix("c") else { return false }
        let numbers = name.dropFirst(4).dropLast().split(separator: "D", omittingEmptySubsequences: false)
        return numbers.count == 2 && numbers.allSatisfy(isNumber)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// The names in a directory; none where it is not there.
    private static func names(in path: String) -> [String] {
        (try? Directory(opening: path).entries().map(\.name).sorted()) ?? []
    }
}
