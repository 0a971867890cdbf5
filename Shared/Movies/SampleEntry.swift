import Media

/// What `stsd` says about a track's pictures.
///
/// Sources: QuickTime File Format, "Video sample description"; ISO/IEC 14496-12, 12.1.3; 14496-14, 5.6 (`mp4v`, `esds`);
/// 14496-15, 5.4.2 (`avc1`, `avcC`). JPEG in MP4 is `mp4v` with object type 0x6C, "Visual ISO/IEC 10918-1" of 14496-1,
/// table 5; FFmpeg (libavformat/isom.c, `ff_mp4_obj_type`) and MKVToolNix (`OBJECT_TYPE_JPEG`) read and write it so.
struct SampleEntry {
    /// The payload of the `stsd` box.
    let table: [UInt8]

    init(_ description: MovieDescription) {
        var builder = BoxBuilder()
        // Version and flags, then how many entries follow.
        builder.append(UInt32(0))
        builder.append(UInt32(1))
        builder.box(Self.name(description)) { entry in
            entry.appendZeros(6)
            entry.append(UInt16(1))
            entry.appendZeros(12)
            entry.append(description.container == .mov ? UInt32(512) : 0)
            entry.append(UInt16(description.width))
            entry.append(UInt16(description.height))
            entry.append(UInt32(72 << 16))
            entry.append(UInt32(72 << 16))
            entry.append(UInt32(0))
            entry.append(UInt16(1))
            let name = Array((description.pictures.hasKeys ? "H.264" : "Photo - JPEG").utf8)
            entry.append(UInt8(name.count))
            entry.append(contentsOf: name)
            entry.appendZeros(31 - name.count)
            entry.append(UInt16(24))
            entry.append(UInt16(0xFFFF))
            switch (description.pictures, description.container) {
            case (.h264(let configuration), _): entry.box("avcC") { $0.append(contentsOf: configuration.record) }
            case (.motionJPEG, .mp4): Self.appendStreamDescriptor(to: &entry)
            case (.motionJPEG, .mov): break
            }
            description.toldColours?.append(to: &entry, description.container)
        }
        table = builder.bytes
    }

    private static func name(_ description: MovieDescription) -> FourCharacterCode {
        switch (description.pictures, description.container) {
        case (.h264, _): "avc1"
        case (.motionJPEG, .mov): "jpeg"
        case (.motionJPEG, .mp4): "mp4v"
        }
    }

    /// `esds` (ISO/IEC 14496-1, 7.2.6): an ES descriptor around those of the decoder and the synchronisation.
    private static func appendStreamDescriptor(to entry: inout BoxBuilder) {
        entry.fullBox("esds") { descriptor in
            // Each: a tag and a length. The number of the stream is 0 in files (14496-14, 3.1.2).
            descriptor.append(contentsOf: [0x03, 21, 0, 0, 0])
            // JPEG; a visual stream; sizes and rates are not told.
            descriptor.append(contentsOf: [0x04, 13, 0x6C, 0x11])
            descriptor.appendZeros(11)
            descriptor.append(contentsOf: [0x06, 1, 0x02])
        }
    }
}
