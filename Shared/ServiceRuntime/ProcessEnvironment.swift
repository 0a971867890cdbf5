private import CLinux
private import Glibc

extension UserSituation {
    /// This process's environment; read it once, at the start.
    package static var ownEnvironment: [String: String] {
        var environment: [String: String] = [:]
        var entry = unsafe clinux_environment()
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return environment
    }
}

/// Plain text for a person, outside the log.
enum FileOutput {
    /// Writes to standard output; what nobody reads is lost.
    static func standardOutput(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
