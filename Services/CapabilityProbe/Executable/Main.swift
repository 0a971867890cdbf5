private import CapabilityProbeService
private import MessageSchema
private import ServiceRuntime

@main
struct Main {
    static func main() {
        ServiceProcess.run(.probe, settings: ProbeConfiguration.settings) { host in
            let probe = try CapabilityProbe(host: host)
            await probe.register()
            await probe.logReport()
            return {}
        }
    }
}
