import Files
import Foundation
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

    /// Metadata that can not be kept, by what is wrong with it.
    private static let wrongMetadata: [String: @Sendable (inout SaveMetadata) -> Void] = [
        "a make that is too long": { $0.cameraMake = String(repeating: "x", count: 257) },
        "a model with a line end": { $0.cameraModel = "a\nb" },
        "a raw date that is too long": { $0.date = AssetDate(raw: String(repeating: "1", count: 100_000), local: nil) },
        "a wall clock that is none": { $0.date = AssetDate(raw: "x", local: "yesterday") },
        "a wall clock with more behind it": { $0.date = AssetDate(raw: "x", local: "2026-03-01T14:00:00 and so on") },
        "a time that is none": { $0.date = AssetDate(raw: "x", local: nil, utc: "2026-02-30T00:00:00Z") },
        "a time without offset": { $0.date = AssetDate(raw: "x", local: nil, utc: "2026-02-28T00:00:00") },
        "an offset of days": { $0.date = AssetDate(raw: "x", local: nil, offsetMinutes: 9999) },
        "a place beyond the pole": { metadata in
            let text = #"{"latitude": 91, "longitude": 0}"#
            metadata.location = try? JSONDecoder().decode(Location.self, from: Data(text.utf8))
        },
    ]

    @Test(arguments: SavingTests.wrongMetadata.keys.sorted())
    func `metadata that can not be kept is refused by its name`(what: String) async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let change = try #require(Self.wrongMetadata[what])
            let bytes = try TestLibrary.picture()
            let code = await refusal {
                _ = try await library.save(bytes) { request in
                    var metadata = SaveMetadata()
                    change(&metadata)
                    request.metadata = metadata
                }
            }
            guard case .invalidArgument = code else { return #expect(code == .empty) }
            #expect(try await library.all().isEmpty)
        }
    }

    @Test func `times are kept in one form`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture()) { request in
                var metadata = SaveMetadata()
                let utc = "2026-03-01T14:00:00.25+02:00"
                metadata.date = AssetDate(raw: "r", local: "2026-03-01T14:00:00.25", offsetMinutes: 120, utc: utc)
                request.metadata = metadata
            }
            #expect(record.date?.local == "2026-03-01T14:00:00.25")
            #expect(record.date?.utc == "2026-03-01T12:00:00.25Z")
        }
    }

    @Test func `a long name keeps its end, and is no work for anybody`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let name = String(repeating: "é", count: 200_000) + ".JPG"
            let record = try await library.save(try TestLibrary.picture(), named: name)
            #expect(record.filename.utf8.count <= 255)
            #expect(record.filename.hasSuffix("é.JPG"))
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
        #expect(reply.parameters == ["found": "there is nothing in it"])
        #expect(LibraryError(.unusable(reason: "it ends too soon")).reply.parameters == ["found": "it ends too soon"])
        #expect(LibraryError(.otherMediaType(found: .photo)).reply.parameters == ["found": "it is a photo"])
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
