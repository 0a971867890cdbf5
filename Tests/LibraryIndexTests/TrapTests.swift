import Consent
import Foundation
import LibraryIndexService
import Media
import ObscuraClient
import TestSupport
import Testing

/// What a clone of the Assets Library gets wrong: the public API on a real library over real sockets, each trap a test.
///
/// Traps 1 to 6 are the camera's and the picker's, and 9 is in `AssetsLibraryTests`: the status is the coordinator's.
@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct TrapTests {
    private func withLibrary(_ body: (AssetsLibrary, Wire, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            let wire = try await Wire(path)
            try await body(AssetsLibrary(of: try ObscuraCluster(runtimeDirectory: path)), wire, path)
            await wire.stop()
        }
    }

    private func error(_ body: () async throws -> Void) async -> ObscuraError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? ObscuraError
        }
    }

    private func film(in folder: String) throws -> URL {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments =
            ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-c:v", "mjpeg", "film.mov"]
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return URL(filePath: "\(folder)/film.mov")
    }

    @Test func `trap 7: a URL that nothing has, and a name that is taken, give nothing and no error`() async throws {
        try await withLibrary { library, wire, _ in
            try wire.decide(.allowed, .readWrite)
            let id = AssetID().description
            #expect(try await library.asset(for: "assets-library://asset/asset.JPG?id=\(id)&ext=JPG") == nil)
            #expect(try await library.asset(for: "no URL at all") == nil)
            #expect(try await library.group(for: "assets-library://group/?id=\(id)") == nil)
            let album = try #require(try await library.addAlbum(named: "Sea"))
            #expect(album.isEditable && album.type == .album && album.numberOfAssets == 0)
            #expect(try await library.addAlbum(named: "Sea") == nil)
            #expect(try await library.group(for: album.url)?.name == "Sea")
            // Case and order of a URL make no difference.
            let photo = try await library.savePhoto(try TestLibrary.picture())
            let other = photo.url.replacing("assets-library://asset", with: "ASSETS-LIBRARY://Asset")
            #expect(try await library.asset(for: other)?.url == photo.url)
            #expect(try await library.asset(for: photo.url.lowercased())?.url == photo.url)
        }
    }

    @Test func `trap 8: without permission groups and assets are refused, and neither looks empty`() async throws {
        try await withLibrary { library, wire, _ in
            try wire.decide(.denied, .read)
            let groups = await error { _ = try await library.groups() }
            #expect(groups?.assetsLibraryNumber == .accessUserDenied)
            // On purpose otherwise than the Assets Library, where it ends as if there were none.
            let assets = await error { for try await _ in library.assets() {} }
            #expect(assets?.assetsLibraryNumber == .accessUserDenied)
        }
    }

    @Test func `trap 10: a change says everything, nothing, or what it was, and the three are told apart`() async throws
    {
        try await withLibrary { library, wire, _ in
            try wire.decide(.allowed, .readWrite)
            let start = try await library.currentChangeToken()
            let photo = try await library.savePhoto(try TestLibrary.picture(1))
            let some = try await first(of: library, since: start)
            guard case .only(let changes) = some.extent else {
                Issue.record("\(some)")
                return
            }
            #expect(changes.insertedAssets == [photo.url])
            let all = try #require(try await library.groups(of: .library).first)
            #expect(some.userInfo?[.updatedGroups]?.contains(all.url) == true, "an inserted asset shows as its group")
            #expect(some.userInfo?[.updatedAssets] == nil)

            let album = try #require(try await library.addAlbum(named: "gone at once"))
            try await library.deleteAlbum(album)
            let none = try await first(of: library, since: some.token)
            #expect(none.extent == .nothing && none.userInfo == [:])

            let foreign = "\(AssetID()).0"
            let every = try await first(of: library, since: foreign)
            #expect(every.extent == .everything && every.userInfo == nil)
            let expired = await error { _ = try await library.changes(since: foreign) }
            #expect(expired?.code == "changeTokenExpired")
            // What is done later is told from the new token on.
            try await library.setFavourite(true, [photo])
            let told = try await library.changes(since: every.token)
            #expect(told.changes.updatedAssets == [photo.url])
            #expect(told.changes.insertedAssets.isEmpty)
            #expect(try await library.changes(since: told.token).changes.isEmpty)
        }
    }

    private func first(of library: AssetsLibrary, since token: String) async throws -> LibraryNotification {
        var iterator = library.notifications(since: token).makeAsyncIterator()
        let notification = try await iterator.next()
        return try #require(notification)
    }

    @Test func `trap 11: the duration of a photo is the sentinel, and so is a property that is none`() async throws {
        try await withLibrary { library, wire, path in
            try wire.decide(.allowed, .addOnly)
            let photo = try await library.savePhoto(try TestLibrary.picture(orientation: .right))
            #expect(photo.value(for: .duration) == .invalid)
            #expect(photo.value(for: AssetProperty(rawValue: "ALAssetPropertyColour")) == .invalid)
            #expect(photo.value(for: .location) == .none, "nothing is not the sentinel")
            #expect(photo.value(for: .type) == .type(.photo))
            #expect(photo.value(for: .orientation) == .orientation(.right))
            #expect(photo.value(for: .representations) == .representations(["public.jpeg"]))
            #expect(photo.value(for: .urls) == .urls(["public.jpeg": photo.url]))
            #expect(photo.value(for: .assetURL) == .url(photo.url))
            #expect(photo.representation(for: "public.tiff") == nil)
            let video = try await library.saveVideo(at: try film(in: path))
            guard case .duration(let seconds) = video.value(for: .duration) else {
                Issue.record("\(video.value(for: .duration))")
                return
            }
            #expect(abs(seconds - 1) < 0.2)
        }
    }

    @Test func `trap 12: metadata that is given wins over what the file says`() async throws {
        try await withLibrary { library, wire, _ in
            try wire.decide(.allowed, .addOnly)
            var metadata = PhotoMetadata()
            metadata.orientation = .left
            metadata.cameraMake = "Another"
            let photo = try await library.savePhoto(try TestLibrary.picture(orientation: .up), metadata: metadata)
            #expect(photo.orientation == .left)
            #expect(photo.size == PixelSize(width: 24, height: 32), "as it is displayed")
            #expect(photo.time?.local?.hasPrefix("2026-03-01T") == true, "what was not given is the file's")
        }
    }

    @Test func `trap 13: a program can edit only what it has saved itself`() async throws {
        try await withLibrary { library, wire, _ in
            try wire.decide(.allowed, .readWrite)
            let stranger = try await wire.library.save(
                try TestLibrary.picture(1),
                owner: Owner(principal: "uid:7", label: nil)
            )
            let seen = try #require(try await library.asset(for: stranger.url.description))
            #expect(!seen.isEditable)
            let refused = await error { _ = try await library.setPhoto(of: seen, to: try TestLibrary.picture(2)) }
            #expect(refused?.assetsLibraryNumber == .writeFailed)
            #expect(refused?.cause == "notEditable")
            let own = try await library.savePhoto(try TestLibrary.picture(3))
            #expect(own.isEditable)
            // Its original may be anybody's that the program may read.
            let modified = try await library.saveModifiedPhoto(try TestLibrary.picture(4), of: seen)
            #expect(modified.isEditable)
            #expect(try await library.originalAsset(of: modified)?.url == seen.url)
        }
    }

    @Test func `trap 14: edited in place it has the same URL, saved as modified a new one and its original`()
        async throws
    {
        try await withLibrary { library, wire, _ in
            try wire.decide(.allowed, .addOnly)
            let photo = try await library.savePhoto(try TestLibrary.picture(1))
            let edited = try await library.setPhoto(of: photo, to: try TestLibrary.picture(2))
            #expect(edited.url == photo.url)
            #expect(edited.sha256 != photo.sha256)
            #expect(try await library.originalAsset(of: edited) == nil)
            let modified = try await library.saveModifiedPhoto(try TestLibrary.picture(3), of: photo)
            #expect(modified.url != photo.url)
            #expect(try await library.originalAsset(of: modified)?.url == photo.url)
            #expect(try await library.asset(for: photo.url) == edited)
        }
    }

    @Test func `trap 15: no bytes are the end, and an error is an error`() async throws {
        try await withLibrary { library, wire, path in
            try wire.decide(.allowed, .addOnly)
            let bytes = try TestLibrary.picture()
            let photo = try await library.savePhoto(bytes)
            let file = photo.defaultRepresentation
            // The book's loop: 1,024 bytes at a time until none come.
            var read: [UInt8] = []
            while true {
                let chunk = try await file.readBytes(from: Int64(read.count), count: 1_024)
                if chunk.isEmpty { break }
                read += chunk
            }
            #expect(read == bytes)
            #expect(try await file.readBytes(from: file.size + (1 << 33), count: 1).isEmpty, "far beyond 4 GiB, too")
            let placed = try #require(try placedFiles(path).first)
            try FileManager.default.removeItem(atPath: "\(path)/store/media/\(placed)")
            let lost = await error { _ = try await file.readBytes(from: 0, count: 1_024) }
            #expect(lost?.code == "damaged")
        }
    }

    @Test func `trap 16: the full resolution is the file as it is, and the screen's picture is upright`() async throws {
        try await withLibrary { library, wire, path in
            try wire.decide(.allowed, .addOnly)
            let bytes = try TestLibrary.picture(orientation: .right)
            let photo = try await library.savePhoto(bytes)
            #expect(try await photo.defaultRepresentation.fullResolutionImage() == bytes)
            let screen = try await photo.defaultRepresentation.fullScreenImage()
            #expect(screen != bytes)
            let shown = try await library.savePhoto(screen)
            #expect(shown.orientation == .up)
            #expect(shown.size == PixelSize(width: 24, height: 32))
            let square = try await library.savePhoto(try await photo.squareThumbnail(side: 16))
            #expect(square.size == PixelSize(width: 16, height: 16))
            let video = try await library.saveVideo(at: try film(in: path))
            let refused = await error { _ = try await video.defaultRepresentation.fullResolutionImage() }
            #expect(refused?.code == "imageUnavailable")
            #expect(try await !video.defaultRepresentation.fullScreenImage().isEmpty)
        }
    }

    @Test func `trap 17: a denied write is -3310, and a denied enumeration -3311`() async throws {
        try await withLibrary { library, wire, path in
            try wire.decide(.denied, .addOnly)
            let write = await error { _ = try await library.savePhoto(try TestLibrary.picture()) }
            #expect(write?.assetsLibraryNumber == .dataUnavailable)
            #expect(write?.cause == "accessDenied")
            let album = await error { _ = try await library.addAlbum(named: "Sea") }
            #expect(album?.assetsLibraryNumber == .dataUnavailable)
            let check = await error { _ = try await library.isVideoCompatible(at: try film(in: path)) }
            #expect(check?.assetsLibraryNumber == .dataUnavailable)
            let read = await error { for try await _ in library.assets() {} }
            #expect(read?.assetsLibraryNumber == .accessUserDenied)
        }
    }

    @Test func `a film is compatible, other bytes are not, and nothing is saved or asked`() async throws {
        try await withLibrary { library, wire, path in
            #expect(try await library.isVideoCompatible(at: try film(in: path)))
            for (name, bytes) in [("a.mov", Array("text".utf8)), ("b.mov", try TestLibrary.picture())] {
                try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
                #expect(try await !library.isVideoCompatible(at: URL(filePath: "\(path)/\(name)")))
            }
            #expect(try await !library.isVideoCompatible(at: URL(filePath: "/no/such/film.mov")))
            #expect(try await wire.library.all().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/store/staging").isEmpty)
        }
    }

    @Test func `assets come forwards, backwards and by index, each with its index, and stay in order`() async throws {
        try await withLibrary { library, wire, path in
            try wire.decide(.allowed, .readWrite)
            var urls: [String] = []
            for seed in 1...5 {
                let bytes = try TestLibrary.picture(UInt8(seed), seconds: 1_772_366_400 + Int64(seed))
                urls.append(try await library.savePhoto(bytes).url)
            }
            _ = try await library.saveVideo(at: try film(in: path))
            var forwards: [String] = []
            for try await (index, asset) in library.assets(.allPhotos).indexed {
                #expect(index == forwards.count)
                forwards.append(asset.url)
            }
            #expect(forwards == urls)
            var backwards: [Int] = []
            for try await (index, asset) in library.assets(.allPhotos, isReversed: true).indexed {
                #expect(asset.url == urls[index])
                backwards.append(index)
            }
            #expect(backwards == [4, 3, 2, 1, 0])
            func some(_ indices: Range<Int>, _ isReversed: Bool = false) async throws -> [String] {
                var found: [String] = []
                let assets = try await library.assets(at: indices, .allPhotos, isReversed: isReversed)
                for try await asset in assets { found.append(asset.url) }
                return found
            }
            #expect(try await some(1..<3) == Array(urls[1..<3]))
            #expect(try await some(1..<3, true) == [urls[2], urls[1]])
            #expect(try await some(3..<9) == Array(urls[3...]))
            #expect(try await some(3..<9, true) == [urls[4], urls[3]])
            #expect(try await some(7..<9).isEmpty)
            #expect(try await some(7..<9, true).isEmpty)
            #expect(try await library.numberOfAssets(.allVideos) == 1)
            #expect(try await library.numberOfAssets(.allPhotos) == 5)
            let saved = try #require(try await library.groups(of: .savedPhotos).first)
            #expect(try await library.numberOfAssets(in: saved) == 6)
            #expect(try await library.posterImage(of: saved)?.starts(with: [0xFF, 0xD8]) == true)
        }
    }

    @Test func `the trash, favourites and captions are what the program says, its own without asking`() async throws {
        try await withLibrary { library, wire, _ in
            try wire.decide(.allowed, .addOnly)
            let own = try await library.savePhoto(try TestLibrary.picture(1))
            #expect(try await library.trash([own]) == 1)
            #expect(try await library.asset(for: own.url) == nil)
            #expect(try await library.restore([own]) == 1)
            try await library.setCaption("At the sea", of: own)
            #expect(try await library.setFavourite(true, [own]) == 1)
            let found = try #require(try await library.asset(for: own.url))
            #expect(found.caption == "At the sea" && found.isFavourite)
            // Others' need the permission to change the library, and nobody is told which there are.
            let stranger = try await wire.library.save(
                try TestLibrary.picture(2),
                owner: Owner(principal: "uid:7", label: nil)
            )
            let unknown = AssetID().description
            let client = try wire.client()
            for url in [stranger.url.description, "assets-library://asset/asset.JPG?id=\(unknown)&ext=JPG"] {
                #expect(try await Self.codeOfTrashing(url, client) == "dismissed")
            }
            try wire.decide(.allowed, .readWrite)
            let theirs = try #require(try await library.asset(for: stranger.url.description))
            #expect(try await library.trash([own, theirs]) == 2)
            var trashed: [String] = []
            for try await asset in library.trashedAssets() {
                #expect(asset.expires != nil)
                trashed.append(asset.url)
            }
            #expect(Set(trashed) == [own.url, theirs.url])
            #expect(try await library.delete([own, theirs]) == 2)
            #expect(try await library.numberOfAssets() == 0)
        }
    }
}
