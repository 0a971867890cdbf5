private import Files
private import Foundation
private import Glibc
import MessageSchema

/// One `obscura-decoder` process and the thread that waits for it.
///
/// A worker that breaks its channel, misses a deadline or answers nonsense is killed and never used again.
actor DecoderWorkerProcess {
    /// How one job ended.
    enum Outcome: Sendable {
        /// The worker answered; with a picture or a redaction, its bytes.
        case answered(DecoderReply, content: [UInt8]?)
        /// The worker ended, ran out of its limits or did not answer in time; it is gone.
        case lost(reason: String)
        /// It refused to work at all, whatever the file.
        case unfit(reason: String)
    }

    private let thread: BlockingThread
    private let channel: ChannelEnd
    private var child: ChildProcess

    /// How many jobs it has done.
    private(set) var jobs = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.executor.asUnownedSerialExecutor()
    }

    /// Starts a worker; blocks for the milliseconds that takes.
    ///
    /// - Throws: `FilesError`: `notFound` when the executable is not there.
    init(executable: String, limits: DecoderPool.Limits) throws {
        let pair = try DescriptorChannel.makePair()
        let started = try pair.take { ours, theirs throws in
            var request = ChildRequest(executable: executable)
            request.environment = ["MALLOC_ARENA_MAX": "2"]
            request.workingDirectory = "/"
            request.descriptors = [.init(here: theirs.descriptor.rawValue, there: 3)]
            request.hasOwnGroup = true
            request.hasNoNewPrivileges = true
            request.parentDeathSignal = SIGKILL
            request.limits.addressSpace = limits.addressSpace
            request.limits.openFiles = limits.openFiles
            request.limits.coreBytes = 0
            return Started(channel: ChannelEnd(ours), child: try ChildProcess(request))
        }
        thread = BlockingThread(name: "decoder")
        channel = started.channel
        child = started.takeChild()
    }

    isolated deinit {}

    /// Hands the worker a job with a file, and waits for the answer, at most `deadline`.
    func perform(_ job: DecoderJob, on file: SharedFile, within deadline: Duration) -> Outcome {
        jobs += 1
        do {
            try channel.end.send(Array(JSONEncoder().encode(job)), descriptors: [file.descriptor.rawValue])
            guard try channel.end.descriptor.waitUntilReadable(for: deadline) else {
                end()
                return .lost(reason: "no answer within \(deadline.components.seconds) seconds")
            }
            guard var message = try channel.end.receive(limit: 262_144, mostDescriptors: 1) else {
                return ending()
            }
            let reply = try JSONDecoder().decode(DecoderReply.self, from: Data(message.bytes))
            guard let byteCount = reply.thumbnail?.byteCount ?? reply.redactionByteCount else {
                return .answered(reply, content: nil)
            }
            guard let memory = message.takeDescriptor(), byteCount <= DecoderPool.mostContentBytes else {
                end()
                return .lost(reason: "the answer makes no sense")
            }
            return .answered(reply, content: try memory.read(at: 0, upTo: byteCount))
        } catch let error as FilesError where error.code == .brokenPipe {
            return ending()
        } catch {
            end()
            return .lost(reason: "the answer makes no sense")
        }
    }

    /// Kills the worker and reaps it, so that nothing of it stays while this value is still held.
    private func end() {
        child.signal(SIGKILL)
        // One that can not be reaped now is when this value goes.
        _ = try? child.wait(for: .seconds(5))
    }

    /// How a worker whose channel has closed came to its end.
    private func ending() -> Outcome {
        // One that has ended, and is about to be reaped, keeps the outcome that it had.
        child.signal(SIGKILL)
        switch try? child.wait(for: .seconds(5)) {
        case .exited(DecoderReply.unconfinedExitCode): return .unfit(reason: "it could not be confined")
        case .signaled(SIGKILL): return .lost(reason: "it used up its memory or time")
        case .signaled(let number): return .lost(reason: "it ended by signal \(number)")
        case .exited(let code): return .lost(reason: "it ended with code \(code)")
        default: return .lost(reason: "it did not end")
        }
    }
}

/// Carries a channel and a child out of a closure.
private struct Started: ~Copyable {
    let channel: ChannelEnd
    var child: ChildProcess

    consuming func takeChild() -> ChildProcess { child }
}

/// An end of a channel that an actor can hold while its initialiser may still fail.
private final class ChannelEnd: Sendable {
    let end: DescriptorChannel

    init(_ end: consuming DescriptorChannel) {
        self.end = end
    }
}
