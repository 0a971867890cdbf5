package import MessageSchema

/// What a server answers.
///
/// A handler whose `remembersReplies` is true runs once for each idempotency key, and a repetition gets the reply of the
/// first from the server's ``IdempotencyStore``: for requests with an effect, whose reply may be repeated to a program
/// that has lost its permission since. What only reads must not have it, and what keeps its answers with its effect
/// needs it not: `Call` has the key.
///
/// Register before ``MessageServer/start()``: a name without a handler is `unknownRequest`.
extension MessageServer {
    /// Answers a request with a reply.
    package func register<R: Request>(
        _ type: R.Type,
        access: CallerRule = .anyone,
        remembersReplies: Bool = false,
        _ answer: @escaping @Sendable (R, Call) async throws -> R.Reply
    ) {
        add(R.name, .request, access, remembersReplies) { body, call, _ in
            let request = try Self.request(type, body)
            return Outcome(body: try BodyCodec.encode(try await answer(request, call)))
        }
    }

    /// Answers a request with a reply that has attachments, and takes a request that has some.
    package func registerWithAttachments<R: Request>(
        _ type: R.Type,
        access: CallerRule = .anyone,
        _ answer: @escaping @Sendable (R, Call) async throws -> Answer<R.Reply>
    ) {
        add(R.name, .request, access, false, takesAttachments: true) { body, call, _ in
            let request = try Self.request(type, body)
            let answer = try await answer(request, call)
            return Outcome(body: try BodyCodec.encode(answer.value), attachments: answer.attachments)
        }
    }

    /// Answers a request with a stream: the handler puts items into the sink and returns the summary.
    ///
    /// With `takesAttachments` the request may have attachments; otherwise one that has some is refused.
    package func registerStream<R: StreamRequest>(
        _ type: R.Type,
        access: CallerRule = .anyone,
        takesAttachments: Bool = false,
        _ produce: @escaping @Sendable (R, Call, ItemSink<R.Item>) async throws -> R.Summary
    ) {
        add(
            R.name,
            .stream,
            access,
            false,
            takesAttachments: takesAttachments,
            creditLimit: R.creditLimit
        ) { body, call, exchange in
            let request = try Self.request(type, body)
            return Outcome(body: try BodyCodec.encode(try await produce(request, call, ItemSink(exchange: exchange))))
        }
    }

    /// Answers an upload: the handler takes the chunks and returns the reply, which it may do early.
    package func registerUpload<R: UploadRequest>(
        _ type: R.Type,
        access: CallerRule = .anyone,
        _ consume: @escaping @Sendable (R, Call, UploadSource) async throws -> R.Reply
    ) {
        add(R.name, .upload, access, false) { body, call, exchange in
            let request = try Self.request(type, body)
            return Outcome(
                body: try BodyCodec.encode(try await consume(request, call, UploadSource(exchange: exchange)))
            )
        }
    }

    /// The request in a body; one with a senseless value is refused before its handler sees it.
    private static func request<R: Decodable & ParameterChecking>(_ type: R.Type, _ body: Attachment?) throws -> R {
        let request = try BodyCodec.decode(type, from: body)
        try request.checkParameters()
        return request
    }

    private func add(
        _ name: String,
        _ kind: Exchange.Kind,
        _ access: CallerRule,
        _ remembersReplies: Bool,
        takesAttachments: Bool = false,
        creditLimit: Int = Limits.credit,
        _ handle: @escaping Handling
    ) {
        precondition(handlers[name] == nil, "\(name) is registered twice")
        handlers[name] = Handler(
            kind: kind,
            access: access,
            remembersReplies: remembersReplies,
            takesAttachments: takesAttachments,
            creditLimit: creditLimit,
            handle: handle
        )
    }
}
