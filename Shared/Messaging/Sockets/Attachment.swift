private import CZeroMQ

/// Bytes that travel beside a message's JSON; immutable, and shared without copying.
///
/// One that was received lies in libzmq's own buffer. One made with ``init(capacity:filling:)`` is handed to libzmq as it
/// is; one made from an array is copied once.
package struct Attachment: Sendable {
    private let storage: Storage

    /// Copies an array.
    package init(_ bytes: [UInt8]) {
        unsafe self.init(capacity: bytes.count) { memory in
            unsafe memory.copyBytes(from: bytes)
            return bytes.count
        }
    }

    /// Fills new memory, which is sent without another copy.
    ///
    /// - Parameters:
    ///   - capacity: How many bytes there is room for.
    ///   - fill: Writes into the memory and returns how many bytes from its start are meant.
    /// - Throws: What `fill` throws.
    package init<Failure: Error>(
        capacity: Int,
        filling fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        storage = try unsafe Storage(capacity: capacity, filling: fill)
    }

    /// Takes over what a frame holds.
    init(taking frame: inout MessageFrame) { storage = Storage(taking: &frame) }

    package var count: Int { storage.count }

    /// A copy of the bytes.
    package var bytes: [UInt8] { unsafe storage.withUnsafeBytes { unsafe Array($0) } }

    /// Lends the bytes for the length of a closure.
    package func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe storage.withUnsafeBytes { bytes throws(Failure) in try body(unsafe bytes.bytes) }
    }

    /// Lends the bytes to a C function; the pointer must not leave the closure.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe storage.withUnsafeBytes(body)
    }

    /// A frame that shares this memory; libzmq lets go of it when it is sent.
    func makeFrame() -> MessageFrame { storage.makeFrame() }
}

// @unchecked: written by the initialiser alone; libzmq reads it on its I/O thread and releases it there.
@safe private final class Storage: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer?
    private var received: zmq_msg_t
    let count: Int

    init<Failure: Error>(
        capacity: Int,
        filling fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        precondition(capacity >= 0, "a capacity is not negative")
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, capacity), alignment: 16)
        do {
            let filled = try unsafe fill(UnsafeMutableRawBufferPointer(start: memory, count: capacity))
            precondition((0...capacity).contains(filled), "more was filled than there is room for")
            count = filled
        } catch {
            unsafe memory.deallocate()
            throw error
        }
        unsafe self.memory = memory
        received = zmq_msg_t()
    }

    init(taking frame: inout MessageFrame) {
        unsafe memory = nil
        received = zmq_msg_t()
        count = frame.count
        unsafe zmq_msg_init(&received)
        unsafe frame.move(to: &received)
    }

    deinit {
        if let memory = unsafe memory { unsafe memory.deallocate() } else { unsafe zmq_msg_close(&received) }
    }

    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = unsafe memory ?? zmq_msg_data(&received)
        return try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    func makeFrame() -> MessageFrame {
        let start = unsafe memory ?? zmq_msg_data(&received)
        // Below this size a copy is cheaper than the reference that libzmq would have to give back.
        guard count > 4_096 else {
            return unsafe MessageFrame(copying: UnsafeRawBufferPointer(start: start, count: count))
        }
        let owner = unsafe Unmanaged.passRetained(self).toOpaque()
        return unsafe MessageFrame(lending: start, count: count, owner: owner) { _, owner in
            guard let owner = unsafe owner else { return }
            unsafe Unmanaged<Storage>.fromOpaque(owner).release()
        }
    }
}
