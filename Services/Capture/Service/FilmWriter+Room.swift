private import Glibc
package import MessageSchema
private import Movies

/// What a film would have needed on a disk that had no room for it, in bytes.
package struct FilmRoom: Hashable, Sendable {
    /// At least, for what was to be in the film, its copy in the library, and what is left free.
    package let needed: Int64
    /// What the disk has for that, the film's own file included.
    package let available: Int64
    /// What a film leaves free for others.
    package let reserved: Int64
}

extension FilmWriter {
    /// What the film needs, and what its disk has; nil where the disk does not say.
    package var room: FilmRoom? {
        var status = stat()
        let size = unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
        guard let free = reserve.free.map({ $0() }) ?? Self.freeByteCount(besides: path) else { return nil }
        return FilmRoom(
            needed: 2 * max(bytes, size) + reserve.byteCount,
            available: free + size,
            reserved: reserve.byteCount
        )
    }

    private static func freeByteCount(besides path: String) -> Int64? {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        var space = statvfs()
        guard unsafe statvfs(folder, &space) == 0, space.f_blocks > 0 else { return nil }
        return Int64(clamping: space.f_bavail.multipliedReportingOverflow(by: space.f_frsize).partialValue)
    }
}

extension ErrorReply {
    /// The same error of a full disk, with the numbers.
    package func telling(_ room: FilmRoom?) -> ErrorReply {
        guard code == .diskFull, let room else { return self }
        var reply = adding(
            "For the film, its copy in the library and the \(room.reserved) bytes that are left free at least "
                + "\(room.needed) bytes are needed; \(room.available) are there."
        )
        reply.parameters = (reply.parameters ?? [:]).merging(
            [
                "bytesNeeded": String(room.needed), "bytesAvailable": String(room.available),
                "bytesReserved": String(room.reserved),
            ]
        ) { $1 }
        return reply
    }
}
