package import Containers
private import Imaging
private import Media

/// Renders small upright JPEG pictures without metadata.
package enum Renderer {
    private static let quality = 85
    private static let maximumSide = 8192

    /// A thumbnail: its JPEG bytes and its size in pixels.
    package struct Thumbnail: Hashable, Sendable {
        package let bytes: [UInt8]
        package let width: Int
        package let height: Int
    }

    /// Renders the picture, or the film's first picture.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - width: Pixels of the box, upright.
    ///   - height: Pixels of the box, upright.
    ///   - fill: Whether the box is filled and what stands out is cropped; else the picture fits into it.
    /// - Returns: A picture that is never larger than the original.
    /// - Throws: `invalidJob` for a box without or with too many pixels; what decoding throws.
    package static func thumbnail(
        of bytes: RandomAccessBytes,
        width: Int,
        height: Int,
        fill: Bool = false
    ) throws(DecodingError) -> Thumbnail {
        guard (1...maximumSide).contains(width), (1...maximumSide).contains(height) else {
            throw DecodingError(.invalidJob, "a thumbnail has 1 to \(maximumSide) pixels a side")
        }
        let type = FileType(recognising: bytes)
        let box = Box(width: width, height: height, fill: fill)
        let pixels: Pixels
        switch type.kind {
        case .photo:
            let source = PictureSource(bytes, type: type)
            let stored = try source.pixels { box.size(width: $0, height: $1, orientation: source.orientation) }.pixels
            pixels = try finish(stored, box, source.orientation)
        case .video:
            let source = FilmSource(bytes, type: type)
            let stored = try source.open().firstPicture {
                box.size(width: $0, height: $1, orientation: source.orientation)
            }
            pixels = try finish(stored, box, source.orientation)
        case .unknown: throw DecodingError(.unsupported, "the content is neither a picture nor a film")
        }
        do throws(JPEGError) {
            let shape = PictureShape(layout: .rgb24, width: pixels.width, height: pixels.height)
            let jpeg = try JPEGEncoder().encode(pixels.bytes, shape: shape, quality: quality)
            return Thumbnail(bytes: jpeg, width: pixels.width, height: pixels.height)
        } catch {
            throw DecodingError(.memory, error.description)
        }
    }

    /// Brings what a decoder gave, which may be larger than asked for, to its size; turns and crops it.
    private static func finish(_ stored: Pixels, _ box: Box, _ orientation: Orientation) throws(DecodingError) -> Pixels
    {
        let size = box.size(width: stored.width, height: stored.height, orientation: orientation)
        let upright = try PictureScaler.scaled(stored, width: size.width, height: size.height).upright(orientation)
        guard box.fill else { return upright }
        return upright.cropped(width: min(box.width, upright.width), height: min(box.height, upright.height))
    }

    private struct Box {
        let width: Int
        let height: Int
        let fill: Bool

        /// The stored size, before turning, that fits into the box or just fills it; never larger than it is.
        func size(width: Int, height: Int, orientation: Orientation) -> (width: Int, height: Int) {
            let (boxWidth, boxHeight) = orientation.swapsAxes ? (self.height, self.width) : (self.width, self.height)
            let shares = [Double(boxWidth) / Double(width), Double(boxHeight) / Double(height)]
            let share = min(1, (fill ? shares.max() : shares.min()) ?? 1)
            func scaled(_ side: Int) -> Int { min(side, max(1, Int((Double(side) * share).rounded()))) }
            return (scaled(width), scaled(height))
        }
    }
}
