private import CaptureService
private import MessageSchema
private import ServiceRuntime

@main
struct Main {
    static func main() {
        ServiceProcess.run(.capture, settings: CaptureConfiguration.settings) { host in
            let capture = try Capture(host: host, gate: host.gate)
            await capture.register()
            // What an earlier run left behind is delivered beside the service's work, as soon as the library is there.
            let recovering = Task { await capture.recover() }
            return { recovering.cancel() }
        }
    }
}
