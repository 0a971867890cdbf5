package import Media

/// What a `obscura-decoder` worker is asked to do with the one descriptor that comes with it.
///
/// Not part of the wire: a job is one datagram on a socket pair between the library and its worker.
package struct DecoderJob: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Find out what the file is, and whether it can be viewed or played.
        case inspect
        /// Render a small upright JPEG without metadata.
        case thumbnail
        /// Say what the file is without some of its metadata.
        case redact
    }

    package var job: Kind
    /// Whether `inspect` may stop at the headers: quick, and `isUsable` then means "nothing speaks against it".
    package var headersOnly: Bool?
    /// Pixels that the thumbnail fits into.
    package var width: Int?
    package var height: Int?
    /// Whether the thumbnail fills the size and is cropped to it, rather than fitting into it.
    package var fill: Bool?
    /// What `redact` takes out.
    package var privacy: PrivacyProfile?

    /// A job for looking at a file.
    package static func inspect(headersOnly: Bool = false) -> DecoderJob {
        DecoderJob(job: .inspect, headersOnly: headersOnly ? true : nil)
    }

    /// A job for a small picture of a file.
    package static func thumbnail(width: Int, height: Int, fill: Bool = false) -> DecoderJob {
        DecoderJob(job: .thumbnail, width: width, height: height, fill: fill ? true : nil)
    }

    /// A job for the file without metadata.
    package static func redact(_ privacy: PrivacyProfile) -> DecoderJob {
        DecoderJob(job: .redact, privacy: privacy)
    }
}

/// What a worker answers: one datagram, with a descriptor of a sealed memory file if there is a thumbnail or a redaction.
package struct DecoderReply: Hashable, Sendable, Codable {
    /// The picture in the memory file that comes with the reply.
    package struct Thumbnail: Hashable, Sendable, Codable {
        /// Pixels; upright.
        package var width: Int
        package var height: Int
        package var byteCount: Int

        package init(width: Int, height: Int, byteCount: Int) {
            self.width = width
            self.height = height
            self.byteCount = byteCount
        }
    }

    /// With this code a worker ends that could not confine itself: no file is to blame (sysexits.h, EX_CONFIG).
    package static let unconfinedExitCode: Int32 = 78

    package var report: InspectionReport?
    package var thumbnail: Thumbnail?
    /// Bytes of a `Redaction` in the memory file that comes with the reply.
    package var redactionByteCount: Int?
    /// Why there is nothing: the job was not understood, or the file can not be rendered or redacted.
    package var failure: String?

    package init(
        report: InspectionReport? = nil,
        thumbnail: Thumbnail? = nil,
        redactionByteCount: Int? = nil,
        failure: String? = nil
    ) {
        self.report = report
        self.thumbnail = thumbnail
        self.redactionByteCount = redactionByteCount
        self.failure = failure
    }
}
