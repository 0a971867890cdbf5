/// Makes a TIFF file of a camera's uncompressed picture in which every sample keeps its value.
///
/// Red, green, blue and grey are baseline TIFF 6.0. Luma and chroma stay what they are (TIFF 6.0 section 21, YCbCr images:
/// the samples of a data unit lie together, so they are put in another order), with the range and the matrix that turn
/// them into colours beside them. Only padding at the ends of rows goes.
package enum TIFFWriter {
    /// The file, with the EXIF of the picture.
    ///
    /// - Parameters:
    ///   - bytes: The picture as the camera gave it.
    ///   - shape: What the bytes mean.
    ///   - fields: What is known about the picture.
    ///   - description: Words about the format, such as `V4L2 YUYV`.
    /// - Returns: The bytes of the file.
    /// - Throws: `badDimensions`, `truncated`, `tooLarge`.
    package static func file(
        _ bytes: [UInt8],
        shape: PictureShape,
        _ fields: EXIFFields,
        description: String
    ) throws(PictureError) -> [UInt8] {
        try shape.check(bytes.count)
        let strip = strip(bytes, shape)
        guard strip.count < Int(UInt32.max) - 1 << 20 else {
            throw PictureError(.tooLarge, "\(strip.count) bytes of pixels")
        }
        var (main, exif, gps) = EXIFWriter.directories(fields)
        describe(shape, byteCount: strip.count, in: &main)
        main.add(0x010E, text: description)
        // Where the pixels begin is not known before the directories are made, whose length does not hang on it.
        main.add(0x0111, long: 0)
        let start = TIFFDirectory.file(main: main, exif: exif, gps: gps).count
        main.replace(0x0111, long: UInt32(start))
        return TIFFDirectory.file(main: main, exif: exif, gps: gps) + strip
    }

    private static func describe(_ shape: PictureShape, byteCount: Int, in main: inout TIFFDirectory) {
        let components = shape.layout == .grey ? 1 : 3
        main.add(0x0100, long: UInt32(shape.width))
        main.add(0x0101, long: UInt32(shape.height))
        main.add(0x0102, shorts: Array(repeating: 8, count: components))
        main.add(0x0103, short: 1)
        main.add(0x0106, short: shape.layout == .grey ? 1 : shape.layout.isLumaChroma ? 6 : 2)
        main.add(0x0115, short: UInt16(components))
        main.add(0x0116, long: UInt32(shape.height))
        main.add(0x0117, long: UInt32(byteCount))
        main.add(0x011C, short: 1)
        guard components == 3, shape.layout.isLumaChroma else { return }
        let weights: [UInt32] = shape.isRec709 ? [2_126, 7_152, 722] : [2_990, 5_870, 1_140]
        main.add(0x0211, rationals: weights.map { ($0, 10_000) })
        main.add(0x0212, shorts: [2, UInt16(shape.layout.rowsOfChroma)])
        let limits: [UInt32] = shape.isFullRange ? [0, 255, 128, 255, 128, 255] : [16, 235, 128, 240, 128, 240]
        main.add(0x0214, rationals: limits.map { ($0, 1) })
    }

    /// The pixels, in the order of TIFF.
    private static func strip(_ bytes: [UInt8], _ shape: PictureShape) -> [UInt8] {
        let stride = shape.bytesPerRow
        switch shape.layout {
        case .grey:
            return rows(bytes, shape, byteCount: shape.width)
        case .rgb24:
            return rows(bytes, shape, byteCount: shape.width * 3)
        case .bgr24:
            return [UInt8](capacity: shape.width * 3 * shape.height) { target in
                for row in 0..<shape.height {
                    for pixel in Swift.stride(from: row * stride, to: row * stride + shape.width * 3, by: 3) {
                        target.append(bytes[pixel + 2])
                        target.append(bytes[pixel + 1])
                        target.append(bytes[pixel])
                    }
                }
            }
        case .yuyv, .uyvy, .nv12, .yuv420:
            return units(bytes, shape)
        }
    }

    private static func rows(_ bytes: [UInt8], _ shape: PictureShape, byteCount: Int) -> [UInt8] {
        if shape.bytesPerRow == byteCount { return Array(bytes.prefix(byteCount * shape.height)) }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(byteCount * shape.height)
        for row in 0..<shape.height {
            pixels += bytes[row * shape.bytesPerRow..<row * shape.bytesPerRow + byteCount]
        }
        return pixels
    }

    /// Data units: the lumas of two columns and one or two rows, and then the chroma that they share.
    private static func units(_ bytes: [UInt8], _ shape: PictureShape) -> [UInt8] {
        let samples = SamplePlaces(shape)
        let (columns, rows) = ((shape.width + 1) / 2, (shape.height + samples.rowsOfChroma - 1) / samples.rowsOfChroma)
        return [UInt8](capacity: columns * rows * (2 * samples.rowsOfChroma + 2)) { target in
            for row in 0..<rows {
                let chromaRow = row * samples.chromaBytesPerRow
                for column in 0..<columns {
                    for line in 0..<samples.rowsOfChroma {
                        // A row beyond the picture repeats the last one; a column beyond it is the camera's own padding.
                        let lumaRow = min(row * samples.rowsOfChroma + line, shape.height - 1) * shape.bytesPerRow
                        let luma = lumaRow + samples.luma + 2 * column * samples.lumaStep
                        target.append(bytes[luma])
                        let isLast = 2 * column + 1 >= shape.width && shape.layout == .yuv420
                        target.append(bytes[isLast ? luma : luma + samples.lumaStep])
                    }
                    let chroma = chromaRow + column * samples.chromaStep
                    target.append(bytes[chroma + samples.blue])
                    target.append(bytes[chroma + samples.red])
                }
            }
        }
    }
}

extension PixelLayout {
    /// Rows of luma that share a row of chroma.
    fileprivate var rowsOfChroma: Int { self == .nv12 || self == .yuv420 ? 2 : 1 }
}
