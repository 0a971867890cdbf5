import Files
import Glibc
import TestSupport
import Testing

@Suite(.tags(.unit), .timeLimit(.minutes(1)))
struct FileDescriptorTests {
    @Test func `a dropped descriptor is closed`() throws {
        try withTemporaryDirectory { _, directory in
            let number = try directory.open("a", [.write, .create]).release()
            do { _ = FileDescriptor(adopting: number) }
            #expect(lseek(number, 0, SEEK_CUR) == -1)
        }
    }

    @Test func `bytes come back from the offset that was asked for`() throws {
        try withTemporaryDirectory { _, directory in
            let file = try directory.open("a", [.readWrite, .create])
            try file.writeAll(Array("hello, library".utf8))
            #expect(String(decoding: try file.read(at: 7, upTo: 4), as: UTF8.self) == "libr")
            #expect(String(decoding: try file.read(at: 10, upTo: 400), as: UTF8.self) == "rary")
            #expect(try file.read(at: 14, upTo: 4).isEmpty)
            #expect(try file.status().size == 14)
        }
    }

    @Test(arguments: [
        (Int64(10_413_792_000), Int64.max), (1 << 33, 8_589_934_592_000_000_000),
        (9_223_372_036, 9_223_372_036_000_000_000),
        (9_223_372_037, .max), (-9_223_372_037, .min), (-1, -1_000_000_000),
    ])
    func `a time that any user can give a file is no fault`(seconds: Int64, expected: Int64) throws {
        try withTemporaryDirectory { path, directory in
            let file = try directory.open("a", [.write, .create])
            let times = [timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
            try #require(unsafe futimens(file.rawValue, times) == 0)
            // A file system may keep a nearer time than was asked for.
            var kept = stat()
            try #require(unsafe fstat(file.rawValue, &kept) == 0)
            let found = try file.status().modifiedNanoseconds
            if kept.st_mtim.tv_sec == Int(seconds) { #expect(found == expected) }
            #expect(try directory.status(of: "a")?.modifiedNanoseconds == found)
        }
    }

    @Test func `more bytes than allowed are an error and not a cut`() throws {
        try withTemporaryDirectory { _, directory in
            try directory.writeAtomically([1, 2, 3], to: "a")
            #expect(try directory.read("a", limit: 3) == [1, 2, 3])
            let error = #expect(throws: FilesError.self) { try directory.read("a", limit: 2) }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func `a full device is named`() throws {
        let full = try FileDescriptor(opening: "/dev/full", .write)
        let error = #expect(throws: FilesError.self) { try full.writeAll([1]) }
        #expect(error?.code == .noSpace)
        #expect(error?.description == "write: No space left on device")
    }

    @Test func `a path with a NUL is refused before the kernel cuts it`() throws {
        let error = #expect(throws: FilesError.self) { _ = try FileDescriptor(opening: "/dev/null\0x", .read) }
        #expect(error?.code == .invalid)
    }

    @Test func `the description of an error has no path`() throws {
        let error = #expect(throws: FilesError.self) { _ = try FileDescriptor(opening: "/nowhere/secret", .read) }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.debugDescription.contains("secret") == true)
    }

    @Test func `a sealed file in memory can not be changed`() throws {
        let file = try FileDescriptor.memory(named: "picture")
        try file.writeAll([1, 2, 3])
        try file.seal()
        #expect(throws: FilesError.self) { try file.writeAll([4]) }
        #expect(try file.read(at: 0, upTo: 9) == [1, 2, 3])
    }

    @Test func `a copy carries the hash of its bytes`() throws {
        try withTemporaryDirectory { _, directory in
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try directory.writeAtomically(bytes, to: "source")
            let source = try directory.open("source", .read)
            let hashed = try directory.open("hashed", [.write, .create])
            let copied = try copyWhileHashing(from: source, to: hashed)
            #expect(copied.bytes == 3_000_000)
            try source.seek(to: 0)
            #expect(try hash(of: source) == copied)
            try source.seek(to: 0)
            let kernel = try directory.open("kernel", [.readWrite, .create])
            #expect(try copyInKernel(from: source, to: kernel) == 3_000_000)
            try kernel.seek(to: 0)
            #expect(try hash(of: kernel) == copied)
        }
    }
}
