import Foundation
import LibraryIndexService
import Media
import MessageSchema
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct EnumerationTests {
    /// Ten pictures, an hour apart, saved in another order than they were taken.
    private func filled(_ path: String) async throws -> (Library, [AssetURL]) {
        let library = try await TestLibrary.open(path)
        var urls: [Int: AssetURL] = [:]
        for hour in [3, 1, 4, 0, 9, 2, 6, 5, 8, 7] {
            let bytes = try TestLibrary.picture(UInt8(hour + 1), seconds: 1_772_366_400 + Int64(hour) * 3600)
            urls[hour] = try await library.save(bytes, named: "IMG_\(hour).JPG").url
        }
        return (library, (0...9).compactMap { urls[$0] })
    }

    @Test func `pages of any size give every asset once, by wall clock, in both directions`() async throws {
        try await withTemporaryDirectory { path in
            let (library, urls) = try await filled(path)
            for count in [1, 3, 5, 10, 11] {
                #expect(try await library.all(page: count).map(\.url) == urls)
                #expect(try await library.all(reverse: true, page: count).map(\.url) == urls.reversed())
            }
        }
    }

    @Test func `times are compared with the wall clock, whatever their offset`() async throws {
        try await withTemporaryDirectory { path in
            let (library, urls) = try await filled(path)
            // The first was taken at 14:00 on its own clock.
            let since = try await library.all(since: "2026-03-01T21:00:00")
            #expect(since.map(\.url) == Array(urls[7...]))
            let zoned = try await library.all(since: "2026-03-01T21:00:00-05:00")
            #expect(zoned.map(\.url) == Array(urls[7...]))
            #expect(try await library.all(until: "2026-03-01T16:00:00Z").map(\.url) == Array(urls[...2]))
            #expect(try await library.all(until: "2026-03-01").map(\.url) == urls)
            #expect(try await library.all(until: "2026-02-28").isEmpty)
            #expect(try await library.all(since: "2026-03-02").isEmpty)
        }
    }

    @Test(arguments: ["yesterday", "2026-02-30", "", "2026-03-01T25:00:00Z", "2026-03-01 OR 1=1", "２０２６-03-01"])
    func `a time that is none is refused`(text: String) {
        var query = AssetQuery()
        query.since = text
        #expect(throws: LibraryError.self) { _ = try Enumeration(query) }
    }

    @Test func `kinds, names and groups narrow it down`() async throws {
        try await withTemporaryDirectory { path in
            let (library, urls) = try await filled(path)
            #expect(try await library.all(kind: .video).isEmpty)
            #expect(try await library.all(kind: .photo).count == 10)
            #expect(try await library.all(filter: "img_7").map(\.url) == [urls[7]])
            #expect(try await library.all(filter: "%").isEmpty)
            let code = await refusal { _ = try await library.all(group: GroupURL(id: AssetID().description)) }
            #expect(code == .noSuchGroup)
        }
    }

    @Test func `an album keeps the order in which it was filled`() async throws {
        try await withTemporaryDirectory { path in
            let (library, urls) = try await filled(path)
            let made = try await library.createAlbum(named: "Trip")
            let album = try #require(made)
            let order = [urls[5], urls[1], urls[8]]
            #expect(try await library.change(.add, album.url, order + [urls[5]]).changed == 3)
            for count in [1, 2, 3] {
                #expect(try await library.all(group: album.url, page: count).map(\.url) == order)
            }
            let reversed = try await library.all(group: album.url, reverse: true)
            #expect(reversed.map(\.url) == order.reversed())
            #expect(try await library.change(.remove, album.url, [urls[1], urls[2]]).changed == 1)
            #expect(try await library.all(group: album.url).count == 2)
        }
    }

    @Test func `the built-in groups and the albums have their counts`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            _ = try await library.save(try TestLibrary.picture(1))
            let imported = try await library.importFile(try TestLibrary.picture(2))
            let importedURL = try #require(imported.record?.url)
            let groups = try await library.groups(of: nil)
            #expect(groups.map(\.type) == [.library, .savedPhotos])
            #expect(groups.map(\.count) == [2, 1])
            #expect(groups.map(\.editable) == [false, true])
            #expect(try await library.change(.add, groups[1].url, [importedURL]).changed == 1)
            #expect(try await library.change(.add, groups[0].url, [importedURL]).changed == 0)
            #expect(try await library.groups(of: [.savedPhotos]).map(\.count) == [2])
        }
    }

    @Test func `a taken album name gives nothing, also in another form of the same text`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            #expect(try await library.createAlbum(named: "Caf\u{E9}") != nil)
            #expect(try await library.createAlbum(named: "Cafe\u{301}") == nil)
            #expect(try await library.createAlbum(named: "../../x") != nil)
            for name in ["", "a\nb", String(repeating: "x", count: 256)] {
                let code = await refusal { _ = try await library.createAlbum(named: name) }
                guard case .invalidArgument = code else { return #expect(code == .empty) }
            }
        }
    }

    @Test func `there are no more albums than an answer can name`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let name = String(repeating: "\"", count: 250)
            var made = 0
            let code = await refusal {
                while made < 2_000, try await library.createAlbum(named: "\(name)\(made)") != nil { made += 1 }
            }
            guard case .invalidArgument = code else { return #expect(code == .empty) }
            let groups = try await library.groups(of: nil)
            #expect(try JSONEncoder().encode(ListGroups.Reply(groups: groups)).count <= Limits.bodyBytes)
        }
    }
}
