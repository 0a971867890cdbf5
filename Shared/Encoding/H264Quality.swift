package import Media

/// How much the encoder keeps of pictures, and how much work it takes for it.
///
/// Quality is constant and the rate follows from the scene: x264's `crf`, where 18 is hardly told from the original, 23 is
/// the library's usual and 28 is for those who count bytes (x264 --fullhelp; trac.ffmpeg.org/wiki/Encode/H.264).
package struct H264Quality: Hashable, Sendable {
    /// `crf`: less is better.
    package let constantRateFactor: Int
    /// One of x264's presets; the quick ones, because a camera does not wait.
    package let effort: String

    package init(constantRateFactor: Int, effort: String) {
        self.constantRateFactor = constantRateFactor
        self.effort = effort
    }

    /// What a preset of films means; those named after a size are as good as `medium`.
    package init(_ preset: QualityPreset) {
        switch preset {
        case .high: self.init(constantRateFactor: 20, effort: "veryfast")
        case .medium, .vga, .hd, .qhd: self.init(constantRateFactor: 23, effort: "veryfast")
        case .low: self.init(constantRateFactor: 28, effort: "veryfast")
        }
    }
}
