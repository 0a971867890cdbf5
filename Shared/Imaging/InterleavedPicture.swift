/// A picture as red, green and blue, or as grey, from black at 0 to white at 255: rows without padding.
package struct InterleavedPicture: Equatable, Sendable {
    /// Pixels.
    package let width, height: Int
    /// Bytes a pixel: 3, or 1 for grey.
    package let components: Int
    /// `width * height * components` bytes.
    package let bytes: [UInt8]

    /// A picture with all its parts.
    package init(width: Int, height: Int, components: Int, bytes: [UInt8]) {
        precondition(bytes.count == width * height * components, "A picture has all of its bytes.")
        self.width = width
        self.height = height
        self.components = components
        self.bytes = bytes
    }

    /// The picture that a camera's bytes are.
    ///
    /// Red, green and blue stay as they are. Luma and chroma are converted by ITU-R BT.601, or BT.709 where the shape says
    /// so, each chroma sample for all the pixels that share it; limited range is stretched.
    ///
    /// - Throws: `badDimensions`, `truncated`.
    package init(_ bytes: [UInt8], shape: PictureShape) throws(PictureError) {
        try shape.check(bytes.count)
        switch shape.layout {
        case .rgb24, .bgr24: self = Self.packed(bytes, shape)
        case .grey: self = Self.grey(bytes, shape)
        case .yuyv, .uyvy, .nv12, .yuv420: self = Self.converted(bytes, shape)
        }
    }

    private static func packed(_ bytes: [UInt8], _ shape: PictureShape) -> InterleavedPicture {
        let isSwapped = shape.layout == .bgr24
        let pixels = [UInt8](capacity: shape.width * shape.height * 3) { target in
            for row in 0..<shape.height {
                var index = row * shape.bytesPerRow
                for _ in 0..<shape.width {
                    target.append(bytes[isSwapped ? index + 2 : index])
                    target.append(bytes[index + 1])
                    target.append(bytes[isSwapped ? index : index + 2])
                    index += 3
                }
            }
        }
        return InterleavedPicture(width: shape.width, height: shape.height, components: 3, bytes: pixels)
    }

    private static func grey(_ bytes: [UInt8], _ shape: PictureShape) -> InterleavedPicture {
        let scale = ColourConversion(shape).grey
        let pixels = [UInt8](capacity: shape.width * shape.height) { target in
            for row in 0..<shape.height {
                for index in row * shape.bytesPerRow..<row * shape.bytesPerRow + shape.width {
                    target.append(scale[Int(bytes[index])])
                }
            }
        }
        return InterleavedPicture(width: shape.width, height: shape.height, components: 1, bytes: pixels)
    }

    private static func converted(_ bytes: [UInt8], _ shape: PictureShape) -> InterleavedPicture {
        let conversion = ColourConversion(shape)
        let samples = SamplePlaces(shape)
        let pixels = [UInt8](capacity: shape.width * shape.height * 3) { target in
            for row in 0..<shape.height {
                let lumaRow = row * shape.bytesPerRow + samples.luma
                let chromaRow = row / samples.rowsOfChroma * samples.chromaBytesPerRow
                for column in 0..<shape.width {
                    let chroma = chromaRow + column / 2 * samples.chromaStep
                    let (red, green, blue) = conversion.pixel(
                        luma: bytes[lumaRow + column * samples.lumaStep],
                        blue: bytes[chroma + samples.blue],
                        red: bytes[chroma + samples.red]
                    )
                    target.append(red)
                    target.append(green)
                    target.append(blue)
                }
            }
        }
        return InterleavedPicture(width: shape.width, height: shape.height, components: 3, bytes: pixels)
    }
}

/// Where the samples of a picture of luma and halved chroma lie: offsets, and steps from one to the next.
struct SamplePlaces {
    let luma, blue, red: Int
    let lumaStep, chromaStep: Int
    let chromaBytesPerRow: Int
    /// Rows of luma that share a row of chroma.
    let rowsOfChroma: Int

    init(_ shape: PictureShape) {
        let stride = shape.bytesPerRow
        switch shape.layout {
        case .yuyv, .uyvy:
            let isLumaFirst = shape.layout == .yuyv
            luma = isLumaFirst ? 0 : 1
            blue = isLumaFirst ? 1 : 0
            red = isLumaFirst ? 3 : 2
            (lumaStep, chromaStep, chromaBytesPerRow, rowsOfChroma) = (2, 4, stride, 1)
        case .nv12:
            luma = 0
            blue = stride * shape.height
            red = stride * shape.height + 1
            (lumaStep, chromaStep, chromaBytesPerRow, rowsOfChroma) = (1, 2, stride, 2)
        case .yuv420:
            let chromaStride = (stride + 1) / 2
            luma = 0
            blue = stride * shape.height
            red = stride * shape.height + chromaStride * ((shape.height + 1) / 2)
            (lumaStep, chromaStep, chromaBytesPerRow, rowsOfChroma) = (1, 1, chromaStride, 2)
        case .rgb24, .bgr24, .grey:
            preconditionFailure("There is no chroma in it.")
        }
    }
}

/// Luma and chroma to red, green and blue, in integers of 1/65536.
///
/// Source: ITU-R BT.601-7 section 2.5 and BT.709-6 section 3; the rounding is to the nearest.
struct ColourConversion {
    private let lumaOf: [Int32]
    private let redOf, greenOfRed, greenOfBlue, blueOf: [Int32]

    init(_ shape: PictureShape) {
        let weights = shape.isRec709 ? (red: 0.2126, blue: 0.0722) : (red: 0.299, blue: 0.114)
        let green = 1 - weights.red - weights.blue
        let black = shape.isFullRange ? 0.0 : 16
        let lumaScale = shape.isFullRange ? 1.0 : 255.0 / 219
        let chromaScale = shape.isFullRange ? 1.0 : 255.0 / 224
        func table(_ factor: Double, from zero: Double) -> [Int32] {
            (0...255).map { Int32(((Double($0) - zero) * factor * 65_536).rounded()) }
        }
        lumaOf = table(lumaScale, from: black)
        redOf = table(2 * (1 - weights.red) * chromaScale, from: 128)
        greenOfRed = table(-2 * (1 - weights.red) * weights.red / green * chromaScale, from: 128)
        greenOfBlue = table(-2 * (1 - weights.blue) * weights.blue / green * chromaScale, from: 128)
        blueOf = table(2 * (1 - weights.blue) * chromaScale, from: 128)
    }

    /// What each value of luma becomes without chroma.
    var grey: [UInt8] { lumaOf.map { Self.rounded($0) } }

    @inline(__always)
    func pixel(luma: UInt8, blue: UInt8, red: UInt8) -> (UInt8, UInt8, UInt8) {
        let light = lumaOf[Int(luma)]
        return (
            Self.rounded(light + redOf[Int(red)]),
            Self.rounded(light + greenOfRed[Int(red)] + greenOfBlue[Int(blue)]),
            Self.rounded(light + blueOf[Int(blue)])
        )
    }

    @inline(__always)
    private static func rounded(_ value: Int32) -> UInt8 { UInt8(clamping: (value + 32_768) >> 16) }
}
