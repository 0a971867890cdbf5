package import Files

/// An open file that several tasks may hold; closed when the last one lets go.
package final class SharedFile: Sendable {
    /// The descriptor.
    package let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}
