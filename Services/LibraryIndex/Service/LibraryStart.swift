private import Files
private import MessageSchema
private import Messaging
package import ServiceRuntime

/// Puts the library together from what surrounds it.
package enum LibraryStart {
    /// Opens the library, brings index and store into agreement, and registers the messages.
    ///
    /// - Parameters:
    ///   - host: The process's sockets, settings and log.
    ///   - gate: The process's one copy of the decisions.
    /// - Returns: What is to be done at the end.
    /// - Throws: `ErrorReply` (`alreadyRunning`, `databaseTooNew`, `damaged`, `cannotCreate`, `diskFull`), `SettingsError`.
    package static func start(on host: ServiceHost, gate: ConsentGate) async throws -> @Sendable () async -> Void {
        let configuration = try LibraryConfiguration(host.settings, dataDirectory: host.dataDirectory)
        let feed = ChangeFeed()
        do {
            let library = try await Library(
                at: configuration.location,
                limits: configuration.limits,
                log: host.log,
                announce: { events in feed.advance(to: events.last?.generation ?? 0) }
            )
            let service = LibraryService(library: library, gate: gate, feed: feed, log: host.log)
            await service.register(on: host.server, operatorsOnly: host.operatorsOnly)
            let keeping = Housekeeping(of: library, log: host.log)
            let space = SpaceWatch(of: library) { host.report(remark: $0) }
            return {
                await space.stop()
                await keeping.stop()
                await library.close()
            }
        } catch let error as FilesError {
            // The words of the start, which name the path; a program would be told that a write failed.
            throw error
        } catch {
            throw ErrorReply.library(error) ?? error
        }
    }
}
