private import Glibc

/// What `/proc` says about a process (proc(5)); read in a few system calls that do not wait.
struct ProcessRecord: Hashable, Sendable {
    /// In clock ticks since the machine started.
    var startTime: UInt64
    /// The effective user.
    var userID: UInt32
    /// The supplementary groups.
    var groups: [UInt32] = []
    var controlGroup: ControlGroup?
    var label: String

    /// Reads the record of a living process; `nil` if there is none, or if it was replaced while it was read.
    static func read(_ processID: Int32) -> ProcessRecord? {
        let directory = "/proc/\(processID)"
        guard let before = startTime(of: processID),
            let status = text(of: "\(directory)/status"),
            let userID = effectiveUser(inStatus: status)
        else { return nil }
        let arguments = (text(of: "\(directory)/cmdline") ?? "").split(separator: "\0").map(String.init)
        let record = ProcessRecord(
            startTime: before,
            userID: userID,
            groups: groups(inStatus: status),
            controlGroup: wholeText(of: "\(directory)/cgroup").flatMap(ControlGroup.init(file:)),
            label: ProgramLabel.make(
                executable: link(at: "\(directory)/exe"),
                arguments: arguments,
                name: text(of: "\(directory)/comm").map { String($0.prefix { $0 != "\n" }) }
            )
        )
        // The number may have gone to another process in between.
        return startTime(of: processID) == before ? record : nil
    }

    /// When the process started; `nil` if there is none of that number.
    static func startTime(of processID: Int32) -> UInt64? {
        text(of: "/proc/\(processID)/stat").flatMap(startTime(inStat:))
    }

    /// Whether the process of this number that started then has ended, also when nobody has waited for it yet (wait(2)).
    static func isGone(_ processID: Int32, startedAt start: UInt64) -> Bool {
        // A peer that no process of this machine is proven for.
        guard processID > 0 else { return false }
        guard let stat = text(of: "/proc/\(processID)/stat") else {
            // With hidepid (proc(5)) the living ones of others have no files either.
            return kill(processID, 0) != 0 && errno == ESRCH
        }
        return isGone(inStat: stat, startedAt: start)
    }

    /// Fields 3, 20 and 22 of `/proc/PID/stat`: state, threads, start.
    ///
    /// A process whose first thread has ended is a zombie with other threads.
    static func isGone(inStat text: String, startedAt start: UInt64) -> Bool {
        guard let end = text.lastIndex(of: ")") else { return false }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let threads = Int(fields[17]), let started = UInt64(fields[19]) else { return false }
        return started != start || (["Z", "X"].contains(fields[0]) && threads <= 1)
    }

    /// Field 22 of `/proc/PID/stat`; the second field is a name that may hold anything, up to the last parenthesis.
    static func startTime(inStat text: String) -> UInt64? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// The second number of the line `Uid:` of `/proc/PID/status`.
    static func effectiveUser(inStatus text: String) -> UInt32? {
        for line in text.split(separator: "\n") where line.hasPrefix("Uid:") {
            let fields = line.dropFirst(4).split { $0 == "\t" || $0 == " " }
            return fields.count > 1 ? UInt32(fields[1]) : nil
        }
        return nil
    }

    /// A file of less than 8 KiB; `nil` for a longer one, of which a line that counts could be missing.
    private static func wholeText(of path: String) -> String? {
        text(of: path).flatMap { $0.utf8.count < 8_192 ? $0 : nil }
    }

    /// The numbers of the line `Groups:` of `/proc/PID/status`; a process of very many groups has those of the first 8 KiB.
    static func groups(inStatus text: String) -> [UInt32] {
        for line in text.split(separator: "\n") where line.hasPrefix("Groups:") {
            return line.dropFirst(7).split { $0 == "\t" || $0 == " " }.compactMap { UInt32($0) }
        }
        return []
    }

    /// The first 8 KiB of a file.
    private static func text(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < 8_192 {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes.append(contentsOf: chunk[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func link(at path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
