package import Containers
private import Imaging
package import Media
private import Movies

/// Finds out what a file is, by its content: kind, type, size, date, place, and whether it can be viewed or played.
///
/// Never fails: a file that nobody understands is a report that says so. Blocks for as long as decoding takes.
package struct Inspector {
    /// Whether decoding is left out: `isUsable` then means that nothing in the headers speaks against it.
    package var headersOnly: Bool

    package init(headersOnly: Bool = false) { self.headersOnly = headersOnly }

    /// The report on these bytes.
    package func inspect(_ bytes: RandomAccessBytes) -> InspectionReport {
        let type = FileType(recognising: bytes)
        switch type.kind {
        case .photo: return picture(bytes, type)
        case .video: return film(bytes, type)
        case .unknown where type.isBoxedMovie: return film(bytes, type)
        case .unknown:
            let words =
                switch type {
                case .empty: "the file is empty"
                case .unknown: "the content is neither a picture nor a film that is known"
                default: "the file is sound without pictures"
                }
            return .unplayable(.unknown, type, words)
        }
    }

    private func picture(_ bytes: RandomAccessBytes, _ type: FileType) -> InspectionReport {
        let source = PictureSource(bytes, type: type)
        var report = InspectionReport(kind: .photo, uti: type.uti, isUsable: true, state: .ok)
        if let metadata = source.metadata { report.fill(from: metadata) }
        report.mayHoldPlace = report.location != nil || PlaceTraces.mayBe(in: bytes, type: type)
        do throws(DecodingError) {
            if let width = report.width, let height = report.height {
                try Pixels.checkSize(width: width, height: height)
            }
            guard let damage = try headersOnly ? source.visibleDamage : source.checked() else { return report }
            report.state = .damaged
            report.reason = damage
        } catch {
            report.isUsable = false
            report.state = .unplayable
            report.reason = error.detail
        }
        return report
    }

    private func film(_ bytes: RandomAccessBytes, _ type: FileType) -> InspectionReport {
        let film = FilmSource(bytes, type: type)
        var report = InspectionReport(kind: .video, uti: type.uti, isUsable: true, state: .ok)
        film.fill(&report)
        report.mayHoldPlace = report.location != nil || PlaceTraces.mayBe(in: bytes, type: type)
        if film.hasOnlySound { return .unplayable(.unknown, type, "the file is sound without pictures") }
        do throws(DecodingError) {
            if let width = report.width, let height = report.height {
                try Pixels.checkSize(width: width, height: height)
            }
            try film.check(decoding: !headersOnly)
            guard film.isCutShort else { return report }
            report.state = .damaged
            report.reason = "the end of the film is missing"
        } catch {
            report.isUsable = false
            report.state = .unplayable
            report.reason = error.detail
        }
        return report
    }
}

extension InspectionReport {
    fileprivate static func unplayable(_ kind: AssetKind, _ type: FileType, _ reason: String) -> InspectionReport {
        InspectionReport(kind: kind, uti: type.uti, isUsable: false, state: .unplayable, reason: reason)
    }

    fileprivate mutating func fill(from metadata: PictureMetadata) {
        width = metadata.width
        height = metadata.height
        orientation = metadata.orientation
        date = metadata.date
        location = metadata.location
        cameraMake = metadata.cameraMake
        cameraModel = metadata.cameraModel
        lensModel = metadata.lensModel
        exposureTime = metadata.exposureTime
        aperture = metadata.aperture
        sensitivity = metadata.sensitivity
        focalLength = metadata.focalLength
    }
}
