/// The picture of a built-in camera: colour bars, the frame's number in digits, and the number again for machines.
///
/// Everything is decided by the frame's number, so that a test knows each byte.
package struct PatternPicture: Hashable, Sendable {
    /// Which way the bars go: a front camera's picture is the mirror image.
    package let isMirrored: Bool
    /// Pixels; even, at least 128.
    package let width: Int
    /// Pixels; at least 96.
    package let height: Int

    /// Cells of the strip: 24 for the number, most significant first, and 8 for its checksum.
    package static let stripCells = 32

    /// A pattern of a size that has room for its parts.
    package init(width: Int, height: Int, isMirrored: Bool) {
        precondition(width >= 128 && width % 2 == 0 && height >= 96, "A pattern needs room for its strip and digits.")
        self.width = width
        self.height = height
        self.isMirrored = isMirrored
    }

    /// The picture as YUYV in limited range.
    ///
    /// - Parameters:
    ///   - number: The frame's number; its lower 24 bits are shown.
    ///   - brightness: 0 to 1: how far the exposure has come; the strip is readable all the same.
    ///   - isLit: Whether the light is on: then a band at the top is white, else black.
    ///   - look: What the settings make of the bars.
    /// - Returns: `width * height * 2` bytes.
    package func yuyv(number: Int, brightness: Double, isLit: Bool, look: Look = Look()) -> [UInt8] {
        let shown = number & 0xFF_FFFF
        let bars = row { column in look.applied(to: Self.dimmed(barColour(column), brightness)) }
        let band = row { _ in isLit ? Self.white : Self.black }
        let digits = digitRows(shown, over: bars)
        let bits = stripBits(shown)
        let strip = row { column in bits[column * Self.stripCells / width] ? Self.white : Self.black }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 2)
        for line in 0..<height {
            if line < bandHeight {
                bytes += band
            } else if line >= height - stripHeight {
                bytes += strip
            } else if line >= digitTop, line < digitTop + 7 * digitScale {
                bytes += digits[(line - digitTop) / digitScale]
            } else {
                bytes += bars
            }
        }
        return bytes
    }

    /// Reads a frame's number back from a picture's luma; nil when the strip is not one.
    ///
    /// - Parameters:
    ///   - width: Pixels of the picture, at any scale.
    ///   - height: Pixels of the picture.
    ///   - luma: The luma at a column and row, 0 to 255.
    /// - Returns: The number's lower 24 bits.
    package static func number(width: Int, height: Int, luma: (_ column: Int, _ row: Int) -> UInt8) -> Int? {
        let row = height - max(1, height / 16)
        let bits = (0..<stripCells).map { cell in luma((2 * cell + 1) * width / (2 * stripCells), row) > 127 }
        let value = bits.prefix(24).reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        let check = bits.suffix(8).reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        return check == checksum(value) ? value : nil
    }

    /// What settings make of the bars; number and strip stay as they are.
    package struct Look: Hashable, Sendable {
        /// Added to the luma, -100 to 100.
        package var brightness = 0
        package var effect = Effect.none

        /// What is done with the colours; the numbers are those of `enum v4l2_colorfx`.
        package enum Effect: Int64, Hashable, Sendable, CaseIterable {
            case none = 0
            case blackAndWhite = 1
            case negative = 3
        }

        package init() {}

        fileprivate func applied(to colour: Colour) -> Colour {
            var (luma, blue, red) = (Int(colour.luma), Int(colour.blue), Int(colour.red))
            switch effect {
            case .none: break
            case .blackAndWhite: (blue, red) = (128, 128)
            // In limited range 16 and 235 change places, and so do the ends of chroma.
            case .negative: (luma, blue, red) = (251 - luma, 256 - blue, 256 - red)
            }
            func limited(_ value: Int, _ most: Int) -> UInt8 { UInt8(min(max(value, 16), most)) }
            return (limited(luma + brightness, 235), limited(blue, 240), limited(red, 240))
        }
    }

    // MARK: Private

    fileprivate typealias Colour = (luma: UInt8, blue: UInt8, red: UInt8)

    private static let white: Colour = (235, 128, 128)
    private static let black: Colour = (16, 128, 128)
    /// White, yellow, cyan, green, magenta, red, blue, black at full saturation (ITU-R BT.601, limited range).
    private static let bars: [Colour] = [
        white, (210, 16, 146), (170, 166, 16), (145, 54, 34), (106, 202, 222), (81, 90, 240), (41, 240, 110), black,
    ]

    /// Seven rows of five bits for each digit.
    private static let digits: [[UInt8]] = [
        [0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E], [0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E],
        [0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F], [0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E],
        [0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02], [0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E],
        [0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E], [0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
        [0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E], [0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C],
    ]

    private var bandHeight: Int { height / 8 }
    private var stripHeight: Int { height / 8 }
    /// Eight digits of six columns have to fit.
    private var digitScale: Int { max(1, min(width / 64, height / 24)) }
    private var digitTop: Int { height / 2 - 4 * digitScale }

    private static func checksum(_ value: Int) -> Int {
        // Not zero for zero, so that a black strip is not the number 0.
        ((value >> 16) ^ (value >> 8) ^ value ^ 0xA5) & 0xFF
    }

    private func stripBits(_ value: Int) -> [Bool] {
        let bits = value << 8 | Self.checksum(value)
        return (0..<Self.stripCells).map { bits >> (Self.stripCells - 1 - $0) & 1 == 1 }
    }

    private func barColour(_ column: Int) -> Colour {
        let bar = column * Self.bars.count / width
        return Self.bars[isMirrored ? Self.bars.count - 1 - bar : bar]
    }

    private static func dimmed(_ colour: Colour, _ brightness: Double) -> Colour {
        (UInt8(16 + Double(colour.luma - 16) * min(max(brightness, 0), 1)), colour.blue, colour.red)
    }

    /// One row of YUYV; each pair of pixels has the colour of its first.
    private func row(_ colour: (Int) -> Colour) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * 2)
        for column in stride(from: 0, to: width, by: 2) {
            let (luma, blue, red) = colour(column)
            bytes += [luma, blue, luma, red]
        }
        return bytes
    }

    private func digitRows(_ number: Int, over bars: [UInt8]) -> [[UInt8]] {
        let text = String(number)
        let shapes = (String(repeating: "0", count: max(0, 8 - text.count)) + text).utf8.map {
            Self.digits[Int($0) - 0x30]
        }
        let scale = digitScale
        let left = (width - 48 * scale) / 2
        return (0..<7).map { line in
            var bytes = bars
            for (place, shape) in shapes.enumerated() {
                for column in 0..<5 where shape[line] >> UInt8(4 - column) & 1 == 1 {
                    let start = left + (6 * place + column) * scale
                    for pixel in start..<start + scale {
                        let isLight = bytes[2 * pixel] > 125
                        bytes[2 * pixel] = isLight ? 16 : 235
                    }
                }
            }
            return bytes
        }
    }
}
