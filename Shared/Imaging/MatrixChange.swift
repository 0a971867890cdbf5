/// Luma and chroma of full range by ITU-R BT.709 to those by BT.601, in which a JPEG file has them (JFIF 1.02).
///
/// Source: BT.601-7 section 2.5 and BT.709-6 section 3: to red, green and blue by one matrix and back by the other. Numbers
/// are of 1/65536, rounded to the nearest.
struct MatrixChange {
    private let lumaOfBlue, lumaOfRed: Int32
    private let blueOfBlue, blueOfRed: Int32
    private let redOfBlue, redOfRed: Int32

    /// The change that there is.
    static let toRec601 = MatrixChange()

    private init() {
        let (from, to) = ((red: 0.2126, blue: 0.0722), (red: 0.299, blue: 0.114))
        // What one of chroma adds to red, green and blue.
        func colours(blue: Double, red: Double) -> (red: Double, green: Double, blue: Double) {
            let (ofRed, ofBlue) = (2 * (1 - from.red) * red, 2 * (1 - from.blue) * blue)
            return (ofRed, -(from.red * ofRed + from.blue * ofBlue) / (1 - from.red - from.blue), ofBlue)
        }
        func coded(_ colour: (red: Double, green: Double, blue: Double)) -> (luma: Int32, blue: Int32, red: Int32) {
            let luma = to.red * colour.red + (1 - to.red - to.blue) * colour.green + to.blue * colour.blue
            let parts = [luma, (colour.blue - luma) / (2 * (1 - to.blue)), (colour.red - luma) / (2 * (1 - to.red))]
            let fixed = parts.map { Int32(($0 * 65_536).rounded()) }
            return (fixed[0], fixed[1], fixed[2])
        }
        (lumaOfBlue, blueOfBlue, redOfBlue) = coded(colours(blue: 1, red: 0))
        (lumaOfRed, blueOfRed, redOfRed) = coded(colours(blue: 0, red: 1))
    }

    /// What is added to the luma of a pixel with this chroma, in 1/65536.
    @inline(__always)
    func luma(_ blue: UInt8, _ red: UInt8) -> Int32 {
        (Int32(blue) - 128) &* lumaOfBlue &+ (Int32(red) - 128) &* lumaOfRed
    }

    @inline(__always)
    func chroma(_ blue: UInt8, _ red: UInt8) -> (blue: UInt8, red: UInt8) {
        let (blue, red) = (Int32(blue) - 128, Int32(red) - 128)
        return (
            Self.rounded(128 &* 65_536 &+ blue &* blueOfBlue &+ red &* blueOfRed),
            Self.rounded(128 &* 65_536 &+ blue &* redOfBlue &+ red &* redOfRed)
        )
    }

    @inline(__always)
    static func rounded(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, (value &+ 32_768) &>> 16)))
    }
}
