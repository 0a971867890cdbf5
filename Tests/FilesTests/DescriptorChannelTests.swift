import Files
import Glibc
import TestSupport
import Testing

@Suite(.tags(.unit), .timeLimit(.minutes(1)))
struct DescriptorChannelTests {
    @Test func `a message arrives whole, with a working copy of each descriptor`() throws {
        try withTemporaryDirectory { _, directory in
            try directory.writeAtomically(Array("picture".utf8), to: "a")
            let pair = try DescriptorChannel.makePair()
            do {
                let file = try directory.open("a", .read)
                try pair.first.send(Array("inspect".utf8), descriptors: [file.rawValue])
            }
            guard var message = try pair.second.receive() else { return #expect(Bool(false), "no message") }
            #expect(String(decoding: message.bytes, as: UTF8.self) == "inspect")
            #expect(message.descriptorCount == 1)
            guard let file = message.takeDescriptor() else { return #expect(Bool(false), "no descriptor") }
            #expect(String(decoding: try file.readAll(limit: 99), as: UTF8.self) == "picture")
            #expect(message.descriptorCount == 0)
        }
    }

    @Test func `a closed end is the end and then an error`() throws {
        let pair = try DescriptorChannel.makePair()
        try pair.take { first, second throws in
            second.close()
            let hasMessage = try first.receive() != nil
            #expect(!hasMessage)
            let error = #expect(throws: FilesError.self) { try first.send([1]) }
            #expect(error?.code == .brokenPipe)
        }
    }

    @Test func `more descriptors than wanted are refused and closed`() throws {
        let pair = try DescriptorChannel.makePair()
        let before = try openDescriptors()
        try pair.first.send([1], descriptors: [0, 0, 0])
        let error = #expect(throws: FilesError.self) { _ = try pair.second.receive(mostDescriptors: 1) }
        #expect(error?.code == .messageTooLong)
        #expect(try openDescriptors() == before)
    }

    @Test func `a message above the limit is refused and the next one arrives`() throws {
        let pair = try DescriptorChannel.makePair()
        try pair.first.send([UInt8](repeating: 1, count: 100))
        try pair.first.send([2])
        let error = #expect(throws: FilesError.self) { _ = try pair.second.receive(limit: 99) }
        #expect(error?.code == .messageTooLong)
        let next = try pair.second.receive()?.bytes
        #expect(next == [2])
    }

    @Test func `a non-blocking end says so`() throws {
        let pair = try DescriptorChannel.makePair()
        try pair.second.descriptor.setNonBlocking(true)
        let error = #expect(throws: FilesError.self) { _ = try pair.second.receive() }
        #expect(error?.code == .wouldBlock)
    }

    private func openDescriptors() throws -> Int {
        try Directory(opening: "/proc/self/fd").entries().count
    }
}
