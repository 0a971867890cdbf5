/// Upright bars of known colours, coded by the formulas of the standards and by nothing that is tested.
package enum ColourBars {
    /// Red, green and blue of the bars from left to right: those of three quarters, and a skin's.
    package static let colours: [[UInt8]] = [
        [191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0], [191, 0, 191], [191, 0, 0], [0, 0, 191],
        [224, 172, 140],
    ]
    /// Pixels of a picture of bars: each is 16 wide.
    package static let width = colours.count * 16

    /// Luma and chroma of a colour (ITU-R BT.601-7 section 2.5, BT.709-6 section 3).
    package static func coded(
        _ colour: [UInt8],
        isRec709: Bool,
        isFullRange: Bool
    ) -> (luma: UInt8, blue: UInt8, red: UInt8) {
        let weights = isRec709 ? (red: 0.2126, blue: 0.0722) : (red: 0.299, blue: 0.114)
        let (red, green, blue) = (Double(colour[0]) / 255, Double(colour[1]) / 255, Double(colour[2]) / 255)
        let luma = weights.red * red + (1 - weights.red - weights.blue) * green + weights.blue * blue
        let (ofBlue, ofRed) = ((blue - luma) / (2 * (1 - weights.blue)), (red - luma) / (2 * (1 - weights.red)))
        let scale = isFullRange ? (black: 0.0, luma: 255.0, chroma: 255.0) : (black: 16, luma: 219, chroma: 224)
        return (
            UInt8((scale.black + scale.luma * luma).rounded()), UInt8((128 + scale.chroma * ofBlue).rounded()),
            UInt8((128 + scale.chroma * ofRed).rounded())
        )
    }

    /// The bars as YUYV, rows without padding.
    package static func yuyv(height: Int, isRec709: Bool, isFullRange: Bool) -> [UInt8] {
        let row = colours.flatMap { colour -> [UInt8] in
            let (luma, blue, red) = coded(colour, isRec709: isRec709, isFullRange: isFullRange)
            return (0..<8).flatMap { _ in [luma, blue, luma, red] }
        }
        return (0..<height).flatMap { _ in row }
    }

    /// How far red, green or blue is at most from what it should be in the middle of a bar.
    package static func distance(_ pixels: [UInt8], width: Int, height: Int) -> Int {
        guard pixels.count == width * height * 3 else { return .max }
        var most = 0
        for (bar, colour) in colours.enumerated() {
            let column = (2 * bar + 1) * width / (2 * colours.count)
            for row in [0, height / 2, height - 1] {
                for part in 0..<3 {
                    most = max(most, abs(Int(pixels[(row * width + column) * 3 + part]) - Int(colour[part])))
                }
            }
        }
        return most
    }
}
