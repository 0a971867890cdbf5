import Testing

@testable import Media

@Suite("Places and orientations", .timeLimit(.minutes(1)))
struct ValueTests {
    @Test func `zero is a legal coordinate and overshoot is clamped`() {
        #expect(Location(latitude: 0, longitude: 0)?.latitude == 0)
        #expect(Location(latitude: 90.000_003, longitude: -180.000_1)?.latitude == 90)
        #expect(Location(latitude: 17_056_881.67, longitude: 0) == nil)
        #expect(Location(latitude: .nan, longitude: 0) == nil)
    }

    @Test(arguments: zip([0, 90, 180, 270, -90, 45], [1, 8, 3, 6, 6, 1]))
    func `a sensor's rotation becomes EXIF's number`(degrees: Int, number: Int) {
        #expect(Orientation(sensorRotation: degrees).rawValue == number)
    }

    @Test func `the Assets Library numbers all eight`() {
        #expect(Set(Orientation.allCases.map(\.assetsLibraryValue)) == Set(0...7))
    }
}
