package import MessageSchema

/// Where a stream's handler puts its items; sends nothing beyond the client's credit.
package struct ItemSink<Item: Encodable & Sendable>: Sendable {
    let exchange: ExchangeReference

    /// How many items the client would take now; readable from any thread, without waiting.
    package var credit: Int { exchange.state.credit }

    /// Sends an item, waiting for credit and for room.
    ///
    /// - Parameters:
    ///   - item: The item's body.
    ///   - attachments: At most 13, of at most 4 MiB each.
    ///   - admitting: Runs on the socket loop immediately before the item is handed to libzmq; what it throws goes to the
    ///     caller, and the item is not sent.
    /// - Throws: `CancellationError` when the stream has ended or the task was cancelled, what `admitting` threw, or
    ///   `EncodingError`.
    package func send(
        _ item: Item,
        attachments: [Attachment] = [],
        admitting: (@Sendable () throws -> Void)? = nil
    ) async throws {
        let body = try BodyCodec.encode(item)
        _ = try await exchange.server.sendItem(
            exchange.serial,
            body,
            attachments,
            mayWait: true,
            admitting: admitting
        )
    }

    /// Sends an item if the client takes one now, and drops it otherwise.
    ///
    /// - Returns: Whether it was sent.
    /// - Throws: As ``send(_:attachments:admitting:)``.
    package func offer(
        _ item: Item,
        attachments: [Attachment] = [],
        admitting: (@Sendable () throws -> Void)? = nil
    ) async throws -> Bool {
        let body = try BodyCodec.encode(item)
        return try await exchange.server.sendItem(
            exchange.serial,
            body,
            attachments,
            mayWait: false,
            admitting: admitting
        )
    }

    /// Waits until the client would take an item: it allowed one, and takes what is sent to it.
    ///
    /// - Throws: `CancellationError` when the stream has ended or the task was cancelled.
    package func waitForCredit() async throws { try await exchange.server.waitForCredit(exchange.serial) }

    /// Ends the stream with an error, from outside its handler, whose task is cancelled.
    package func fail(_ error: ErrorReply) async { await exchange.server.fail(exchange.serial, error) }

    /// Calls the handler on the server's loop for each acknowledgement: what was applied, and the acknowledgement's
    /// number.
    func onAcknowledgement(_ handler: @escaping @Sendable (Int64, Int64) -> Void) async {
        await exchange.server.setAcknowledgementHandler(exchange.serial, handler)
    }
}

/// Names an exchange of a server, for use outside its actor.
struct ExchangeReference: Sendable {
    let server: MessageServer
    let serial: UInt64
    let state: CallState
}

/// Where an upload's handler gets its chunks.
package struct UploadSource: Sendable {
    let exchange: ExchangeReference

    /// The next chunk, waiting for it; `nil` after the client said it was the last.
    ///
    /// Taking a chunk lets the client send another.
    ///
    /// - Throws: `CancellationError` when the upload has ended or the task was cancelled.
    package func next() async throws -> Attachment? { try await exchange.server.nextChunk(exchange.serial) }

    /// How many bytes have come so far.
    package var received: Int64 {
        get async { await exchange.server.receivedBytes(exchange.serial) }
    }
}
