private import LibraryIndexService
private import MessageSchema
private import ServiceRuntime

@main
struct Main {
    static func main() {
        ServiceProcess.run(.library, settings: LibraryConfiguration.settings) { host in
            try await LibraryStart.start(on: host, gate: host.gate)
        }
    }
}
