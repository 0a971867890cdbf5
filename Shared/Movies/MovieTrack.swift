private import Containers
private import Media

/// One `trak` box: what its headers say, and where its last sample ends.
package struct MovieTrack {
    package let id: UInt32
    package let timescale: UInt32
    package let summary: MovieMetadata.Track
    private let table: FoundBox?
    /// Whether the samples lie in this file (`dref`).
    private let isSelfContained: Bool

    /// Reads the headers; nil for a track without a media handler.
    package init?(_ box: FoundBox) {
        let parts = box.children()
        guard let media = parts.first(where: { $0.name == "mdia" })?.children(),
            let handler = media.first(where: { $0.name == "hdlr" })?.payload.bytes(at: 8, count: 4), handler.count == 4
        else { return nil }
        let header = parts.first { $0.name == "tkhd" }.flatMap { TrackHeader($0.payload) }
        let times = media.first { $0.name == "mdhd" }.flatMap { BoxTimes($0.payload) }
        let information = media.first { $0.name == "minf" }
        id = header?.id ?? 0
        timescale = times?.timescale ?? 0
        table = information?.child("stbl")
        isSelfContained = Self.isSelfContained(information)
        var track = MovieMetadata.Track(handler: String(decoding: handler, as: UTF8.self))
        track.duration = times?.seconds
        let descriptions = table?.child("stsd")?.payload
        if let entry = descriptions?.part(at: 8).boxes(limit: 1).first {
            track.codec = entry.name.description
            if track.handler == "vide", let fields = entry.payload.fields(at: 0, count: 28) {
                track.width = fields.uint16(24).flatMap { $0 > 0 ? Int($0) : nil }
                track.height = fields.uint16(26).flatMap { $0 > 0 ? Int($0) : nil }
            }
        }
        if track.handler == "vide" {
            track.width = track.width ?? header?.width
            track.height = track.height ?? header?.height
            track.orientation = header?.orientation
        }
        track.sampleCount = table?.child("stsz").flatMap { $0.payload.fields(at: 8, count: 4)?.uint32(0) }
            .map { Int64($0) }
        summary = track
    }

    /// Offset in the file after the last byte of the sample that lies farthest; 0 if there is none in this file.
    package func lastSampleEnd() -> Int64 {
        guard isSelfContained, let table else { return 0 }
        return SampleTable(table)?.lastSampleEnd() ?? 0
    }

    /// The first data reference has the flag "in the same file" (ISO/IEC 14496-12 clause 8.7.2).
    private static func isSelfContained(_ information: FoundBox?) -> Bool {
        guard let references = information?.child("dinf")?.child("dref"),
            let first = references.children(skip: 8).first, let flags = first.payload.fields(at: 0, count: 4)?.uint32(0)
        else { return true }
        return flags & 1 == 1
    }
}

/// The fields of `tkhd` (ISO/IEC 14496-12 clause 8.3.2).
private struct TrackHeader {
    let id: UInt32
    let width: Int?
    let height: Int?
    let orientation: Orientation?

    init?(_ payload: RandomAccessBytes) {
        guard let version = payload.bytes(at: 0, count: 1).first, version <= 1 else { return nil }
        let shift = version == 1 ? 12 : 0
        guard let fields = payload.fields(at: 0, count: 84 + shift), let id = fields.uint32(version == 1 ? 20 : 12)
        else {
            return nil
        }
        self.id = id
        width = fields.uint32(76 + shift).flatMap { $0 >> 16 > 0 ? Int($0 >> 16) : nil }
        height = fields.uint32(80 + shift).flatMap { $0 >> 16 > 0 ? Int($0 >> 16) : nil }
        let matrix = [0, 4, 12, 16].compactMap { fields.int32(40 + shift + $0) }
        orientation = Self.orientation(matrix)
    }

    /// The turn that the matrix `[a b; c d]` makes, where a point becomes `(ax + cy, bx + dy)` and y points down.
    private static func orientation(_ matrix: [Int32]) -> Orientation? {
        switch matrix.map({ $0.signum() }) {
        case [1, 0, 0, 1]: .up
        case [-1, 0, 0, 1]: .upMirrored
        case [-1, 0, 0, -1]: .down
        case [1, 0, 0, -1]: .downMirrored
        case [0, 1, 1, 0]: .leftMirrored
        case [0, 1, -1, 0]: .right
        case [0, -1, -1, 0]: .rightMirrored
        case [0, -1, 1, 0]: .left
        default: nil
        }
    }
}
