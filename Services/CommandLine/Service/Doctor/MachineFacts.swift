private import Files
private import Glibc

/// What the doctor asks the machine itself.
package struct MachineFacts: Sendable {
    /// A camera's device node, and whether this user may open it.
    package struct Node: Hashable, Sendable {
        package var path: String
        package var isOpenToUser: Bool

        package init(path: String, isOpenToUser: Bool) {
            self.path = path
            self.isOpenToUser = isOpenToUser
        }
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
        let names = (try? Directory(opening: "/dev").entries().map(\.name)) ?? []
        let nodes = names.filter {
            $0.hasPrefix("video") && !$0.dropFirst(5).isEmpty && $0.dropFirst(5).allSatisfy(\.isNumber)
        }
        .map { name in
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
}
