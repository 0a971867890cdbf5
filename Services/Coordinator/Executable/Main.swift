private import CoordinatorService
private import MessageSchema
private import ServiceRuntime

@main
struct Main {
    static func main() {
        ServiceProcess.run(.coordinator) { host in
            let coordinator = try await Coordinator(host: host)
            await coordinator.register()
            // Lives as long as the process: services are watched beside the messages.
            let watching = Task { await coordinator.watch() }
            return {
                watching.cancel()
                await coordinator.close()
            }
        }
    }
}
