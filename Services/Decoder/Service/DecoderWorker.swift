private import Containers
package import Files
private import FoundationEssentials
private import MessageSchema
private import Redaction

/// Serves one channel: a job and a descriptor in, a reply and perhaps a memory file out, one after the other.
package struct DecoderWorker: ~Copyable {
    private let channel: DescriptorChannel
    private let limits: WorkerLimits

    /// A worker for a channel; the limits' processor seconds are granted anew for each job.
    package init(channel: consuming DescriptorChannel, limits: WorkerLimits) {
        self.channel = channel
        self.limits = limits
    }

    /// Serves until the other end closes, and blocks all the while.
    ///
    /// - Throws: What the channel throws; a job that makes no sense is answered and the next one is served.
    package func run() throws(FilesError) {
        while var message = try channel.receive(mostDescriptors: 1) {
            limits.grantProcessorTime()
            let bytes = message.bytes
            guard let descriptor = message.takeDescriptor() else {
                try send(DecoderReply(failure: "a job comes with one descriptor"))
                continue
            }
            do {
                try perform(JSONDecoder().decode(DecoderJob.self, from: Data(bytes)), descriptor)
            } catch let error as FilesError {
                throw error
            } catch {
                let words = (error as? DecodingError)?.detail ?? (error as? RedactionError)?.description
                try send(DecoderReply(failure: words ?? "the job can not be read"))
            }
        }
    }
}

extension DecoderWorker {
    private func perform(_ job: DecoderJob, _ descriptor: borrowing FileDescriptor) throws {
        let bytes = try RandomAccessBytes(reading: descriptor)
        switch job.job {
        case .inspect:
            try send(DecoderReply(report: Inspector(headersOnly: job.headersOnly ?? false).inspect(bytes)))
        case .thumbnail:
            let thumbnail = try Renderer.thumbnail(
                of: bytes,
                width: job.width ?? 0,
                height: job.height ?? 0,
                fill: job.fill ?? false
            )
            let reply = DecoderReply(
                thumbnail: DecoderReply.Thumbnail(
                    width: thumbnail.width,
                    height: thumbnail.height,
                    byteCount: thumbnail.bytes.count
                )
            )
            try send(reply, with: thumbnail.bytes)
        case .redact:
            let type = FileType(recognising: bytes)
            let made = try Redactor.redaction(of: bytes, type: type, profile: job.privacy ?? .all).encoded
            try send(DecoderReply(redactionByteCount: made.count), with: made)
        }
    }

    private func send(_ reply: DecoderReply, with content: [UInt8]) throws(FilesError) {
        let memory = try FileDescriptor.memory(named: "answer")
        try memory.writeAll(content)
        try memory.seal()
        try send(reply, descriptors: [memory.rawValue])
    }

    private func send(_ reply: DecoderReply, descriptors: [Int32] = []) throws(FilesError) {
        // Values of our own types always encode.
        let bytes = (try? JSONEncoder().encode(reply)).map { Array($0) } ?? []
        try channel.send(bytes, descriptors: descriptors)
    }
}
