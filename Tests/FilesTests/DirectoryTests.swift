import Files
import Glibc
import TestSupport
import Testing

@Suite(.tags(.unit), .timeLimit(.minutes(1)))
struct DirectoryTests {
    @Test(arguments: ["../x", "a/../../x", "/etc/passwd", ".."])
    func `a path can not lead out of the directory`(path: String) throws {
        try withTemporaryDirectory { _, directory in
            try directory.createDirectory("a")
            let error = #expect(throws: FilesError.self) { _ = try directory.open(path, .read) }
            #expect(error?.code == .outsideDirectory)
        }
    }

    @Test func `a symbolic link is not followed anywhere in a path`() throws {
        try withTemporaryDirectory { path, directory in
            try directory.createDirectory("real")
            try directory.writeAtomically([1], to: "file")
            makeSymbolicLink(at: "\(path)/link", to: "\(path)/real")
            makeSymbolicLink(at: "\(path)/last", to: "\(path)/file")
            for name in ["link/x", "last"] {
                let error = #expect(throws: FilesError.self) { _ = try directory.open(name, .read) }
                #expect(error?.code == .symbolicLink)
            }
            #expect(try directory.status(of: "last")?.kind == .symbolicLink)
        }
    }

    @Test(arguments: ["", ".", "..", "a/b", "/a", "a\0b"])
    func `only one part of a path is a name`(name: String) throws {
        try withTemporaryDirectory { _, directory in
            #expect(throws: FilesError.self) { try directory.createDirectory(name) }
            #expect(throws: FilesError.self) { try directory.remove(name) }
            #expect(throws: FilesError.self) { try directory.rename("x", as: name, replacing: true) }
        }
    }

    @Test func `a rename that must not replace keeps what is there`() throws {
        try withTemporaryDirectory { _, directory in
            try directory.writeAtomically([1], to: "a")
            try directory.writeAtomically([2], to: "b")
            let error = #expect(throws: FilesError.self) { try directory.rename("a", as: "b", replacing: false) }
            #expect(error?.code == .alreadyExists)
            #expect(try directory.read("b", limit: 9) == [2])
            try directory.rename("a", as: "b", replacing: true)
            #expect(try directory.read("b", limit: 9) == [1])
        }
    }

    @Test func `entries are sorted and names that are no text are marked`() throws {
        try withTemporaryDirectory { path, directory in
            try directory.createDirectory("b")
            try directory.writeAtomically([], to: "a")
            makeFile(in: path, named: [UInt8(ascii: "c"), 0xFF])
            let entries = try directory.entries()
            #expect(entries.map(\.kind) == [.regular, .directory, .regular])
            #expect(entries.map(\.isExact) == [true, true, false])
            #expect(entries.prefix(2).map(\.name) == ["a", "b"])
        }
    }

    @Test func `everything below a name is removed, links without following them`() throws {
        try withTemporaryDirectory { path, directory in
            try directory.writeAtomically([1], to: "outside")
            let inner = try directory.makeDirectory("tree")
            let deeper = try inner.makeDirectory("deeper")
            try deeper.writeAtomically([2], to: "file")
            makeSymbolicLink(at: "\(path)/tree/link", to: "\(path)/outside")
            try directory.removeAll("tree")
            #expect(try directory.entries().map(\.name) == ["outside"])
        }
    }

    @Test func `missing parents are made`() throws {
        try withTemporaryDirectory { path, directory in
            _ = try Directory(creating: "\(path)/a/b/c")
            #expect(try directory.openDirectory("a/b").entries().map(\.name) == ["c"])
            #expect(try directory.status(of: "a")?.permissions == 0o700)
        }
    }

    @Test func `a replaced file is old or new after a failure at any step`() throws {
        try withTemporaryDirectory { _, directory in
            var step = 1
            while true {
                try directory.writeAtomically(Array("old".utf8), to: "f")
                let faults = FileFaults(at: step, .failOnce(EIO))
                let failed = FileFaults.$current.withValue(faults) {
                    do {
                        try directory.writeAtomically(Array("new".utf8), to: "f")
                        return false
                    } catch {
                        return true
                    }
                }
                let content = try directory.read("f", limit: 9).map { String(decoding: $0, as: UTF8.self) }
                #expect(content == "old" || content == "new")
                #expect(try directory.entries().count == 1)
                guard failed else { break }
                step += 1
            }
            #expect(step == 6)
        }
    }

    @Test func `a lock keeps a second one out and names its holder`() throws {
        try withTemporaryDirectory { _, directory in
            do {
                let lock = try FileLock("lock", in: directory)
                let error = #expect(throws: FilesError.self) { _ = try FileLock("lock", in: directory) }
                #expect(error?.code == .locked)
                #expect(FileLock.holder(of: "lock", in: directory) == getpid())
                _ = consume lock
            }
            _ = try FileLock("lock", in: directory)
        }
    }

    @Test func `free space is told`() throws {
        try withTemporaryDirectory { _, directory in
            let space = try directory.descriptor.space()
            #expect(space.totalBytes > 0)
            #expect(space.availableBytes <= space.totalBytes)
        }
    }

    @Test func `a full disk stays full for writers`() throws {
        try withTemporaryDirectory { _, directory in
            let file = try directory.open("a", [.readWrite, .create])
            let faults = FileFaults(at: 2, .failFromThere(ENOSPC))
            try FileFaults.$current.withValue(faults) {
                try file.writeAll([1])
                #expect(throws: FilesError.self) { try file.writeAll([2]) }
                #expect(try file.read(at: 0, upTo: 9) == [1])
                #expect(throws: FilesError.self) { try file.sync() }
                #expect(try directory.remove("a"))
            }
        }
    }
}
