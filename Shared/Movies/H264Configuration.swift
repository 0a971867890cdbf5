/// What a decoder has to know before the first picture: the parameter sets of a stream.
///
/// Source: ISO/IEC 14496-15, 5.3.3 (`AVCDecoderConfigurationRecord`, the payload of `avcC`).
package struct H264Configuration: Hashable, Sendable {
    /// Sets as they are in the stream, without start codes; one at least, each of a size that `avcC` can have.
    package let sequenceParameterSets, pictureParameterSets: [[UInt8]]
    /// What the first sequence parameter set says.
    package let parameters: H264SequenceParameters

    /// More sets than a stream of one camera has.
    private static let mostSets = 31

    /// A configuration of these sets; nil where one kind is missing or the first set makes no sense.
    package init?(sequence: [[UInt8]], picture: [[UInt8]]) {
        let sets = sequence + picture
        guard let first = sequence.first, let parameters = H264SequenceParameters(first), !picture.isEmpty,
            sequence.count <= Self.mostSets, picture.count <= Self.mostSets,
            sets.allSatisfy({ !$0.isEmpty && $0.count <= Int(UInt16.max) })
        else { return nil }
        sequenceParameterSets = sequence
        pictureParameterSets = picture
        self.parameters = parameters
    }

    /// The payload of the `avcC` box; units have lengths of four bytes.
    package var record: [UInt8] {
        var builder = BoxBuilder()
        let first = sequenceParameterSets[0]
        builder.append(contentsOf: [1, first[1], first[2], first[3], 0xFF])
        builder.append(0xE0 | UInt8(sequenceParameterSets.count))
        append(sequenceParameterSets, to: &builder)
        builder.append(UInt8(pictureParameterSets.count))
        append(pictureParameterSets, to: &builder)
        if [100, 110, 122, 144].contains(first[1]) {
            builder.append(0xFC | parameters.chromaFormat)
            builder.append(0xF8 | (parameters.lumaBitDepth - 8))
            builder.append(0xF8 | (parameters.chromaBitDepth - 8))
            builder.append(UInt8(0))
        }
        return builder.bytes
    }

    private func append(_ sets: [[UInt8]], to builder: inout BoxBuilder) {
        for set in sets {
            builder.append(UInt16(set.count))
            builder.append(contentsOf: set)
        }
    }

    /// Reads the payload of an `avcC` box, which also tells how many bytes the lengths of units have: 1, 2 or 4.
    package static func read(record: [UInt8]) -> (configuration: H264Configuration, lengthByteCount: Int)? {
        guard record.count >= 7, record[0] == 1 else { return nil }
        let length = Int(record[4] & 3) + 1
        guard length != 3 else { return nil }
        var position = 6
        func sets(_ count: Int) -> [[UInt8]]? {
            var found: [[UInt8]] = []
            for _ in 0..<count {
                guard position + 2 <= record.count else { return nil }
                let size = Int(record[position]) << 8 | Int(record[position + 1])
                guard size > 0, position + 2 + size <= record.count else { return nil }
                found.append(Array(record[position + 2..<position + 2 + size]))
                position += 2 + size
            }
            return found
        }
        guard let sequence = sets(Int(record[5] & 0x1F)), position < record.count else { return nil }
        position += 1
        guard let picture = sets(Int(record[position - 1])) else { return nil }
        return H264Configuration(sequence: sequence, picture: picture).map { ($0, length) }
    }
}
