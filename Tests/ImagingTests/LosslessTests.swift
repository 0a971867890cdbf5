import Containers
import Imaging
import Media
import TestSupport
import Testing

/// PNG and TIFF, with FFmpeg and exiftool as witnesses.
@Suite(.timeLimit(.minutes(1)))
struct LosslessTests {
    /// A picture of a layout in which every sample is another number, with padded rows.
    struct Sample: Sendable, CustomTestStringConvertible {
        let shape: PictureShape
        let bytes: [UInt8]

        init(_ layout: PixelLayout, isFullRange: Bool = false, isRec709: Bool = false, padding: Int = 8) {
            let least = layout.minimumBytesPerRow(width: 62)
            shape = PictureShape(
                layout: layout,
                width: 62,
                height: 34,
                bytesPerRow: least + padding,
                isFullRange: isFullRange,
                isRec709: isRec709
            )
            // From 16 to 235, so that no sample is outside its range and none is next to its like.
            bytes = (0..<shape.byteCount).map { UInt8(16 + $0 * 37 % 220) }
        }

        var testDescription: String {
            "\(shape.layout)\(shape.isFullRange ? " full" : "")\(shape.isRec709 ? " 709" : "")"
        }
    }

    static let samples =
        PixelLayout.allCases.map { Sample($0) } + [
            Sample(.yuyv, isFullRange: true), Sample(.nv12, isRec709: true), Sample(.grey, isFullRange: true),
            Sample(.rgb24, padding: 0),
        ]

    @Test(.enabled(if: Tool.isInstalled("ffmpeg")), arguments: samples)
    func `a PNG decodes to the same pixels`(sample: Sample) throws {
        let picture = try InterleavedPicture(sample.bytes, shape: sample.shape)
        let png = try PNGEncoder.encode(picture)
        let format = picture.components == 3 ? "rgb24" : "gray"
        #expect(try Tool.raw(png, as: format) == picture.bytes)
    }

    @Test func `red, green and blue stay what they are`() throws {
        let sample = Sample(.bgr24)
        let picture = try InterleavedPicture(sample.bytes, shape: sample.shape)
        for (row, column) in [(0, 0), (17, 40), (33, 61)] {
            let from = row * sample.shape.bytesPerRow + column * 3
            let to = (row * 62 + column) * 3
            #expect(Array(picture.bytes[to..<to + 3]) == sample.bytes[from..<from + 3].reversed())
        }
    }

    /// Luma and chroma, and the colours that they mean (ITU-R BT.601 and BT.709; limited range unless told otherwise).
    static let colours: [(luma: UInt8, blue: UInt8, red: UInt8, full: Bool, rec709: Bool, rgb: [UInt8])] = [
        (16, 128, 128, false, false, [0, 0, 0]), (235, 128, 128, false, false, [255, 255, 255]),
        (126, 128, 128, false, true, [128, 128, 128]), (200, 128, 128, true, false, [200, 200, 200]),
        // Full red, green and blue of each matrix.
        (81, 90, 240, false, false, [254, 0, 0]), (145, 54, 34, false, false, [0, 255, 1]),
        (41, 240, 110, false, false, [0, 0, 255]), (63, 102, 240, false, true, [255, 1, 0]),
        (173, 42, 26, false, true, [0, 255, 1]), (32, 240, 118, false, true, [1, 0, 255]),
        (76, 85, 255, true, false, [254, 0, 0]),
    ]

    @Test(arguments: colours)
    func `luma and chroma become the colours that they mean`(
        colour: (luma: UInt8, blue: UInt8, red: UInt8, full: Bool, rec709: Bool, rgb: [UInt8])
    ) throws {
        let shape = PictureShape(
            layout: .yuyv,
            width: 2,
            height: 1,
            isFullRange: colour.full,
            isRec709: colour.rec709
        )
        let bytes = [colour.luma, colour.blue, colour.luma, colour.red]
        let picture = try InterleavedPicture(bytes, shape: shape)
        for (got, wanted) in zip(picture.bytes.prefix(3), colour.rgb) {
            #expect(abs(Int(got) - Int(wanted)) <= 1, "\(picture.bytes)")
        }
    }

    @Test(.enabled(if: Tool.isInstalled("ffmpeg")), arguments: samples)
    func `a raw file has every sample of the camera`(sample: Sample) throws {
        let file = try TIFFWriter.file(
            sample.bytes,
            shape: sample.shape,
            EXIFWriterTests.fields,
            description: "V4L2 test"
        )
        let format =
            switch sample.shape.layout {
            case .yuyv, .uyvy: "yuv422p"
            case .nv12, .yuv420: "yuv420p"
            case .rgb24, .bgr24: "rgb24"
            case .grey: "gray"
            }
        #expect(try Tool.raw(file, as: format) == Self.planes(sample))
    }

    /// The samples plane by plane, as FFmpeg writes them, taken from the camera's bytes without help of the code under test.
    private static func planes(_ sample: Sample) -> [UInt8] {
        let (shape, bytes) = (sample.shape, sample.bytes)
        let (width, height, stride) = (shape.width, shape.height, shape.bytesPerRow)
        func samples(_ start: Int, _ step: Int, _ count: Int, _ rows: Int, _ rowBytes: Int) -> [UInt8] {
            (0..<rows).flatMap { row in (0..<count).map { bytes[start + row * rowBytes + $0 * step] } }
        }
        switch shape.layout {
        case .yuyv, .uyvy:
            let isFirst = shape.layout == .yuyv
            return samples(isFirst ? 0 : 1, 2, width, height, stride)
                + samples(isFirst ? 1 : 0, 4, width / 2, height, stride)
                + samples(isFirst ? 3 : 2, 4, width / 2, height, stride)
        case .nv12:
            let chroma = stride * height
            return samples(0, 1, width, height, stride) + samples(chroma, 2, width / 2, height / 2, stride)
                + samples(chroma + 1, 2, width / 2, height / 2, stride)
        case .yuv420:
            let (blue, half) = (stride * height, stride / 2)
            return samples(0, 1, width, height, stride) + samples(blue, 1, width / 2, height / 2, half)
                + samples(blue + half * height / 2, 1, width / 2, height / 2, half)
        case .grey: return samples(0, 1, width, height, stride)
        case .rgb24: return samples(0, 1, width * 3, height, stride)
        case .bgr24:
            return (0..<height).flatMap { row in
                (0..<width).flatMap { column in
                    (0..<3).map { bytes[row * stride + column * 3 + 2 - $0] }
                }
            }
        }
    }

    @Test(.enabled(if: Tool.isInstalled("exiftool")), arguments: [true, false])
    func `exiftool reads every field back from a PNG and from a raw file`(isPNG: Bool) throws {
        let sample = Sample(.yuyv)
        var fields = EXIFWriterTests.fields
        fields.width = 62
        let file =
            isPNG
            ? try PNGEncoder.encode(InterleavedPicture(sample.bytes, shape: sample.shape), fields)
            : try TIFFWriter.file(sample.bytes, shape: sample.shape, fields, description: "V4L2 YUYV")
        let tags = [
            "DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal", "Make", "Model", "Software", "Orientation",
            "ImageWidth", "ImageHeight", "ExposureTime", "ISO", "Flash", "Warning",
        ]
        let lines = try Tool.text("exiftool", ["-n", "-s3", "-f"] + tags.map { "-\($0)" }, file: file)
        #expect(
            lines.split(separator: "\n").map(String.init) == [
                "2026:11:30 03:45:00", "123456", "+02:00", "Obscura", "Pattern camera, back", "obscura-capture", "6",
                "62", "34", "0.01", "200", "1", "-",
            ]
        )
        let checked = try Tool.text("exiftool", ["-validate", "-s3", "-warning", "-a"], file: file)
        // exiftool names a file's extension, and takes subsampled chroma for missing bytes (Validate.pm, StripByteCounts).
        let complaints = checked.split(separator: "\n").dropFirst().filter {
            !$0.hasPrefix("File has wrong extension") && !$0.hasPrefix("Undersized IFD0 StripByteCounts")
        }
        #expect(complaints.isEmpty, "\(checked)")
    }

    @Test(.enabled(if: Tool.isInstalled("exiftool")))
    func `a raw file says what its luma and chroma mean`() throws {
        func tags(_ sample: Sample) throws -> [String] {
            let file = try TIFFWriter.file(
                sample.bytes,
                shape: sample.shape,
                EXIFWriterTests.fields,
                description: "V4L2 NV12"
            )
            let names = [
                "PhotometricInterpretation", "YCbCrSubSampling", "YCbCrCoefficients", "ReferenceBlackWhite",
                "ImageDescription",
            ]
            let text = try Tool.text("exiftool", ["-n", "-s3", "-f"] + names.map { "-\($0)" }, file: file)
            return text.split(separator: "\n").map(String.init)
        }
        #expect(
            try tags(Sample(.nv12)) == [
                "6", "2 2", "0.299 0.587 0.114", "16 235 128 240 128 240", "V4L2 NV12",
            ]
        )
        #expect(
            try tags(Sample(.uyvy, isFullRange: true, isRec709: true)) == [
                "6", "2 1", "0.2126 0.7152 0.0722", "0 255 128 255 128 255", "V4L2 NV12",
            ]
        )
        #expect(try tags(Sample(.rgb24)) == ["2", "-", "-", "-", "V4L2 NV12"])
    }

    @Test func `the readers of the library find the size and the camera in both`() throws {
        let sample = Sample(.yuyv)
        let picture = try InterleavedPicture(sample.bytes, shape: sample.shape)
        let png = try PNGEncoder.encode(picture, EXIFWriterTests.fields)
        let raw = try TIFFWriter.file(sample.bytes, shape: sample.shape, EXIFWriterTests.fields, description: "")
        for (bytes, type) in [(png, FileType.png), (raw, .tiff)] {
            let file = RandomAccessBytes(bytes)
            #expect(FileType(recognising: file) == type)
            let metadata = try #require(PictureReader.read(file, type: type))
            #expect((metadata.width, metadata.height) == (62, 34))
            #expect(metadata.cameraMake == "Obscura")
            #expect(metadata.date?.offsetMinutes == 120)
        }
    }

    @Test func `bytes that are no picture are refused`() throws {
        let shape = PictureShape(layout: .yuyv, width: 62, height: 34)
        let few = [UInt8](repeating: 0, count: shape.byteCount - 1)
        let fields = EXIFWriterTests.fields
        #expect(throws: PictureError.self) { try InterleavedPicture(few, shape: shape) }
        #expect(throws: PictureError.self) { try TIFFWriter.file(few, shape: shape, fields, description: "") }
        let empty = PictureShape(layout: .grey, width: 0, height: 0)
        #expect(throws: PictureError.self) { try InterleavedPicture([], shape: empty) }
        let endless = PictureShape(layout: .grey, width: 65_500, height: 65_500, bytesPerRow: 1 << 40)
        #expect(throws: PictureError.self) { try InterleavedPicture(few, shape: endless) }
    }
}
