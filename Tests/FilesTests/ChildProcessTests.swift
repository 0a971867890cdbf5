import Files
import Glibc
import TestSupport
import Testing

@Suite(.tags(.unit), .timeLimit(.minutes(1)))
struct ChildProcessTests {
    private func shell(_ script: String) -> ChildRequest {
        var request = ChildRequest(executable: "/bin/sh")
        request.arguments = ["-c", script]
        return request
    }

    private func output(of request: ChildRequest) throws -> String {
        let pipe = try FileDescriptor.pipe()
        return try pipe.take { readEnd, writeEnd throws in
            var request = request
            request.descriptors.append(.init(here: writeEnd.rawValue, there: 1))
            var child = try ChildProcess(request)
            try writeEnd.close()
            let text = String(decoding: try readEnd.readAll(limit: 65_536), as: UTF8.self)
            _ = try child.wait()
            return text
        }
    }

    @Test func `a child tells its code once and for ever`() throws {
        var child = try ChildProcess(shell("exit 7"))
        #expect(try child.wait() == .exited(7))
        #expect(try child.exitStatus() == .exited(7))
    }

    @Test func `a signal is told apart from a code`() throws {
        var child = try ChildProcess(shell("while :; do read x; done < /dev/zero"))
        #expect(try child.exitStatus() == nil)
        child.signal(SIGKILL)
        #expect(try child.wait() == .signaled(SIGKILL))
    }

    @Test func `a dropped child is killed and reaped`() throws {
        let processID: Int32
        do {
            let child = try ChildProcess(shell("read x"))
            processID = child.processID
        }
        #expect(kill(processID, 0) == -1 && errno == ESRCH)
    }

    @Test func `an executable that is not there is an error and no child`() throws {
        let error = #expect(throws: FilesError.self) { _ = try ChildProcess(ChildRequest(executable: "/no/such")) }
        #expect(error?.code == .notFound)
        #expect(error?.operation == "spawn: execute")
    }

    @Test func `a child gets the listed descriptors and no others`() throws {
        try withTemporaryDirectory { _, directory in
            let leaked = try directory.open("leak", [.write, .create])
            let open = dup(leaked.rawValue)
            defer { close(open) }
            let (first, second) = (dup(leaked.rawValue), dup(leaked.rawValue))
            defer {
                close(first)
                close(second)
            }
            var request = shell("ls /proc/self/fd | tr '\\n' ' '")
            request.descriptors = [.init(here: first, there: second), .init(here: second, there: 5)]
            let numbers = try output(of: request).split(separator: " ").compactMap { Int32($0) }.sorted()
            // `ls` itself opens 3 to list the directory.
            #expect(numbers == [0, 1, 2, 3, 5, second])
        }
    }

    @Test func `environment, directory, arguments and limits are as asked`() throws {
        try withTemporaryDirectory { path, _ in
            var request = shell("echo $NAME $HOME; pwd; ulimit -n; ulimit -v; ulimit -c; echo $1")
            request.arguments += ["sh", "a b"]
            request.environment = ["NAME": "value"]
            request.workingDirectory = path
            request.limits.openFiles = 33
            request.limits.addressSpace = 1 << 30
            request.limits.coreBytes = 0
            let text = try output(of: request)
            #expect(text == "value\n\(path)\n33\n1048576\n0\na b\n")
        }
    }

    @Test func `a process group of its own has the child's number`() throws {
        var request = shell("read x")
        request.hasOwnGroup = true
        let child = try ChildProcess(request)
        #expect(getpgid(child.processID) == child.processID)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func `a child can be another user without the groups of this one`() throws {
        var request = shell("id -u; id -g; id -G")
        request.identity = .init(user: 65_534, group: 65_534)
        let text = try output(of: request)
        #expect(text == "65534\n65534\n65534\n")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func `a child has the groups that its user is given, such as that of cameras`() throws {
        var request = shell("id -G")
        request.identity = .init(user: 65_534, group: 65_534, groups: [65_534, 44, 27])
        let groups = try output(of: request).split { $0 == " " || $0 == "\n" }
        #expect(Set(groups) == ["65534", "44", "27"])
    }

    @Test func `the groups of a user are in the database`() {
        #expect(UserDatabase.user(named: "root").map { $0.user == 0 && $0.groups.contains($0.group) } == true)
        #expect(UserDatabase.user(named: "nobody-of-this-name") == nil)
        #expect(UserDatabase.group(named: "root") == 0)
    }

    @Test func `too much processor time ends a child`() throws {
        var request = shell("while :; do :; done")
        request.limits.processorSeconds = 1
        var child = try ChildProcess(request)
        #expect(try child.wait() == .signaled(SIGKILL))
    }

    @Test func `a child of a task survives the task's thread`() async throws {
        var request = shell("read x; exit 3")
        request.parentDeathSignal = SIGKILL
        let pipe = try FileDescriptor.pipe()
        let input = pipe.readEnd.rawValue
        request.descriptors = [.init(here: input, there: 0)]
        // A thread that ends right after it has started the child.
        let (number, processID) = try await withCheckedThrowingContinuation { continuation in
            ThreadBody.run { [request] in
                do {
                    let child = try ChildProcess(request)
                    let processID = child.processID
                    continuation.resume(returning: (try child.descriptor.duplicate().release(), processID))
                    ThreadBody.keep(child)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        let ended = FileDescriptor(adopting: number)
        #expect(try ended.waitUntilReadable(for: .milliseconds(200)) == false)
        try pipe.writeEnd.writeAll(Array("\n".utf8))
        #expect(try ended.waitUntilReadable(for: .seconds(10)))
        // Nobody else will: a child that nobody reaps keeps the testing library from seeing the ends of its exit tests.
        var status: Int32 = 0
        #expect(unsafe waitpid(processID, &status, 0) == processID)
    }
}

/// A thread of the test's own.
private enum ThreadBody {
    static func run(_ body: @escaping @Sendable () -> Void) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
        unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            box
        )
        pthread_detach(thread)
    }

    /// Keeps a child from being killed by being dropped.
    static func keep(_ child: consuming ChildProcess) {
        final class Holder: Sendable {
            let child: ChildProcess
            init(_ child: consuming ChildProcess) { self.child = child }
        }
        _ = unsafe Unmanaged.passRetained(Holder(child))
    }
}
