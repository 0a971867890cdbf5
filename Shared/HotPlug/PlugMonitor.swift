private import CLinux
private import EventLoop
package import Files
private import Glibc
package import Timekeeping

/// Tells that cameras, their subdevices or lights may have come, gone or changed.
///
/// Three mouths, none of which is enough alone: the kernel speaks at once, also in most containers; udev speaks when it has
/// set a node's permissions; and inotify on the folder of nodes sees those that somebody else makes or changes. Where one
/// is missing the others are listened to. Pinned to an event loop of its own.
package actor PlugMonitor {
    /// Messages that are taken before the loop is given back.
    private static let messagesInARow = 512

    private let loop = EventLoop(name: "hotplug")
    private let now: @Sendable () -> BootInstant
    private var socket: DeviceEventSocket?
    private var folder: FolderWatch?
    private var readiness: FileDescriptor?
    private var pending: PlugNews?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// Listens with what is given; nothing is read before `next`, and nothing is lost before it.
    ///
    /// - Parameters:
    ///   - socket: Where the kernel and udev tell of devices; nil where there is no such socket.
    ///   - folder: The folder of nodes; nil where it can not be watched.
    ///   - now: When something is heard.
    /// - Throws: `FilesError` where the process has no descriptor left.
    package init(
        socket: consuming DeviceEventSocket?,
        folder: consuming FolderWatch?,
        now: @escaping @Sendable () -> BootInstant = { .now() }
    ) throws(FilesError) {
        let descriptors = [Self.pollDescriptor(socket), Self.pollDescriptor(folder)]
        let number = unsafe descriptors.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return Int32(-1) }
            return unsafe clinux_readiness_of(start, buffer.count)
        }
        guard number >= 0 else { throw FilesError(errorNumber: errno, operation: "epoll") }
        readiness = FileDescriptor(adopting: number)
        self.socket = socket
        self.folder = folder
        self.now = now
    }

    isolated deinit {}

    /// Listens on this machine, or on one that looks like it.
    ///
    /// - Parameter devices: The folder of nodes.
    /// - Returns: The monitor, and what it has to do without, in words.
    package static func machine(devices: String = "/dev") -> (monitor: PlugMonitor?, missing: [String]) {
        var missing: [String] = []
        var socket: DeviceEventSocket?
        var folder: FolderWatch?
        do throws(FilesError) {
            socket = try DeviceEventSocket()
        } catch {
            missing.append("the kernel's events: errno \(error.errorNumber)")
        }
        do throws(FilesError) {
            folder = try FolderWatch(devices)
        } catch {
            missing.append("changes of \(devices): errno \(error.errorNumber)")
        }
        do throws(FilesError) {
            return (try PlugMonitor(socket: socket, folder: folder), missing)
        } catch {
            return (nil, missing + ["all of it: errno \(error.errorNumber)"])
        }
    }

    /// Waits for news, and takes all that there are.
    ///
    /// For one listener at a time. With nothing to listen to it waits until it is cancelled.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled, and no news are lost by it.
    package func next() async throws(CancellationError) -> PlugNews {
        while true {
            let mayBeMore = takeAll()
            if let news = pending {
                pending = nil
                return news
            }
            // Others on this loop get their turn between two helpings of nonsense.
            let deadline = mayBeMore ? now() : nil
            if let descriptor = readiness?.rawValue {
                let wake = await loop.wait(for: .descriptor(descriptor, events: CShort(POLLIN)), until: deadline)
                if wake == .cancelled { throw CancellationError() }
            } else {
                try await loop.sleep(until: now() + .seconds(3600))
            }
        }
    }

    /// Reads what waits.
    ///
    /// - Returns: Whether more may wait.
    private func takeAll() -> Bool {
        takeChanges()
        for _ in 0..<Self.messagesInARow {
            switch socket?.receive() ?? .nothing {
            case .event(let event):
                guard PlugNews.concerns(event) else { continue }
                // A light has no node; the name of its folder stands for it.
                let name = event.node ?? event.path.split(separator: "/").last.map(String.init) ?? event.path
                hear { $0.add(name) }
            case .nonsense: continue
            case .overflow: hear { $0.addOverflow() }
            case .nothing: return false
            case .failed:
                // What can not be read is always ready: listening on would spin.
                socket = nil
                hear { $0.addOverflow() }
                waitForWhatIsLeft()
                return false
            }
        }
        return true
    }

    private func takeChanges() {
        guard folder != nil else { return }
        guard let changes = folder?.changes() else { return endFolder() }
        for change in changes {
            switch change.kind {
            case .entry where PlugNews.concerns(node: change.name): hear { $0.add(change.name) }
            case .entry: continue
            case .overflow: hear { $0.addOverflow() }
            case .gone: return endFolder()
            }
        }
    }

    private func endFolder() {
        folder = nil
        hear { $0.addOverflow() }
        waitForWhatIsLeft()
    }

    private func waitForWhatIsLeft() {
        let left = Self.pollDescriptor(socket) >= 0 || Self.pollDescriptor(folder) >= 0
        // A closed descriptor has left the set by itself (epoll(7)).
        if !left { readiness = nil }
    }

    private func hear(_ change: (inout PlugNews) -> Void) {
        var news = pending ?? PlugNews(since: now())
        change(&news)
        pending = news
    }

    private static func pollDescriptor(_ socket: borrowing DeviceEventSocket?) -> Int32 {
        switch socket {
        case .some(let socket): socket.pollDescriptor
        case .none: -1
        }
    }

    private static func pollDescriptor(_ folder: borrowing FolderWatch?) -> Int32 {
        switch folder {
        case .some(let folder): folder.pollDescriptor
        case .none: -1
        }
    }
}
