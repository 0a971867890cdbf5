private import CLinux
private import Glibc

extension FileDescriptor {
    /// A file in memory without a name (memfd_create(2)); `name` shows up in /proc only.
    package static func memory(named name: String) throws(FilesError) -> FileDescriptor {
        try FileFaults.check("memory")
        return FileDescriptor(adopting: try retrying("memory") { unsafe clinux_memory_file(name) })
    }

    /// Makes a file in memory unchangeable for everybody, also for those who get its descriptor (F_ADD_SEALS, fcntl(2)).
    package func seal() throws(FilesError) {
        _ = try retrying("seal") { clinux_seal(rawValue) }
    }

    /// The two ends of a new pipe.
    package static func pipe() throws(FilesError) -> Pipe {
        try FileFaults.check("pipe")
        var ends: [Int32] = [-1, -1]
        guard unsafe clinux_pipe(&ends) == 0 else { throw .last("pipe") }
        return Pipe(readEnd: FileDescriptor(adopting: ends[0]), writeEnd: FileDescriptor(adopting: ends[1]))
    }
}

/// The two ends of a pipe.
package struct Pipe: ~Copyable, Sendable {
    package let readEnd: FileDescriptor
    package let writeEnd: FileDescriptor

    /// Takes the pipe apart.
    package consuming func take<Result: ~Copyable, Failure: Error>(
        _ body: (_ readEnd: consuming FileDescriptor, _ writeEnd: consuming FileDescriptor) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(readEnd, writeEnd)
    }
}
