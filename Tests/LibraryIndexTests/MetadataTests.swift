import Consent
import LibraryIndexService
import Media
import MessageSchema
import Messaging
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct MetadataTests {
    private static let place = Location(latitude: 0, longitude: 13.5, altitude: 40)

    private func withWire(_ body: (Wire, MessageClient) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            let wire = try await Wire(path)
            try await body(wire, try wire.client())
            await wire.stop()
        }
    }

    @Test func `the metadata is that of the file, and what was given at the save wins`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .addOnly)
            var request = SaveAsset(mediaType: .image, filename: "a.jpg")
            request.metadata = SaveMetadata()
            request.metadata?.cameraModel = "Another"
            let bytes = try TestLibrary.picture(orientation: .right, location: Self.place)
            let asset = try await client.upload(request, CallOptions(), Wire.chunks(bytes))
            let all = try #require(try await client.call(ReadMetadata(url: asset.url)).metadata)
            #expect(all["{TIFF}"] == ["Make": "Obscura", "Model": "Another", "Orientation": "6"])
            #expect(all["{Exif}"]?["DateTimeOriginal"] == asset.date?.raw)
            #expect(all["{Exif}"]?["OffsetTimeOriginal"] == "+02:00")
            #expect(all["{Exif}"]?["PixelXDimension"] == "32", "as it is stored")
            #expect(all["{GPS}"] == ["Latitude": "0.0", "Longitude": "13.5", "Altitude": "40.0"], "zero is a latitude")
            #expect(all["{Movie}"] == nil)
        }
    }

    @Test func `without location the place is neither in the metadata nor found by asking for it`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .read)
            let bytes = try TestLibrary.picture(location: Self.place)
            let record = try await wire.library.save(bytes, owner: Owner(principal: "uid:7", label: nil))
            let metadata = ReadMetadata(url: record.url)
            let hidden = try #require(try await client.call(metadata).metadata)
            #expect(hidden["{GPS}"] == nil && hidden["{TIFF}"]?["Make"] == "Obscura")
            var query = AssetQuery()
            query.area = MapArea(south: -1, west: 13, north: 1, east: 14)
            let search = CountAssets(query: query)
            let refused = await wireError { _ = try await client.call(search) }
            #expect(refused?.code == .dismissed, "it is asked for, and nobody is there to answer")
            let listed = await wireError {
                let stream = try await client.stream(ListAssets(query: query))
                while try await stream.next() != nil {}
            }
            #expect(listed?.code == .dismissed)
            try wire.decide(.allowed, .location, .read, Wire.us)
            #expect(try await client.call(metadata).metadata?["{GPS}"]?["Longitude"] == "13.5")
            #expect(try await client.call(search).count == 1)
        }
    }

    @Test func `what nobody has, and what only others have, is refused alike`() async throws {
        try await withWire { wire, client in
            try wire.decide(.denied, .read)
            let record = try await wire.library.save(
                try TestLibrary.picture(),
                owner: Owner(principal: "uid:7", label: nil)
            )
            for url in [record.url, AssetURL(id: AssetID().description, fileExtension: "JPG")] {
                let refused = await wireError { _ = try await client.call(ReadMetadata(url: url)) }
                #expect(refused?.number == -3311)
            }
        }
    }
}
