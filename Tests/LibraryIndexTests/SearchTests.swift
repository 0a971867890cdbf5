import Foundation
import LibraryIndexService
import Media
import MessageSchema
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct SearchTests {
    private func found(_ library: Library, page count: Int = 2, _ change: (inout AssetQuery) -> Void) async throws
        -> [String]
    {
        var query = AssetQuery()
        change(&query)
        let enumeration = try Enumeration(query)
        var names: [String] = []
        var cursor: Enumeration.Cursor?
        repeat {
            let page = try await library.page(of: enumeration, after: cursor, count: count)
            names += page.records.map(\.filename)
            cursor = page.next
        } while cursor != nil
        #expect(try await library.count(enumeration).count == names.count)
        return names
    }

    @Test func `words are found in names and captions, by their beginnings, without case and accents`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let names = ["Été à la mer.jpg", "Winter sea.jpg", "IMG_0042.jpg"]
            var records: [AssetRecord] = []
            for (seed, name) in names.enumerated() {
                records.append(try await library.save(try TestLibrary.picture(UInt8(seed + 1)), named: name))
            }
            _ = try await library.mark([records[2].url], favourite: nil, caption: "Grandmother's SEA house")
            #expect(try await found(library) { $0.text = "ete" } == [names[0]])
            #expect(try await found(library) { $0.text = "sea" } == [names[1], names[2]])
            #expect(try await found(library, page: 1) { $0.text = "SE" } == [names[1], names[2]])
            #expect(try await found(library) { $0.text = "sea house" } == [names[2]])
            #expect(try await found(library) { $0.text = "0042" } == [names[2]], "IMG_0042 is two words")
            #expect(try await found(library) { $0.text = "sea OR ete" }.isEmpty, "nothing is an operator")
            for text in ["a\"b", "NEAR(", "{x}:", "-sea"] { _ = try await found(library) { $0.text = text } }
            // Words that are none are in nothing.
            for text in ["\"", "*", " ", "!?", "\u{1F30A}"] {
                #expect(try await found(library) { $0.text = text }.isEmpty, "\(text)")
            }
            #expect(try await found(library) { $0.text = "" }.count == 3, "nothing is asked for")
            // It follows what changes and what goes.
            _ = try await library.mark([records[2].url], favourite: nil, caption: "")
            #expect(try await found(library) { $0.text = "house" }.isEmpty)
            _ = try await library.delete([records[1].url])
            #expect(try await found(library) { $0.text = "sea" }.isEmpty)
        }
    }

    @Test func `cameras and parts of the Earth are found, also across the 180th meridian`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let places = [("berlin", 52.5, 13.4), ("gulf", 0, 6.5), ("fiji", -17.8, 178), ("samoa", -13.8, -172)]
            for (seed, place) in places.enumerated() {
                let location = Location(latitude: place.1, longitude: place.2, altitude: nil)
                let bytes = try TestLibrary.picture(UInt8(seed + 1), location: location)
                _ = try await library.save(bytes, named: "\(place.0).jpg")
            }
            _ = try await library.save(try TestLibrary.picture(9), named: "nowhere.jpg")
            func area(_ south: Double, _ west: Double, _ north: Double, _ east: Double) async throws -> [String] {
                try await found(library) { $0.area = MapArea(south: south, west: west, north: north, east: east) }
            }
            #expect(try await area(50, 10, 55, 15) == ["berlin.jpg"])
            #expect(try await area(-1, 6, 1, 7) == ["gulf.jpg"])
            #expect(try await area(0, 6.5, 0, 6.5) == ["gulf.jpg"])
            #expect(try await area(-20, 170, -10, -170) == ["fiji.jpg", "samoa.jpg"])
            #expect(try await area(-90, -180, 90, 180).count == 4)
            #expect(try await found(library) { $0.camera = "PATTERN" }.count == 5)
            #expect(try await found(library) { $0.camera = "obscura pat" }.count == 5)
            #expect(try await found(library) { $0.camera = "leica" }.isEmpty)
        }
    }
}
