private import EventLoop
private import MessageSchema
private import Messaging
private import SQLite
package import ServiceRuntime

/// Puts the exporter together from what surrounds it.
package enum ExporterStart {
    /// Opens the jobs, registers the messages, and goes on with what was interrupted.
    ///
    /// - Parameters:
    ///   - host: The process's sockets, settings and log.
    ///   - gate: The process's one copy of the decisions.
    /// - Returns: What is to be done at the end: running jobs stop where they are and go on with the next start.
    /// - Throws: `ErrorReply`, `FilesError` or `MessagingError`, as their makers do.
    package static func start(on host: ServiceHost, gate: ConsentGate) async throws -> @Sendable () async -> Void {
        let source = ExportSource(library: try host.client(of: .library))
        let permission = ExportPermission(gate)
        let configuration = ExporterConfiguration(host.settings, dataDirectory: host.dataDirectory)
        let store = try await inWords { try ExportStore(in: host.dataDirectory) }
        let exporter = Exporter(
            Exporter.Surroundings(
                store: store,
                roots: configuration.roots,
                source: source,
                permission: permission,
                disk: EventLoop(name: "disk"),
                log: host.log
            ),
            loop: host.loop
        )
        let streamer = ExportStreamer(source: source, permission: permission)
        let messages = ExporterMessages(exporter, streamer: streamer) { host.isOperator($0.caller) }
        await messages.register(on: host.server)
        // Damage beyond the first page shows when the jobs are read.
        try await inWords { try await exporter.resumeInterrupted() }
        return { await exporter.stop() }
    }

    private static func inWords<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as SQLiteError {
            throw ErrorReply(
                error,
                of: "exporter",
                whenUnreadable: "Move it away: its jobs are forgotten, and every bag can be gone on with."
            )
        }
    }
}
