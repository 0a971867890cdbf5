package import Containers
package import Files

extension RandomAccessBytes {
    /// The bytes of an open file, read through a window of 64 KiB so that small reads cost no call each.
    ///
    /// The descriptor must stay open as long as the bytes are used; a read that fails counts as the end of the file.
    package init(reading descriptor: borrowing FileDescriptor) throws(FilesError) {
        let window = Window(descriptor.rawValue)
        self.init(count: try descriptor.status().size) { offset, count in window.read(offset, count) }
    }
}

/// The part of the file that was read last; used by one thread.
private final class Window {
    private static let byteCount = 65_536

    private let number: Int32
    private var start: Int64 = 0
    private var held: [UInt8] = []

    init(_ number: Int32) { self.number = number }

    func read(_ offset: Int64, _ count: Int) -> [UInt8] {
        if count > Self.byteCount { return load(offset, count) }
        if offset < start || offset + Int64(count) > start + Int64(held.count) {
            held = load(offset, Self.byteCount)
            start = offset
        }
        return Array(held.dropFirst(Int(offset - start)).prefix(count))
    }

    private func load(_ offset: Int64, _ count: Int) -> [UInt8] {
        let descriptor = FileDescriptor(adopting: number)
        // An unreadable part is as good as none; the descriptor is not ours to close.
        let found = (try? descriptor.read(at: offset, upTo: count)) ?? []
        _ = descriptor.release()
        return found
    }
}
