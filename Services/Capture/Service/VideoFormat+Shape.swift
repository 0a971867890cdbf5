package import Imaging
import Movies
package import Video4Linux

extension VideoFormat {
    /// The shape of uncompressed pictures of this format; nil for compressed ones and those that are not known.
    package var pictureShape: PictureShape? {
        let layout: PixelLayout
        switch pixelFormat {
        case .yuyv: layout = .yuyv
        case .uyvy: layout = .uyvy
        case .nv12: layout = .nv12
        case .yuv420: layout = .yuv420
        case .rgb24: layout = .rgb24
        case .bgr24: layout = .bgr24
        case .grey: layout = .grey
        default: return nil
        }
        return PictureShape(
            layout: layout,
            width: width,
            height: height,
            bytesPerRow: bytesPerRow > 0 ? bytesPerRow : nil,
            isFullRange: isFullRange,
            isRec709: isRec709
        )
    }

    /// What samples of this format mean; nil where nobody says it of the colours.
    var movieColours: MovieColours? {
        colours.map { MovieColours($0, matrix: isRec709 ? 1 : 6, isFullRange: isFullRange) }
    }

    /// Microseconds from frame to frame, as far as the camera says.
    var usualStep: Int64 {
        let seconds = interval?.seconds ?? 0
        return seconds > 0 && seconds < 60 ? Int64(seconds * 1_000_000) : 33_333
    }
}
