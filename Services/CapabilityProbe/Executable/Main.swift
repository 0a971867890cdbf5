private import CapabilityProbeService
private import MessageSchema
private import ServiceRuntime

@main
struct Main {
    static func main() {
        ServiceProcess.run(.probe, settings: CapabilityProbe.settings) { host in
            let probe = try CapabilityProbe(host: host)
            await probe.register()
            // Runs beside the messages for as long as the service; ended by what is returned.
            let following = Task {
                async let restrictions: Void = probe.followRestrictions()
                await probe.followDevices()
                await restrictions
            }
            await probe.logReport()
            return { following.cancel() }
        }
    }
}
