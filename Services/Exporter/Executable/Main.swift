private import ExporterService
private import MessageSchema
private import ServiceRuntime

@main
struct Main {
    static func main() {
        ServiceProcess.run(.exporter, settings: ExporterConfiguration.settings) { host in
            try await ExporterStart.start(on: host, gate: host.gate)
        }
    }
}
