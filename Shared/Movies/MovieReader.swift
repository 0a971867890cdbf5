package import Containers
private import Media

/// Reads the boxes of a QuickTime or ISO base media file: duration, size, rotation, dates, place, completeness.
///
/// Source: ISO/IEC 14496-12 clauses 8.2, 8.3, 8.4, 8.8; QuickTime File Format, "Movie Atoms" and "Metadata Atoms and
/// Types". Media data is not read. Tables are read in pieces and never allocated by the number they claim.
package enum MovieReader {
    /// A film of a day in fragments of a second has 172,800 boxes side by side.
    package static let maximumTopLevelBoxCount = 500_000

    /// What the boxes say; nil if there is none that a film has.
    package static func read(_ bytes: RandomAccessBytes) -> MovieMetadata? {
        let boxes = bytes.boxes(limit: maximumTopLevelBoxCount)
        let known: Set<FourCharacterCode> = ["ftyp", "moov", "mdat", "wide", "moof", "pnot"]
        guard boxes.contains(where: { known.contains($0.name) }) else { return nil }
        var found = MovieMetadata()
        found.isCutShort = boxes.contains { $0.isCutShort }
        guard let movie = boxes.first(where: { $0.name == "moov" }) else { return found }
        found.hasIndex = true
        let parts = movie.children()
        readHeader(parts, &found)
        let tracks = parts.filter { $0.name == "trak" }.prefix(64).compactMap { MovieTrack($0) }
        found.tracks = tracks.map(\.summary)
        if tracks.contains(where: { $0.lastSampleEnd() > bytes.count }) { found.isCutShort = true }
        readFragments(boxes, extends: parts.first { $0.name == "mvex" }, tracks: tracks, &found)
        MovieAnnotations(parts).apply(to: &found)
        return found
    }

    private static func readHeader(_ parts: [FoundBox], _ found: inout MovieMetadata) {
        guard let header = parts.first(where: { $0.name == "mvhd" }), let times = BoxTimes(header.payload) else {
            return
        }
        found.duration = times.seconds
        found.containerDate = times.created
        found.date = times.created
    }

    /// Adds up the durations of the fragments, where the film has such.
    private static func readFragments(
        _ boxes: [FoundBox],
        extends: FoundBox?,
        tracks: [MovieTrack],
        _ found: inout MovieMetadata
    ) {
        guard let extends else { return }
        found.isFragmented = true
        var sums = FragmentSums(extends, tracks: tracks)
        for box in boxes where box.name == "moof" && !box.isCutShort { sums.add(box) }
        for (index, track) in tracks.enumerated() {
            guard let sum = sums.sums[track.id], sum.samples > 0 else { continue }
            found.tracks[index].sampleCount = (found.tracks[index].sampleCount ?? 0) + sum.samples
            let seconds = track.timescale > 0 ? Double(sum.end) / Double(track.timescale) : nil
            found.tracks[index].duration = seconds.map { max($0, found.tracks[index].duration ?? 0) }
        }
        let longest = found.tracks.compactMap(\.duration).max() ?? 0
        if longest > found.duration ?? 0 { found.duration = longest }
    }
}
