import Files
import Foundation
import Media
import MessageSchema
import TestSupport
import Testing

/// The real executable, over a real channel.
@Suite(.timeLimit(.minutes(2)))
struct `A worker process` {
    /// A worker and our end of its channel.
    private struct Worker: ~Copyable {
        let channel: DescriptorChannel
        var process: ChildProcess

        init() throws {
            let ends = try DescriptorChannel.makePair()
            let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let binary = URL(filePath: runner).deletingLastPathComponent()
            self = try ends.take { (ours: consuming DescriptorChannel, theirs: consuming DescriptorChannel) in
                var request = ChildRequest(executable: binary.appending(path: "obscura-decoder").path)
                request.descriptors = [ChildRequest.Inherited(here: theirs.descriptor.rawValue, there: 3)]
                return Worker(channel: ours, process: try ChildProcess(request))
            }
        }

        private init(channel: consuming DescriptorChannel, process: consuming ChildProcess) {
            self.channel = channel
            self.process = process
        }

        func ask(_ bytes: [UInt8], about file: [UInt8]?) throws -> (reply: DecoderReply, attachment: [UInt8]?) {
            if let file {
                let memory = try FileDescriptor.memory(named: "test")
                try memory.writeAll(file)
                try channel.send(bytes, descriptors: [memory.rawValue])
            } else {
                try channel.send(bytes)
            }
            guard var message = try channel.receive() else { throw FilesError(code: .brokenPipe, operation: "receive") }
            let reply = try JSONDecoder().decode(DecoderReply.self, from: Data(message.bytes))
            guard let memory = message.takeDescriptor() else { return (reply, nil) }
            return (reply, try memory.read(at: 0, upTo: 1 << 20))
        }

        consuming func end() throws -> Files.ExitStatus? {
            var process = process
            channel.close()
            return try process.wait(for: .seconds(20))
        }

        func ask(_ job: DecoderJob, about file: [UInt8]?) throws -> (reply: DecoderReply, attachment: [UInt8]?) {
            try ask(Array(JSONEncoder().encode(job)), about: file)
        }
    }

    @Test(.enabled(if: Tool.isInstalled("ffmpeg")))
    func `inspects, renders, refuses nonsense and goes on`() throws {
        let worker = try Worker()
        let picture = try Tool.pattern("a.png", ["-frames:v", "1"])
        let report = try worker.ask(.inspect(), about: picture).reply.report
        #expect(report?.uti == "public.png")

        let thumbnail = try worker.ask(.thumbnail(width: 32, height: 32), about: picture)
        #expect(thumbnail.reply.thumbnail?.width == 32)
        #expect(thumbnail.attachment?.count == thumbnail.reply.thumbnail?.byteCount)
        #expect(thumbnail.attachment?.starts(with: [0xFF, 0xD8]) == true)

        #expect(try worker.ask(Array("{".utf8), about: picture).reply.failure != nil)
        #expect(try worker.ask(.inspect(), about: nil).reply.failure != nil)
        #expect(try worker.ask(.thumbnail(width: 0, height: 0), about: picture).reply.failure != nil)
        #expect(try worker.ask(.thumbnail(width: 9, height: 9), about: Array("text".utf8)).reply.failure != nil)
        #expect(try worker.ask(.inspect(), about: picture).reply.report?.isUsable == true)
    }

    @Test func `is confined before it looks at anything`() throws {
        let worker = try Worker()
        #expect(try worker.ask(.inspect(), about: Array("text".utf8)).reply.report != nil)
        let status = try String(contentsOfFile: "/proc/\(worker.process.processID)/status", encoding: .utf8)
        // proc(5): 2 is a filter.
        #expect(status.contains("Seccomp:\t2\n"))
        #expect(status.contains("NoNewPrivs:\t1\n"))
    }

    @Test func `ends when its channel does`() throws {
        let worker = try Worker()
        let status = try worker.end()
        #expect(status == .exited(0))
    }

    @Test(.enabled(if: Corpus.isThere))
    func `lives through the whole corpus`() throws {
        let worker = try Worker()
        for name in Corpus.names {
            let bytes = try Corpus.bytes(name)
            #expect(try worker.ask(.inspect(), about: bytes).reply.report != nil, "\(name)")
            let thumbnail = try worker.ask(.thumbnail(width: 64, height: 64), about: bytes).reply
            #expect(thumbnail.thumbnail != nil || thumbnail.failure != nil, "\(name)")
        }
    }
}
