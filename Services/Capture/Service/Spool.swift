private import Files
private import FoundationEssentials
private import Glibc
private import Hashing
package import MessageSchema
package import Movies

/// Where films lie until the library has them: `DATA/capture/spool`.
///
/// Beside each film lies a note for whom it was made, so that a film that a crash left behind still finds its owner.
package struct Spool: Sendable {
    /// For whom a film is, and as what.
    package struct Note: Hashable, Sendable, Codable {
        package var recording: String
        package var filename: String
        package var delegation: Delegation
        /// The request as whose effect the library saves it once, however often it is tried.
        package var request: RequestKey

        /// A note; without a request of the program that can be repeated, the recording stands for one.
        package init(recording: String, filename: String, delegation: Delegation, request: RequestKey? = nil) {
            self.recording = recording
            self.filename = filename
            self.delegation = delegation
            self.request = request ?? Self.ownRequest(of: recording)
        }

        /// The recording as a request of its own.
        package static func ownRequest(of recording: String) -> RequestKey {
            RequestKey(
                key: "recording/\(recording)",
                requestHash: SHA256Digest(hashing: Array(recording.utf8)).description
            )
        }
    }

    /// Keeps other processes out: they would take films that are being made for films that were left.
    private final class Lock: Sendable {
        private let lock: FileLock

        init(_ lock: consuming FileLock) { self.lock = lock }
    }

    private static let lockName = "spool.lock"

    private let path: String
    private let lock: Lock

    /// Makes the folder, and takes it for this process as long as any copy of the value lives.
    ///
    /// - Throws: `ErrorReply` with code `alreadyRunning` when another process has it; `FilesError` for a folder that can
    ///   not be made.
    package init(_ path: String) throws {
        self.path = path
        _ = try Directory(creating: path)
        // Beside the folder, in which there are films alone.
        let folder = try Directory(opening: path + "/..")
        guard let lock = try FileLock.attempt(Self.lockName, in: folder) else {
            throw ErrorReply(
                .alreadyRunning,
                "Another capture uses this data folder",
                reason: FileLock.holder(of: Self.lockName, in: folder).map { "It is process \($0)." },
                recoverySuggestion: "End it, or choose another --data."
            )
        }
        self.lock = Lock(lock)
    }

    /// The path of a recording's film.
    package func filmPath(_ recording: String) -> String { "\(path)/\(recording).mov" }

    /// Writes the note, durably, before the film begins.
    package func write(_ note: Note) throws {
        let folder = try Directory(opening: path)
        try folder.writeAtomically(Array(JSONEncoder().encode(note)), to: "\(note.recording).json")
    }

    /// Every recording that was left behind; only for a spool in which nothing is being filmed.
    ///
    /// - Returns: Notes, also of recordings that have no film yet; what has no readable note is not among them.
    package func notes() throws -> [Note] {
        let folder = try Directory(opening: path)
        return try folder.entries().map(\.name).sorted().compactMap { name in
            guard name.hasSuffix(".json"),
                // A note that can not be read names nobody; the film stays for a person to look at.
                let bytes = try? folder.read(name, limit: 64 << 10)
            else { return nil }
            return try? JSONDecoder().decode(Note.self, from: Data(bytes))
        }
    }

    /// Removes a film and its note; the note goes last.
    package func remove(_ recording: String) throws {
        let folder = try Directory(opening: path)
        _ = try folder.remove("\(recording).mov")
        _ = try folder.remove("\(recording).json")
    }

    /// Finishes what a crash left unfinished; blocks on the disk.
    package func recover(_ recording: String) throws(MovieError) -> MovieRecovery.Outcome {
        var file: DescriptorMovieFile
        do throws(MovieError) {
            file = try DescriptorMovieFile(opening: filmPath(recording))
        } catch  where error.errorNumber == ENOENT {
            throw MovieError(.nothingToRecover, errorNumber: ENOENT)
        }
        return try MovieRecovery.recover(&file)
    }
}
