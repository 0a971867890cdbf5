import Imaging
import MessageSchema
import TestSupport
import Testing
import Video4Linux
import VideoConversion

@testable import CaptureService

extension FaultMatrixTests {
    /// Photos of formats that libv4lconvert alone decodes, through the whole of what takes photos; after one another with the
    /// others, which use the same cameras.
    @Suite struct Conversion {
        /// Of each way of converting one, where not everything is tried: packed, planar, mosaic, few bits.
        static let formats: [PixelFormat] =
            LabCamera.isWhole ? ConvertibleFormat.all.map(\.pixelFormat) : ["YVYU", "YV12", "RGGB", "RGBP"]

        /// Red, green and blue of vivid's eight bars, in the middle of each, below what it writes.
        private static func bars(_ file: [UInt8]) throws -> [[Int]] {
            let picture = try JPEGDecoder().decode(file)
            #expect((picture.width, picture.height) == (320, 180))
            return (0..<8).map { bar in
                let start = ((picture.height - 6) * picture.width + (2 * bar + 1) * picture.width / 16) * 3
                return picture.bytes[start..<start + 3].map { Int($0) }
            }
        }

        @Test(arguments: formats)
        func `a photo of a format that only the library decodes shows what one of the native format shows`(
            pixelFormat: PixelFormat
        ) async throws {
            let camera = try LabCamera(driver: "vivid", number: 0)
            guard camera.camera.formats.contains(where: { $0.pixelFormat == pixelFormat.description }) else {
                try Test.cancel("this interface does not have it")
            }
            let native = await camera.photos(1, in: camera.session(in: .yuyv))
            let converted = await camera.photos(1, in: camera.session(in: pixelFormat))
            #expect(native.error == nil && converted.error == nil)
            let wanted = try Self.bars(try #require(native.files.first))
            let shown = try Self.bars(try #require(converted.files.first))
            // A mosaic, few bits and two rounds of JPEG: a tenth of the range.
            for (bar, colours) in zip(wanted, shown).enumerated() {
                for (one, other) in zip(colours.0, colours.1) {
                    #expect(abs(one - other) <= 26, "bar \(bar): \(colours.0) and \(colours.1)")
                }
            }
            // They are bars, and no two beside each other are alike.
            for (left, right) in zip(shown, shown.dropFirst()) {
                #expect(zip(left, right).contains { abs($0 - $1) > 60 })
            }
            let segments = try JPEGSegments(try #require(converted.files.first))
            #expect(segments.hasHuffmanTables)
        }
    }
}
