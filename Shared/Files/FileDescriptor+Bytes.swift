private import Glibc

extension FileDescriptor {
    /// Reads at the file's offset; fewer bytes than asked when there are no more, none at the end.
    package func read(upTo count: Int) throws(FilesError) -> [UInt8] {
        try FileFaults.check("read")
        return try unsafe bytes(count) { buffer throws(FilesError) in
            try retrying("read") { unsafe Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
        }
    }

    /// Reads into memory of the caller at the file's offset; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FilesError) -> Int {
        try FileFaults.check("read")
        return try retrying("read") { unsafe Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
    }

    /// Reads at an offset without moving the file's own; fewer bytes than asked only at the end.
    package func read(at offset: Int64, upTo count: Int) throws(FilesError) -> [UInt8] {
        try FileFaults.check("read")
        return try unsafe bytes(count) { buffer throws(FilesError) in
            var filled = 0
            while filled < buffer.count {
                let room = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let step = try retrying("read") {
                    unsafe pread(rawValue, room.baseAddress, room.count, off_t(offset) + off_t(filled))
                }
                if step == 0 { break }
                filled += step
            }
            return filled
        }
    }

    /// Reads to the end, which must come within `limit` bytes.
    ///
    /// - Throws: `tooLarge` when there is more.
    package func readAll(limit: Int) throws(FilesError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let part = try read(upTo: min(65_536, limit - all.count + 1))
            if part.isEmpty { return all }
            all += part
            if all.count > limit { throw FilesError(code: .tooLarge, operation: "read") }
        }
    }

    /// Writes at the file's offset; fewer bytes than given on a full pipe.
    package func write(_ bytes: ArraySlice<UInt8>) throws(FilesError) -> Int {
        try FileFaults.check("write")
        return try retrying("write") {
            unsafe bytes.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
        }
    }

    /// Writes all bytes at the file's offset.
    package func writeAll(_ bytes: [UInt8]) throws(FilesError) {
        try writeAll(bytes[...])
    }

    /// Writes all bytes at the file's offset.
    package func writeAll(_ bytes: ArraySlice<UInt8>) throws(FilesError) {
        var rest = bytes
        while !rest.isEmpty {
            rest.removeFirst(try write(rest))
        }
    }

    /// Writes all bytes at an offset without moving the file's own.
    package func writeAll(_ bytes: [UInt8], at offset: Int64) throws(FilesError) {
        try FileFaults.check("write")
        var written = 0
        while written < bytes.count {
            written += try retrying("write") {
                unsafe bytes.withUnsafeBytes {
                    unsafe pwrite(
                        rawValue,
                        $0.baseAddress?.advanced(by: written),
                        $0.count - written,
                        off_t(offset) + off_t(written)
                    )
                }
            }
        }
    }

    /// Moves the file's offset.
    package func seek(to offset: Int64) throws(FilesError) {
        _ = try retrying("seek") { lseek(rawValue, off_t(offset), SEEK_SET) }
    }

    /// Makes content and metadata durable (fsync(2)).
    package func sync() throws(FilesError) {
        try FileFaults.check("sync")
        _ = try retrying("sync") { fsync(rawValue) }
    }

    /// Makes the content durable (fdatasync(2)).
    package func syncData() throws(FilesError) {
        try FileFaults.check("syncData")
        _ = try retrying("syncData") { fdatasync(rawValue) }
    }

    /// Cuts or extends the file to that many bytes.
    package func truncate(to length: Int64) throws(FilesError) {
        try FileFaults.check("truncate")
        _ = try retrying("truncate") { ftruncate(rawValue, off_t(length)) }
    }

    /// Takes room on the disk for that many bytes from the start, so that later writes there do not fail with `noSpace`.
    package func reserve(_ length: Int64) throws(FilesError) {
        try FileFaults.check("reserve")
        while true {
            let number = posix_fallocate(rawValue, 0, off_t(length))
            if number == 0 { return }
            if number != EINTR { throw FilesError(errorNumber: number, operation: "reserve") }
        }
    }

    private func bytes(
        _ count: Int,
        _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(FilesError) -> Int
    ) throws(FilesError) -> [UInt8] {
        var failure: FilesError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filled in
            do throws(FilesError) {
                filled = try unsafe fill(buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
