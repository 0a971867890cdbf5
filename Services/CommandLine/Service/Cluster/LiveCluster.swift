package import EventLoop
private import Glibc
package import MessageSchema
package import Messaging

/// The cluster whose sockets are in a directory, over ZeroMQ.
///
/// One connection for each service that is asked; it is made at the first request.
package actor LiveCluster: Cluster {
    private let runtimeDirectory: String
    private let context: MessagingContext
    private let loop: EventLoop
    private var clients: [ServiceName: MessageClient] = [:]

    package init(at runtimeDirectory: String, context: MessagingContext, loop: EventLoop) {
        self.runtimeDirectory = runtimeDirectory
        self.context = context
        self.loop = loop
    }

    package nonisolated func call<R: Request>(_ request: R, _ rules: CallRules) async throws -> R.Reply {
        try await client(for: R.name).call(request, CallOptions(rules))
    }

    package nonisolated func stream<R: StreamRequest>(
        _ request: R,
        _ rules: CallRules,
        _ each: @escaping @Sendable (R.Item, [UInt8]) async throws -> Void
    ) async throws -> R.Summary {
        let stream = try await client(for: R.name).stream(request, CallOptions(rules))
        do {
            while let item = try await stream.next() {
                try await each(item.value, item.attachments.first?.bytes ?? [])
            }
        } catch {
            await stream.cancel()
            throw error
        }
        guard let summary = stream.summary else { throw CancellationError() }
        return summary
    }

    package nonisolated func upload<R: UploadRequest>(
        _ request: R,
        _ rules: CallRules,
        _ next: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> R.Reply {
        try await client(for: R.name).upload(request, CallOptions(rules)) { try await next().map { Attachment($0) } }
    }

    private func client(for request: String) throws -> MessageClient {
        guard let service = ServiceName(answering: request) else {
            throw ErrorReply(.unknownRequest, "No service answers '\(request)'")
        }
        if let client = clients[service] { return client }
        let endpoint = ServiceEndpoint(service: service.rawValue, runtimeDirectory: runtimeDirectory)
        var configuration = ClientConfiguration()
        configuration.connectLimit = .seconds(10)
        do throws(MessagingError) {
            try endpoint.checkLength()
        } catch {
            throw ErrorReply(
                .invalidArgument,
                "The cluster can not be reached",
                reason: String(describing: error),
                recoverySuggestion: "use a runtime directory with a shorter path"
            )
        }
        try checkPresence(endpoint)
        do throws(MessagingError) {
            let client = try MessageClient(endpoint, context: context, loop: loop, configuration: configuration)
            clients[service] = client
            return client
        } catch {
            throw ErrorReply(.internalFault, "The cluster can not be reached", reason: String(describing: error))
        }
    }

    /// Says at once that there is no cluster, instead of waiting for one; a single service that is away is waited for.
    private func checkPresence(_ endpoint: ServiceEndpoint) throws {
        let coordinator = ServiceEndpoint(service: "coordinator", runtimeDirectory: runtimeDirectory)
        for path in [endpoint.programsPath, coordinator.programsPath] {
            if unsafe access(path, F_OK) == 0 { return }
        }
        throw ErrorReply(
            .serviceUnavailable,
            "No cluster",
            reason: "No service listens in '\(runtimeDirectory)'",
            recoverySuggestion: "start one with 'obscura up', or say where it is with --runtime DIR",
            retryAfter: 1_000,
            cause: "notConnected",
            parameters: ["service": endpoint.service, "runtime": runtimeDirectory]
        )
    }
}

extension CallOptions {
    fileprivate init(_ rules: CallRules) {
        self.init(
            timeout: rules.timeout,
            attachments: rules.attachments.map { Attachment($0) },
            idempotencyKey: rules.idempotencyKey,
            mayPrompt: rules.mayPrompt,
            purpose: rules.purpose
        )
    }
}
