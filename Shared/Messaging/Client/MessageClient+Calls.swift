package import MessageSchema

extension MessageClient {
    /// Sends a request and waits for its reply.
    ///
    /// Cancelling the task sends `cancel`. The body is coded on the caller's executor.
    ///
    /// - Throws: `ErrorReply`: the service's own, or `serviceUnavailable`, `deadlineExceeded`, `cancelled`, `badMessage`.
    package nonisolated func call<R: Request>(_ request: R, _ options: CallOptions = CallOptions()) async throws
        -> R.Reply
    {
        try await answer(request, options).value
    }

    /// Sends a request and waits for its reply with attachments; otherwise as ``call(_:_:)``.
    package nonisolated func answer<R: Request>(
        _ request: R,
        _ options: CallOptions = CallOptions()
    ) async throws -> Answer<R.Reply> {
        let raw = try await exchange(R.name, try BodyCodec.encode(request), options)
        return Answer(try decode(R.Reply.self, raw.body), attachments: raw.attachments)
    }

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - options: A timeout bounds the whole stream, until its end.
    ///   - window: How many items may be on their way or waiting; what the request does not allow is taken as its limit.
    /// - Returns: The stream; a refusal comes with its first item.
    /// - Throws: `ErrorReply` if the service can not be reached.
    package nonisolated func stream<R: StreamRequest>(
        _ request: R,
        _ options: CallOptions = .unlimited,
        window: Int = 16
    ) async throws -> ItemStream<R> {
        let window = min(window, R.creditLimit)
        let serial = try await openStream(R.name, try BodyCodec.encode(request), options, window: window)
        return ItemStream(client: self, serial: serial)
    }

    /// Sends a request and then chunks, as fast as the service takes them, and waits for the reply.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - options: As for ``call(_:_:)``; a timeout bounds the whole upload.
    ///   - next: Gives the next chunk of at most 1 MiB, `nil` after the last; runs on the caller's executor.
    /// - Returns: The reply, which may come before all chunks were taken.
    /// - Throws: `ErrorReply`, or what `next` throws, which cancels the upload.
    package nonisolated func upload<R: UploadRequest>(
        _ request: R,
        _ options: CallOptions = .unlimited,
        _ next: @Sendable () async throws -> Attachment?
    ) async throws -> R.Reply {
        let serial = try await openUpload(R.name, try BodyCodec.encode(request), options)
        do {
            while try await waitForUploadCredit(serial) {
                guard let chunk = try await next() else {
                    try await endUpload(serial)
                    break
                }
                try await sendChunk(chunk, serial)
            }
            let raw = try await finishUpload(serial)
            return try decode(R.Reply.self, raw.body)
        } catch {
            await abandon(serial)
            throw error
        }
    }

    nonisolated func decode<Value: Decodable>(_ type: Value.Type, _ body: Attachment?) throws -> Value {
        do {
            return try BodyCodec.decode(type, from: body)
        } catch {
            throw ErrorReply(
                .badMessage,
                "An answer of \(service) can not be understood.",
                reason: error.detail,
                recoverySuggestion: "Use the same version of programs and services."
            )
        }
    }

    // MARK: On the loop

    private func exchange(_ name: String, _ body: [UInt8], _ options: CallOptions) async throws -> RawMessage {
        let exchange = try await open(.request, name, body, options, window: 1)
        defer { close(exchange) }
        return try await outcome(of: exchange)
    }

    private func openStream(_ name: String, _ body: [UInt8], _ options: CallOptions, window: Int) async throws -> UInt64
    {
        try await open(.stream, name, body, options, window: window).serial
    }

    private func openUpload(_ name: String, _ body: [UInt8], _ options: CallOptions) async throws -> UInt64 {
        try await open(.upload, name, body, options, window: 1).serial
    }

    /// Waits until the service takes a chunk.
    ///
    /// - Returns: `false` if it has answered already.
    private func waitForUploadCredit(_ serial: UInt64) async throws -> Bool {
        guard let exchange = exchanges[serial] else { return false }
        while exchange.outcome == nil {
            if exchange.outgoing.credit > 0 { return true }
            try await waitForChange(exchange)
        }
        return false
    }

    private func sendChunk(_ chunk: Attachment, _ serial: UInt64) async throws {
        guard chunk.count <= Limits.chunkBytes else {
            throw ErrorReply(.tooLarge, "A chunk has at most \(Limits.chunkBytes) bytes.")
        }
        guard let exchange = exchanges[serial], exchange.outcome == nil, let sequence = exchange.outgoing.take() else {
            return
        }
        var header = Header(.item, id: exchange.id)
        header.seq = sequence
        try await send(header, BodyCodec.empty, [chunk], for: exchange)
    }

    private func endUpload(_ serial: UInt64) async throws {
        guard let exchange = exchanges[serial], exchange.outcome == nil else { return }
        var header = Header(.end, id: exchange.id)
        header.seq = exchange.outgoing.nextSequence
        try await send(header, BodyCodec.empty, [], for: exchange)
    }

    private func finishUpload(_ serial: UInt64) async throws -> RawMessage {
        guard let exchange = exchanges[serial] else { throw ErrorReply.cancelled }
        defer { close(exchange) }
        return try await outcome(of: exchange)
    }

    /// Ends an exchange that nobody waits for any more.
    func abandon(_ serial: UInt64) {
        if let exchange = exchanges[serial] { close(exchange) }
    }

    // MARK: Streams, on the loop

    /// The next item of a stream, or how it ended.
    func nextItem(_ serial: UInt64, grantsCredit: Bool) async throws -> StreamElement {
        guard let exchange = exchanges[serial] else { throw ErrorReply.cancelled }
        while true {
            if !exchange.items.isEmpty {
                let item = exchange.items.removeFirst()
                if grantsCredit { grantCredit(exchange) }
                return .item(item)
            }
            if let outcome = exchange.outcome {
                close(exchange)
                return .end(try outcome.get())
            }
            try await waitForChange(exchange)
        }
    }

    /// Lets the service send the next item, and tells it what was applied.
    func acknowledge(_ serial: UInt64, _ number: Int64, ordinal: Int64) {
        guard let exchange = exchanges[serial], exchange.outcome == nil else { return }
        var header = exchange.unsaid ?? Header(.credit, id: exchange.id)
        header.credit = (header.credit ?? 0) + (exchange.incoming.consume() ?? 0)
        header.ack = number
        header.seq = ordinal
        exchange.unsaid = header
        sayUnsaid(exchange)
    }

    private func grantCredit(_ exchange: ClientExchange) {
        guard exchange.outcome == nil, let credit = exchange.incoming.consume() else { return }
        var header = exchange.unsaid ?? Header(.credit, id: exchange.id)
        header.credit = (header.credit ?? 0) + credit
        exchange.unsaid = header
        sayUnsaid(exchange)
    }
}

/// What comes out of a stream.
enum StreamElement: Sendable {
    case item(RawMessage)
    case end(RawMessage)
}
