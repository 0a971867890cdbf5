private import CZeroMQ
private import Glibc
private import Synchronization

/// Owns libzmq's I/O thread; every socket of a process shares one.
///
/// Authentication belongs to a context too: at most one ``MessageServer`` can run in each.
package final class MessagingContext: Sendable {
    let handle: ContextHandle
    private let lastNumber = Atomic<UInt64>(0)

    /// Makes a context with one I/O thread.
    ///
    /// - Throws: ``MessagingError`` when the process has no descriptors left.
    package init() throws(MessagingError) {
        // A router's first routing id is two calls of rand(3) (libzmq 4.3.4, router.cpp, random.cpp), which nobody seeds:
        // the ids of every process would be the same, and a peer that claims the next one ends the process.
        srand(UInt32.random(in: UInt32.min...UInt32.max))
        handle = try ContextHandle()
    }

    /// An endpoint inside the process that nobody else of this context has.
    func makeEndpoint() -> String {
        "inproc://\(lastNumber.add(1, ordering: .relaxed).newValue)"
    }
}

// @unchecked: zmq(7) documents contexts as thread safe.
@safe struct ContextHandle: ~Copyable, @unchecked Sendable {
    let raw: UnsafeMutableRawPointer

    init() throws(MessagingError) {
        guard let raw = unsafe zmq_ctx_new() else { throw .current("zmq_ctx_new") }
        unsafe self.raw = raw
    }

    // Blocks while a socket is open; each socket's owner holds the context, so none is.
    deinit { unsafe zmq_ctx_term(raw) }
}
