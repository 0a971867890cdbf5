/// One picture of an H.264 stream, in the form that movies have.
package struct H264AccessUnit: Hashable, Sendable {
    /// Its units, each after its length in four bytes; without parameter sets, delimiters and filler.
    ///
    /// Empty where there are parameter sets alone, as some cameras send them in a buffer of their own.
    package let sample: [UInt8]
    /// Whether decoding can begin here (an IDR picture).
    package let isKey: Bool
    /// The parameter sets that came with it, where both kinds did.
    package let configuration: H264Configuration?
    /// Whether it has parts that are predicted from two pictures, of which one is shown later as a rule.
    package let isBidirectional: Bool

    /// Reads a picture as cameras give it (V4L2_PIX_FMT_H264: one access unit in a buffer); nil where there is none.
    package init?(annexB bytes: [UInt8]) {
        var sample: [UInt8] = []
        sample.reserveCapacity(bytes.count + 16)
        var sequence: [[UInt8]] = []
        var picture: [[UInt8]] = []
        var isKey = false
        var hasSlice = false
        var isBidirectional = false
        for range in AnnexB.units(of: bytes) {
            guard let type = H264UnitType.type(bytes[range.lowerBound]) else { return nil }
            switch type {
            case H264UnitType.sequenceParameters: sequence.append(Array(bytes[range]))
            case H264UnitType.pictureParameters: picture.append(Array(bytes[range]))
            case H264UnitType.superfluous: break
            default:
                if type == H264UnitType.keySlice { isKey = true }
                if (H264UnitType.slice...H264UnitType.keySlice).contains(type) {
                    hasSlice = true
                    if Self.isBidirectional(bytes[range]) { isBidirectional = true }
                }
                let length = UInt32(clamping: range.count)
                for shift in [24, 16, 8, 0] as [UInt32] { sample.append(UInt8(truncatingIfNeeded: length >> shift)) }
                sample += bytes[range]
            }
        }
        let configuration = H264Configuration(sequence: sequence, picture: picture)
        guard hasSlice || configuration != nil else { return nil }
        self.sample = hasSlice ? sample : []
        self.isKey = isKey
        self.isBidirectional = isBidirectional
        self.configuration = configuration
    }

    /// A sample of a movie as a camera would give it: with start codes, and with its parameter sets where it is a key.
    ///
    /// Nil where its lengths do not add up.
    package static func annexB(
        sample: [UInt8],
        lengthByteCount: Int,
        preceding configuration: H264Configuration?
    ) -> [UInt8]? {
        let sets = configuration.map { $0.sequenceParameterSets + $0.pictureParameterSets } ?? []
        var bytes = AnnexB.stream(of: sets)
        bytes.reserveCapacity(bytes.count + sample.count + 16)
        var position = 0
        while position < sample.count {
            guard sample.count - position > lengthByteCount else { return nil }
            let length = sample[position..<position + lengthByteCount].reduce(0) { $0 << 8 | Int($1) }
            position += lengthByteCount
            guard length > 0, length <= sample.count - position else { return nil }
            bytes += [0, 0, 0, 1]
            bytes += sample[position..<position + length]
            position += length
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// `first_mb_in_slice`, then `slice_type`, of which 1 and 6 are B (7.4.3, table 7-6).
    private static func isBidirectional(_ unit: ArraySlice<UInt8>) -> Bool {
        var reader = BitReader(payload: unit.dropFirst(), limit: 16)
        guard reader.unsigned() != nil, let type = reader.unsigned() else { return false }
        return type == 1 || type == 6
    }
}
