private import Consent
private import MessageSchema
package import Messaging
private import ServiceRuntime

/// Puts the exporter's messages on its server.
package struct ExporterMessages: Sendable {
    private let exporter: Exporter
    private let streamer: ExportStreamer
    private let isOperator: @Sendable (Call) -> Bool

    /// The messages of an exporter; an operator sees and controls all jobs.
    package init(_ exporter: Exporter, streamer: ExportStreamer, isOperator: @escaping @Sendable (Call) -> Bool) {
        self.exporter = exporter
        self.streamer = streamer
        self.isOperator = isOperator
    }

    /// Registers them.
    package func register(on server: MessageServer) async {
        let (exporter, streamer, isOperator) = (exporter, streamer, isOperator)
        await server.register(StartExport.self) { request, call in
            try await exporter.start(request, for: Asker(call), key: call.idempotencyKey)
        }
        await server.register(ListExports.self) { request, call in
            let principal = isOperator(call) ? nil : call.principal
            return ListExports.Reply(jobs: try await exporter.jobs(of: principal, id: request.job))
        }
        await server.register(ControlExport.self) { request, call in
            try await exporter.control(request, for: Asker(call), mayControlAll: isOperator(call))
        }
        await server.registerStream(FollowExport.self) { request, call, sink in
            let states = try await exporter.follow(request.job, for: call.principal, mayFollowAll: isOperator(call))
            for await job in states {
                if job.state != .running && job.state != .paused { return job }
                try await sink.send(job)
            }
            throw ErrorReply(.shuttingDown, "The exporter is ending", retryAfter: 1000)
        }
        await server.registerStream(StreamExport.self, takesAttachments: true) { request, call, sink in
            try await streamer.serve(
                request,
                for: Asker(call),
                job: "stream",
                present: call.attachments
            ) { item, attachments, admitting in
                try await sink.send(item, attachments: attachments, admitting: admitting)
            }
        }
    }
}
