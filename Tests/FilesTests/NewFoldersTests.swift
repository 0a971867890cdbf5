import Files
import Foundation
import TestSupport
import Testing

@Suite(.tags(.unit), .timeLimit(.minutes(1)))
struct NewFoldersTests {
    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test(arguments: [true, false])
    func `only what was not there is removed, and only what is empty`(isAlong: Bool) throws {
        try withTemporaryDirectory { path, directory in
            try directory.createDirectory("old")
            let look = {
                isAlong ? NewFolders(along: "\(path)/old/a/b/c") : NewFolders(["old", "a", "b", "c"], below: path)
            }
            let new = look()
            _ = try Directory(creating: "\(path)/old/a/b/c")
            new.removeEmpty()
            #expect(try names("\(path)/old").isEmpty)
            _ = try Directory(creating: "\(path)/old/a/b")
            new.removeEmpty()
            #expect(try names("\(path)/old").isEmpty, "one that was never made is not in the way")
            _ = try Directory(creating: "\(path)/old/a/b/c")
            look().removeEmpty()
            #expect(try names("\(path)/old/a/b") == ["c"], "it was there already")
            _ = try directory.openDirectory("old/a").makeDirectory("mine")
            new.removeEmpty()
            #expect(try names("\(path)/old/a") == ["mine"])
        }
    }

    @Test func `links are followed on the user's own path, and none below a root`() throws {
        try withTemporaryDirectory { path, directory in
            try directory.createDirectory("real")
            makeSymbolicLink(at: "\(path)/link", to: "\(path)/real")
            let along = NewFolders(along: "\(path)/link/a")
            _ = try Directory(creating: "\(path)/real/a")
            let below = NewFolders(["link", "a"], below: path)
            below.removeEmpty()
            #expect(try names("\(path)/real") == ["a"])
            along.removeEmpty()
            #expect(try names("\(path)/real").isEmpty)
        }
    }
}
