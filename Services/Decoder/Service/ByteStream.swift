import CFFmpeg
import Containers

/// Bytes as libavformat reads them: with a position of their own, through callbacks, so that no path is ever opened.
///
/// Reached only through the callbacks of one `AVIOContext`, which one thread uses at a time.
final class ByteStream {
    private static let bufferByteCount: Int32 = 65_536

    private let bytes: RandomAccessBytes
    private var position: Int64 = 0

    init(_ bytes: RandomAccessBytes) { self.bytes = bytes }

    /// A context whose `opaque` is this stream, which must outlive it; nil when memory is short.
    func makeContext() -> UnsafeMutablePointer<AVIOContext>? {
        guard let buffer = unsafe av_malloc(Int(Self.bufferByteCount)) else { return nil }
        let context = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self),
            Self.bufferByteCount,
            0,
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, buffer, count in
                guard let opaque = unsafe opaque, let buffer = unsafe buffer else { return cffmpeg_end_of_file() }
                let stream = unsafe Unmanaged<ByteStream>.fromOpaque(opaque).takeUnretainedValue()
                return unsafe stream.read(UnsafeMutableBufferPointer(start: buffer, count: Int(max(0, count))))
            },
            nil,
            { opaque, offset, whence in
                guard let opaque = unsafe opaque else { return -1 }
                return unsafe Unmanaged<ByteStream>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            }
        )
        if unsafe context == nil { unsafe av_free(buffer) }
        return unsafe context
    }

    private func read(_ target: UnsafeMutableBufferPointer<UInt8>) -> Int32 {
        let found = bytes.bytes(at: position, count: target.count)
        guard !found.isEmpty else { return cffmpeg_end_of_file() }
        _ = unsafe target.update(fromContentsOf: found)
        position += Int64(found.count)
        return Int32(found.count)
    }

    /// `AVSEEK_SIZE` asks for the length; the rest are the C library's (avio.h).
    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let base: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return bytes.count
        case 0: base = 0
        case 1: base = position
        case 2: base = bytes.count
        default: return -1
        }
        let (target, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return -1 }
        position = target
        return target
    }
}
