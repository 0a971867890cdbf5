private import CLinux
private import Glibc

/// Whole messages with open descriptors between two processes of one machine: a socketpair(2) of SOCK_SEQPACKET with
/// SCM_RIGHTS (unix(7)).
///
/// Calls block unless the descriptor is set non-blocking; an event loop waits on `descriptor` for reading.
package struct DescriptorChannel: ~Copyable, Sendable {
    /// A message may have at most so many descriptors.
    package static let mostDescriptors = 16

    /// The socket.
    package let descriptor: FileDescriptor

    /// Takes over a connected socket, such as descriptor 3 of a worker.
    package init(adopting descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Closes this end, so that the other one reads the end.
    package consuming func close() {}

    /// Two connected ends.
    package static func makePair() throws(FilesError) -> DescriptorChannelPair {
        try FileFaults.check("pair")
        var ends: (Int32, Int32) = (-1, -1)
        let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe bytes.withMemoryRebound(to: Int32.self) {
                unsafe clinux_packet_pair($0.baseAddress.unsafelyUnwrapped)
            }
        }
        guard result == 0 else { throw .last("pair") }
        return DescriptorChannelPair(
            first: DescriptorChannel(adopting: FileDescriptor(adopting: ends.0)),
            second: DescriptorChannel(adopting: FileDescriptor(adopting: ends.1))
        )
    }

    /// Sends one message; the receiver gets copies of the descriptors, the caller keeps its own.
    ///
    /// - Throws: `brokenPipe` when the other end is closed, `messageTooLong` above the socket's buffer (about 200 kB),
    ///   `wouldBlock` on a non-blocking socket.
    package func send(_ bytes: [UInt8], descriptors: [Int32] = []) throws(FilesError) {
        try FileFaults.check("send")
        _ = try retrying("send") {
            unsafe clinux_send_message(descriptor.rawValue, bytes, bytes.count, descriptors, descriptors.count)
        }
    }

    /// Receives one message; nil when the other end is closed.
    ///
    /// - Throws: `messageTooLong` for a message above `limit` bytes or more descriptors than allowed, which is then lost;
    ///   `wouldBlock` on a non-blocking socket.
    package func receive(
        limit: Int = 65_536,
        mostDescriptors: Int = DescriptorChannel.mostDescriptors
    ) throws(FilesError) -> DescriptorMessage? {
        try FileFaults.check("receive")
        var numbers = [Int32](repeating: -1, count: DescriptorChannel.mostDescriptors)
        var count = 0
        var failure: FilesError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            do throws(FilesError) {
                filled = try retrying("receive") {
                    unsafe clinux_receive_message(
                        descriptor.rawValue,
                        buffer.baseAddress,
                        buffer.count,
                        &numbers,
                        min(mostDescriptors, DescriptorChannel.mostDescriptors),
                        &count
                    )
                }
            } catch {
                failure = error
            }
        }
        if let failure {
            if failure.code == .brokenPipe { return nil }
            throw failure
        }
        // An empty message without descriptors looks like the end; nobody sends one.
        if bytes.isEmpty, count == 0 { return nil }
        return DescriptorMessage(bytes: bytes, descriptors: Array(numbers.prefix(count)))
    }
}

/// The two ends of a new channel.
package struct DescriptorChannelPair: ~Copyable, Sendable {
    package let first: DescriptorChannel
    package let second: DescriptorChannel

    /// Takes the pair apart.
    package consuming func take<Result: ~Copyable, Failure: Error>(
        _ body: (consuming DescriptorChannel, consuming DescriptorChannel) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(first, second)
    }
}

/// One message and the descriptors that came with it; those not taken are closed with it.
package struct DescriptorMessage: ~Copyable, Sendable {
    /// The message's bytes.
    package let bytes: [UInt8]

    private var descriptors: [Int32]

    init(bytes: [UInt8], descriptors: [Int32]) {
        self.bytes = bytes
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { _ = close(descriptor) }
    }

    /// How many descriptors have not been taken.
    package var descriptorCount: Int { descriptors.count }

    /// Takes the first descriptor that is left; nil when none is.
    package mutating func takeDescriptor() -> FileDescriptor? {
        descriptors.isEmpty ? nil : FileDescriptor(adopting: descriptors.removeFirst())
    }
}
