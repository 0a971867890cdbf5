private import Glibc

/// The machine's users and groups (getpwnam_r(3), getgrnam_r(3), getgrouplist(3)).
///
/// Calls may read files or ask a server: not for a loop. Any thread may call.
package enum UserDatabase {
    /// The numbers of a user.
    package struct Entry: Hashable, Sendable {
        package var user: UInt32
        /// The primary group.
        package var group: UInt32
        /// All groups, the primary one among them.
        package var groups: [UInt32]
    }

    /// The entry of the user with that name; nil when there is none.
    package static func user(named name: String) -> Entry? {
        var entry = unsafe passwd()
        let numbers: (user: UInt32, group: UInt32)? = unsafe search { buffer, size in
            var found: UnsafeMutablePointer<passwd>?
            let number = unsafe getpwnam_r(name, &entry, buffer, size, &found)
            return unsafe (number, found.map { unsafe ($0.pointee.pw_uid, $0.pointee.pw_gid) })
        }
        guard let numbers else { return nil }
        return Entry(user: numbers.user, group: numbers.group, groups: groups(of: name, and: numbers.group))
    }

    /// The name and the home directory of the user with that number; nil when there is none.
    package static func account(of user: UInt32) -> (name: String, home: String)? {
        var entry = unsafe passwd()
        return unsafe search { buffer, size in
            var found: UnsafeMutablePointer<passwd>?
            let number = unsafe getpwuid_r(user, &entry, buffer, size, &found)
            return unsafe (
                number,
                found.map { unsafe (String(cString: $0.pointee.pw_name), String(cString: $0.pointee.pw_dir)) }
            )
        }
    }

    /// The number of the group with that name; nil when there is none.
    package static func group(named name: String) -> UInt32? {
        var entry = unsafe Glibc.group()
        return unsafe search { buffer, size in
            var found: UnsafeMutablePointer<Glibc.group>?
            let number = unsafe getgrnam_r(name, &entry, buffer, size, &found)
            return unsafe (number, found.map { unsafe $0.pointee.gr_gid })
        }
    }

    private static func groups(of name: String, and primary: UInt32) -> [UInt32] {
        var capacity: CInt = 64
        while true {
            var groups = [gid_t](repeating: 0, count: Int(capacity))
            var count = capacity
            if unsafe getgrouplist(name, primary, &groups, &count) >= 0 { return Array(groups.prefix(Int(count))) }
            // It has said how many there are; NGROUPS_MAX is 65536.
            guard count > capacity, count <= 65_536 else { return [primary] }
            capacity = count
        }
    }

    /// Asks with ever more room until the entry fits: ERANGE says that it does not.
    private static func search<Found>(
        _ ask: (UnsafeMutablePointer<CChar>, Int) -> (errorNumber: CInt, found: Found?)
    ) -> Found? {
        var size = 4_096
        while true {
            var buffer = [CChar](repeating: 0, count: size)
            let (number, found) = unsafe ask(&buffer, size)
            guard number == ERANGE, size < 1 << 20 else { return found }
            size *= 4
        }
    }
}
