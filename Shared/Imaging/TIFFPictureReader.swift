package import Containers

/// A TIFF file or a raw picture built on it: which of its pictures is the main one, and which are JPEG previews.
///
/// Source: TIFF 6.0 sections 2 and 8; DNG 1.4 chapter 2 ("NewSubFileType", "SubIFD trees"); TIFF Technical Note 1.
package enum TIFFPictureReader {
    /// What the directories say; nil if the file is no TIFF structure.
    package static func read(_ bytes: RandomAccessBytes, magic: Set<UInt16> = [42]) -> PictureMetadata? {
        guard let structure = TIFFStructure(bytes, magic: magic) else { return nil }
        let chain = structure.chain()
        guard let first = chain.first else { return nil }
        var found = EXIFReader.read(structure, main: first)
        let below = chain.flatMap { directory in
            structure.integers(directory.entries[0x014A], limit: 8).compactMap { structure.directory(at: $0) }
        }
        let pictures = (chain + below).map { Picture(structure, $0.entries) }
        let main = pictures.first { !$0.isReduced && $0.width != nil } ?? pictures.first
        // The exposure's own numbers are about the picture that the camera showed; without a main picture they stand.
        found.width = main?.width ?? found.width
        found.height = main?.height ?? found.height
        found.previews = pictures.compactMap(\.embedded).sorted { $0.count > $1.count }
        return found
    }

    private struct Picture {
        let isReduced: Bool
        let width: Int?
        let height: Int?
        /// Bytes that may be a JPEG file.
        let embedded: Range<Int64>?

        init(_ structure: TIFFStructure, _ entries: [UInt16: TIFFStructure.Entry]) {
            func first(_ tag: UInt16) -> Int64? { structure.integers(entries[tag], limit: 2).first }
            isReduced = first(0x00FE).map { $0 & 1 == 1 } ?? false
            width = first(0x0100).flatMap { $0 > 0 ? Int($0) : nil }
            height = first(0x0101).flatMap { $0 > 0 ? Int($0) : nil }
            var place = first(0x0201).flatMap { start in first(0x0202).map { (start, $0) } }
            // A picture in one strip that is compressed as JPEG.
            if place == nil, let compression = first(0x0103), compression == 6 || compression == 7,
                structure.integers(entries[0x0111], limit: 2).count == 1, let start = first(0x0111)
            {
                place = first(0x0117).map { (start, $0) }
            }
            guard let (start, length) = place, start > 0, length > 0, start < structure.bytes.count else {
                embedded = nil
                return
            }
            embedded = start..<min(structure.bytes.count, start + length)
        }
    }
}
