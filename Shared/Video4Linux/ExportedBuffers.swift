private import Glibc

/// The descriptors under which a queue's buffers can be used by other drivers and processes (DMABUF), owned: dropped, they are
/// closed.
///
/// All of a queue's, or none. Source: VIDIOC_EXPBUF.
struct ExportedBuffers: ~Copyable {
    /// The areas of the first buffer, of the second, and so on.
    private let descriptors: [Int32]
    private let areas: Int

    /// Exports each area of each buffer.
    ///
    /// - Parameters:
    ///   - count: How many buffers there are.
    ///   - areas: How many areas each has.
    ///   - export: VIDIOC_EXPBUF of an area of a buffer: its descriptor, or the negative of errno.
    /// - Throws: `notSupported` where the driver does not export (ENOTTY) or not these buffers (EINVAL); `absent`, `fault`.
    ///   What was exported until then is closed.
    init(count: Int, areas: Int, export: (_ buffer: UInt32, _ area: UInt32) -> Int32) throws(VideoError) {
        var descriptors: [Int32] = []
        for index in 0..<count * areas {
            let (buffer, area) = index.quotientAndRemainder(dividingBy: areas)
            let result = export(UInt32(buffer), UInt32(area))
            guard result >= 0 else {
                Self.close(descriptors)
                throw VideoError(operation: "VIDIOC_EXPBUF", errorNumber: -result)
            }
            descriptors.append(result)
        }
        self.descriptors = descriptors
        self.areas = areas
    }

    deinit { Self.close(descriptors) }

    /// The descriptor of an area of a buffer; it stays this value's own.
    func descriptor(of buffer: Int, area: Int = 0) -> Int32 { descriptors[buffer * areas + area] }

    private static func close(_ descriptors: [Int32]) {
        // Nothing was written to them.
        for descriptor in descriptors { _ = Glibc.close(descriptor) }
    }
}

/// Where a frame lies in memory that other drivers and processes can use without a copy (DMABUF).
package struct SharedFrame: Hashable, Sendable {
    /// Mapped with mmap(2) for reading, or given to another driver.
    ///
    /// It stays the queue's own, which closes it when streaming
    /// stops; a duplicate is its maker's, and keeps the memory from the driver for as long as it is open.
    package let descriptor: Int32
    /// Where the frame's bytes begin.
    package let offset: Int
    /// How many there are.
    package let byteCount: Int
}
