/// How long texts may be that come from outside, so that any page of assets fits into a message.
enum TextBounds {
    /// Bytes of a make, a model or a date as it was written.
    static let metadataBytes = 256
    /// Bytes of a file's name.
    static let filenameBytes = 255
    /// Bytes of the words for what is wrong with a file.
    static let reasonBytes = 512
}

extension String {
    /// Whether it has characters that move a cursor or end a line, C0 and C1.
    var hasControls: Bool { unicodeScalars.contains { $0.isControl } }

    /// Its beginning, as whole characters of Unicode, without control characters; at most so many bytes.
    func clipped(to bytes: Int) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars where !scalar.isControl {
            count += UTF8.width(scalar)
            if count > bytes { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}

extension Unicode.Scalar {
    /// Whether it is in C0 or C1, or DEL.
    var isControl: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }
}
