package import EventLoop
private import Files
private import Glibc

/// The process's controlling terminal (tty(4)), where a person can be asked even when input and output are redirected.
package actor ControllingTerminal {
    private let loop: EventLoop
    private let file: FileDescriptor
    private var pending: [UInt8] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// Opens the terminal; nil without one, and for a job in the background, which would be stopped for reading it.
    package init?(loop: EventLoop) {
        guard let file = try? FileDescriptor(opening: "/dev/tty", [.readWrite, .nonBlocking]),
            tcgetpgrp(file.rawValue) == getpgrp()
        else { return nil }
        self.file = file
        self.loop = loop
    }

    isolated deinit {}

    /// This terminal as one at which a person is asked.
    package nonisolated var person: PersonTerminal {
        PersonTerminal(
            write: { self.show($0) },
            discardTyped: { await self.discardTyped() },
            // A terminal that was hung up has no foreground any more (tcgetpgrp(3): EIO).
            isClosed: { tcgetpgrp(self.file.rawValue) < 0 },
            readLine: { await self.readLine() }
        )
    }

    private nonisolated func show(_ text: String) {
        // What can not be shown is not answered either; the question then ends by its own time.
        _ = try? file.writeAll(Array(text.utf8))
    }

    private func discardTyped() {
        pending = []
        tcflush(file.rawValue, TCIFLUSH)
    }

    private func readLine() async -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            guard pending.count < 4_096,
                await loop.wait(for: .descriptor(file.rawValue, events: CShort(POLLIN))) == .ready
            else { return nil }
            do throws(FilesError) {
                let bytes = try file.read(upTo: 1_024)
                guard !bytes.isEmpty else { return nil }
                pending += bytes
            } catch {
                guard error.code == .wouldBlock else { return nil }
            }
        }
    }
}
