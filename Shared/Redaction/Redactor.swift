package import Containers
package import MessageSchema

/// Makes the file without metadata that a profile asks for.
///
/// Only what is known to be picture, sound, or harmless stays; what is not known goes where the file can be read
/// without it, and makes the file refused where it can not. Pure: nothing is decoded, and memory is bounded by what the
/// tables of the file need, not by its size.
package enum Redactor {
    /// The file without what the profile takes out.
    ///
    /// - Parameters:
    ///   - bytes: The file; read at many places, each once or twice.
    ///   - type: What it is by its content.
    ///   - profile: `none` leaves it as it is; `location` takes out whatever may say where it was made; `all` takes out
    ///     everything but what is needed to show it right.
    /// - Returns: The pieces of the new file.
    /// - Throws: `unsupportedType`, `damaged`, `unknownPart`, `tooLarge`: then nothing may be handed out.
    package static func redaction(
        of bytes: RandomAccessBytes,
        type: FileType,
        profile: PrivacyProfile
    ) throws(RedactionError) -> Redaction {
        if profile == .none { return Redaction(unchanged: bytes.count) }
        switch type {
        case .jpeg: return try JPEGRedaction.plan(bytes, profile)
        case .png: return try PNGRedaction.plan(bytes, profile)
        case .webP: return try WebPRedaction.plan(bytes, profile)
        case .gif: return try GIFRedaction.plan(bytes)
        case .tiff, .dng: return try TIFFRedaction.plan(bytes, profile)
        case .heic, .heif, .avif: return try HEIFRedaction.plan(bytes, profile)
        case .quickTime, .mpeg4, .m4v, .threeGPP: return try MovieRedaction.plan(bytes, profile)
        case .bmp: return try bitmap(bytes)
        default: throw RedactionError(.unsupportedType, type.uti)
        }
    }

    /// A BMP has no place for metadata; what lies behind its end goes.
    private static func bitmap(_ bytes: RandomAccessBytes) throws(RedactionError) -> Redaction {
        let size = try bytes.exactly(6, at: 0, of: "the picture", order: .littleEndian).uint32(2) ?? 0
        guard size > 0, Int64(size) <= bytes.count else { throw RedactionError(.damaged, "the picture ends too early") }
        return Redaction(unchanged: Int64(size))
    }
}
