package import Media

/// What the samples of a movie's pictures mean, in the numbers of ITU-T H.273.
package struct MovieColours: Hashable, Sendable {
    /// Which colours, and what light.
    package var colours: PictureColours
    /// `MatrixCoefficients`: 1 is BT.709, 5 and 6 are BT.601.
    package var matrix: UInt8
    /// Whether luma spans 0 to 255.
    package var isFullRange: Bool

    /// Colours with all their parts.
    package init(_ colours: PictureColours, matrix: UInt8, isFullRange: Bool) {
        self.colours = colours
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// What a `colr` box says (ISO/IEC 14496-12, 12.1.5; QuickTime File Format, "Color Parameter Atoms").
    ///
    /// QuickTime's form does not tell the range: H.264 tells it by itself, and JPEG is always of full range.
    func append(to entry: inout BoxBuilder, _ container: FilmContainer) {
        entry.box("colr") { box in
            box.append(contentsOf: Array((container == .mov ? "nclc" : "nclx").utf8))
            box.append(UInt16(colours.primaries))
            box.append(UInt16(colours.transfer))
            box.append(UInt16(matrix))
            if container == .mp4 { box.append(isFullRange ? UInt8(0x80) : 0) }
        }
    }
}

extension MovieDescription {
    /// The colours that the file tells: what the pictures say themselves comes before what is known of the camera.
    var toldColours: MovieColours? {
        switch pictures {
        case .h264(let configuration):
            if let stated = configuration.parameters.colours { return stated }
            var known = colours
            known?.isFullRange = configuration.parameters.isFullRange
            return known
        case .motionJPEG:
            // A JPEG file has one matrix and one range (JFIF 1.02).
            return colours.map { MovieColours($0.colours, matrix: 6, isFullRange: true) }
        }
    }
}
