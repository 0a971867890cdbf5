import Files
import Foundation
import Imaging
import LibraryIndexService
import Logging
import Media
import MessageSchema
import Timekeeping

/// Libraries and pictures for the tests.
enum TestLibrary {
    static let ann = Owner(principal: "uid:1000", label: "booth")
    static let ben = Owner(principal: "uid:1001", label: nil)

    /// The real worker, beside the tests.
    static let decoder: String = {
        let ours = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: ours).deletingLastPathComponent().appending(path: "obscura-decoder").path
    }()

    static func open(
        _ path: String,
        decoder: String = TestLibrary.decoder,
        limits: DecoderPool.Limits = DecoderPool.Limits(),
        announce: @escaping @Sendable ([LibraryEvent]) -> Void = { _ in },
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) async throws -> Library {
        let location = Library.Location(index: "\(path)/library", media: "\(path)/store", decoder: decoder)
        return try await Library(
            at: location,
            limits: limits,
            log: Logger(service: "test", sink: .discard),
            now: now,
            announce: announce
        )
    }

    /// A small picture; another one for each seed.
    static func picture(
        _ seed: UInt8 = 1,
        orientation: Orientation = .up,
        location: Location? = nil,
        seconds: Int64 = 1_772_366_400
    ) throws -> [UInt8] {
        let pixels = (0..<(32 * 24 * 3)).map { UInt8(truncatingIfNeeded: $0 / 3 &* Int(seed) &+ $0 % 3 * 40) }
        let shape = PictureShape(layout: .rgb24, width: 32, height: 24, bytesPerRow: 96)
        let plain = try JPEGEncoder().encode(pixels, shape: shape, quality: 90)
        let time = CaptureTime(microsecondsSince1970: seconds * 1_000_000, offsetMinutes: 120)
        var fields = EXIFFields(
            time: time,
            make: "Obscura",
            model: "Pattern",
            software: "test",
            orientation: orientation,
            width: 32,
            height: 24
        )
        fields.location = location
        return try EXIFWriter.written(fields, into: plain)
    }

    /// An executable script that stands in for a worker that fails.
    static func script(_ text: String, in path: String) throws -> String {
        let file = "\(path)/worker-\(text.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFF)"
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file)
        return file
    }
}

extension Library {
    func save(
        _ bytes: [UInt8],
        named name: String = "a.jpg",
        mediaType: MediaType = .image,
        owner: Owner = TestLibrary.ann,
        key: String? = nil,
        _ change: (inout SaveAsset) -> Void = { _ in }
    ) async throws -> AssetRecord {
        var request = SaveAsset(mediaType: mediaType, filename: name)
        change(&request)
        let upload = try await self.upload(bytes)
        return try await save(upload, as: request, owner: owner, key: key, mayReferToAll: false)
    }

    func importFile(_ bytes: [UInt8], named name: String = "a.jpg", owner: Owner = TestLibrary.ann) async throws
        -> ImportedFile
    {
        let upload = try await self.upload(bytes)
        return try await importFile(upload, as: ImportAsset(filename: name), owner: owner, key: nil)
    }

    func all(
        since: String? = nil,
        until: String? = nil,
        kind: AssetKind? = nil,
        filter: String? = nil,
        group: GroupURL? = nil,
        reverse: Bool? = nil,
        page count: Int = 100
    ) async throws -> [AssetRecord] {
        var query = AssetQuery()
        query.since = since
        query.until = until
        query.kind = kind
        query.filter = filter
        query.group = group
        query.reverse = reverse
        let enumeration = try Enumeration(query)
        var found: [AssetRecord] = []
        var cursor: Enumeration.Cursor?
        repeat {
            let page = try await page(of: enumeration, after: cursor, count: count)
            found += page.records
            cursor = page.next
        } while cursor != nil
        return found
    }

    func upload(_ bytes: [UInt8]) async throws -> MediaStore.UploadID {
        let upload = try await beginUpload()
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            try await append(Array(bytes[start..<min(start + 1000, bytes.count)]), to: upload)
        }
        return upload
    }
}

/// The names of all files below a directory of the store.
func placedFiles(_ path: String) throws -> [String] {
    let all =
        FileManager.default.enumerator(atPath: "\(path)/store/media")?.allObjects.compactMap { $0 as? String } ?? []
    return all.filter { $0.split(separator: "/").count == 3 }.sorted()
}

/// The code of the library's error that the body throws.
///
/// Never inside `#expect`: a closure in a macro's expansion can be taken for the next one of the function (Swift 6.3.1).
func refusal(_ body: () async throws -> Void) async -> LibraryError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? LibraryError)?.code
    }
}
