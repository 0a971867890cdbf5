import Containers
import DecoderService
import Foundation
import Media
import TestSupport
import Testing

/// How pictures were taken, compared with what exiftool says.
@Suite(.timeLimit(.minutes(2)), .enabled(if: Corpus.isThere))
struct `The exposure of a picture` {
    private struct Facts: Decodable {
        let time: Double?
        let aperture: Double?
        let sensitivity: Int?
        let focalLength: Double?

        private enum CodingKeys: String, CodingKey {
            case time = "ExposureTime"
            case aperture = "FNumber"
            case sensitivity = "ISO"
            case focalLength = "FocalLength"
        }
    }

    @Test(arguments: ["Canon.jpg", "Nikon.jpg", "Sony.jpg", "Olympus.jpg", "Pentax.jpg", "ExifTool.jpg"])
    func `is what exiftool reads`(name: String) throws {
        let report = Inspector(headersOnly: true).inspect(RandomAccessBytes(try Corpus.bytes(name)))
        let tags = ["ExposureTime", "FNumber", "ISO", "FocalLength"].map { "-ExifIFD:\($0)" }
        let output = try Tool.run("exiftool", ["-n", "-json"] + tags + [name], in: Corpus.directory)
        let facts = try #require(try JSONDecoder().decode([Facts].self, from: output).first)
        #expect(near(report.exposureTime, facts.time))
        #expect(near(report.aperture, facts.aperture))
        #expect(report.sensitivity == facts.sensitivity)
        #expect(near(report.focalLength, facts.focalLength))
    }

    private func near(_ left: Double?, _ right: Double?) -> Bool {
        guard let left, let right, right != 0 else { return (left == nil) == (right == nil || right == 0) }
        return abs(left - right) <= 0.001 * abs(right)
    }
}
