private import CaptureService
private import MessageSchema
private import ServiceRuntime

@main
struct Main {
    static func main() {
        ServiceProcess.run(.capture, settings: Capture.settings) { host in
            let capture = try Capture(host: host, gate: host.gate)
            await capture.register()
            // Films that the library has not yet are delivered beside the service's work, as soon as it can take them.
            let delivering = Task { await capture.keepDelivering() }
            return { delivering.cancel() }
        }
    }
}
