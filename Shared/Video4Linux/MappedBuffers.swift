private import CVideo4Linux

/// The buffers of a device, mapped into this process.
///
/// Not safe by itself: whoever has it unmaps it exactly once, and uses it no more. Only `VideoDevice` does.
@safe struct MappedBuffers {
    /// The areas of the first buffer, of the second, and so on.
    private let mappings: [cv4l2_mapping]
    private let areas: Int

    /// VIDIOC_REQBUFS, VIDIOC_QUERYBUF and mmap(2); the kernel may give another number of buffers than was asked for.
    init(descriptor: Int32, type: UInt32, wanted: UInt32, areas: Int) throws(VideoError) {
        var count = wanted
        let result = unsafe cv4l2_request_buffers(descriptor, type, &count)
        guard result == 0 else { throw VideoError(operation: "VIDIOC_REQBUFS", errorNumber: -result) }
        var mappings: [cv4l2_mapping] = unsafe []
        for index in 0..<count * UInt32(areas) {
            let (buffer, area) = index.quotientAndRemainder(dividingBy: UInt32(areas))
            var mapping = unsafe cv4l2_mapping()
            let result = unsafe cv4l2_map_buffer(descriptor, type, buffer, area, &mapping)
            guard result == 0 else {
                unsafe mappings.forEach { _ = unsafe cv4l2_unmap_buffer($0) }
                var none: UInt32 = 0
                _ = unsafe cv4l2_request_buffers(descriptor, type, &none)
                throw VideoError(operation: "VIDIOC_QUERYBUF", errorNumber: -result)
            }
            unsafe mappings.append(mapping)
        }
        guard count > 0 else { throw VideoError(.fault, operation: "VIDIOC_REQBUFS", errorNumber: 0) }
        unsafe self.mappings = mappings
        self.areas = areas
    }

    var count: Int { unsafe mappings.count / areas }

    /// The bytes that an area of a buffer has.
    func byteCount(of index: Int, area: Int = 0) -> Int { unsafe Int(mappings[index * areas + area].length) }

    /// Lends bytes of an area of a buffer, never more than it has.
    func withBytes<Result>(
        of index: Int,
        area: Int = 0,
        from offset: Int,
        count: Int,
        _ body: (RawSpan) -> Result
    ) -> Result {
        let mapping = unsafe mappings[index * areas + area]
        let whole = unsafe UnsafeRawBufferPointer(start: mapping.start, count: Int(mapping.length))
        let part = unsafe UnsafeRawBufferPointer(rebasing: whole.dropFirst(offset).prefix(count))
        return unsafe body(part.bytes)
    }

    func unmap() {
        unsafe mappings.forEach { _ = unsafe cv4l2_unmap_buffer($0) }
    }
}
