import Files
import Glibc
import Hashing
import LibraryIndexService
import Media
import MessageSchema
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct SavingTests {
    @Test func `a saved photo is there with what it says about itself`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let place = Location(latitude: 0, longitude: 9.45, altitude: nil)
            let bytes = try TestLibrary.picture(orientation: .right, location: place)
            let saved = try await library.save(bytes, named: "../x/holiday.png")
            let found = try await library.asset(saved.url)
            let record = try #require(found)
            #expect(record.url.description == "assets-library://asset/asset.JPG?id=\(record.id)&ext=JPG")
            #expect(record.filename == "holiday.png")
            #expect(record.uti == "public.jpeg")
            #expect(record.kind == .photo)
            #expect((record.width, record.height) == (24, 32))
            #expect(record.orientation == .right)
            #expect(record.location == place)
            #expect(record.date?.local?.hasPrefix("2026-03-01T14:00:00") == true)
            #expect(record.date?.offsetMinutes == 120)
            #expect(record.state == .ok)
            #expect(record.digest == SHA256Digest(hashing: bytes))
            let file = try await library.open(record)
            let read = try await library.read(file, at: 2, upTo: 1 << 20)
            #expect(read == Array(bytes.dropFirst(2)))
        }
    }

    @Test func `without the location neither the place nor the hash that holds it is shown`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let place = Location(latitude: 47, longitude: 9, altitude: nil)
            let record = try await library.save(try TestLibrary.picture(location: place))
            #expect(record.message(showsLocation: false).location == nil)
            #expect(record.message(showsLocation: false).sha256 == nil)
            #expect(record.message(showsLocation: true).location == place)
            #expect(record.message(showsLocation: true).sha256 == record.digest.description)
        }
    }

    @Test func `what the saver says wins over what the bytes say`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture()) { request in
                var metadata = SaveMetadata()
                metadata.orientation = .left
                metadata.cameraModel = "Other"
                request.metadata = metadata
            }
            #expect(record.orientation == .left)
            #expect(record.cameraModel == "Other")
            #expect(record.cameraMake == "Obscura")
        }
    }

    @Test func `what can not be viewed is refused and leaves nothing`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let picture = try TestLibrary.picture()
            let code1 = await refusal { _ = try await library.save([]) }
            #expect(code1 == .empty)
            let text = await refusal { _ = try await library.save(Array("no picture at all".utf8)) }
            let words = text.map { LibraryError($0).description } ?? "accepted"
            #expect(words.contains("can not be viewed or played"))
            let film = await refusal { _ = try await library.save(picture, mediaType: .movie) }
            #expect(film == .otherMediaType(found: .photo))
            let other = await refusal {
                _ = try await library.save(picture) { $0.sha256 = SHA256Digest(hashing: "x").description }
            }
            #expect(other == .otherContent)
            #expect(try placedFiles(path).isEmpty)
            #expect(try await library.all().isEmpty)
            let staging = try Directory(opening: "\(path)/store/staging").entries()
            #expect(staging.isEmpty)
        }
    }

    @Test func `the errors on the wire are those of the book`() {
        let reply = LibraryError(.empty).reply
        #expect(reply.domain == "ALAssetsLibraryErrorDomain")
        #expect(reply.number == -3302)
        #expect(reply.description == "Invalid data")
        let reason =
            "There was a problem writing this asset because the data is invalid and cannot be viewed or played."
        #expect(reply.reason == reason)
        #expect(reply.recoverySuggestion == "Try with different data")
        let full = LibraryError(.diskFull(needed: 100, available: 7)).reply
        #expect(full.number == -3305)
        #expect(full.parameters?["bytesNeeded"] == "100")
        #expect(full.parameters?["bytesAvailable"] == "7")
    }

    @Test func `saving the same bytes again makes another asset over one file`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let first = try await library.save(bytes)
            let second = try await library.save(bytes, owner: TestLibrary.ben)
            #expect(first.url != second.url)
            #expect(try await library.all().count == 2)
            #expect(try placedFiles(path).count == 1)
        }
    }

    @Test func `a repeated request has its effect once, another one with its key is a conflict`() async throws {
        try await withTemporaryDirectory { path in
            let bytes = try TestLibrary.picture()
            let library = try await TestLibrary.open(path)
            let first = try await library.save(bytes, key: "k")
            await library.close()
            let again = try await TestLibrary.open(path)
            #expect(try await again.save(bytes, key: "k").url == first.url)
            let other = try TestLibrary.picture(2)
            let code2 = await refusal { _ = try await again.save(other, key: "k") }
            #expect(code2 == .idempotencyConflict)
            #expect(try await again.save(bytes, owner: TestLibrary.ben, key: "k").url != first.url)
            #expect(try await again.all().count == 2)
        }
    }

    @Test func `a modified version names its original, which must be one's own`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let first = try await library.save(try TestLibrary.picture(1))
            let second = try await library.save(try TestLibrary.picture(2)) { $0.original = first.url }
            #expect(second.original == first.url)
            #expect(try await library.asset(second.url)?.original == first.url)
            #expect(try await library.asset(first.url)?.original == nil)
            let refused = await refusal {
                _ = try await library.save(try TestLibrary.picture(3), owner: TestLibrary.ben) {
                    $0.original = first.url
                }
            }
            #expect(refused == .noSuchAsset)
            #expect(try placedFiles(path).count == 2)
        }
    }

    @Test func `a full disk is named in bytes, and saving goes on when there is room`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let faults = FileFaults(at: 1, .failFromThere(ENOSPC))
            let code = await FileFaults.$current.withValue(faults) {
                await refusal { _ = try await library.save(bytes) }
            }
            guard case .diskFull(_, let available) = code else { return #expect(code == .empty) }
            #expect(available > 0)
            #expect(try await library.save(bytes).state == .ok)
        }
    }
}
