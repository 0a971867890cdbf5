private import MessageSchema

/// `obscura status`.
struct StatusCommand: Command {
    private static let wait = Option("wait", "SECONDS", "Wait so long for all services to be ready", as: .duration)

    var signature: CommandSignature {
        CommandSignature(
            "status",
            "Shows the services of the cluster and how they are",
            discussion: "Ends with 0 when all services are ready, and with 69 when one is not.",
            parameters: [Self.wait],
            examples: [
                ("status", "one line for each service"),
                ("status --wait 10", "after 'obscura up &': waits until the cluster can be used"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let status = try await read(cluster, patience: arguments[Self.wait])
        let terminal = context.terminal
        if arguments[CommonParameters.json] {
            terminal.writeJSON(status)
        } else {
            var table = TextTable("service", "state", "pid", "since", "detail")
            for service in status.services {
                table.add(
                    service.name.rawValue,
                    service.state.rawValue,
                    "\(service.pid)",
                    service.since,
                    service.detail
                )
            }
            terminal.writeLine("\(status.deployment) deployment, \(status.ready ? "ready" : "not ready")")
            terminal.write(table, orSay: "no service has registered")
        }
        return status.ready ? .success : .unavailable
    }

    /// Asks until the cluster is ready or the patience is over, and gives the last answer.
    private func read(_ cluster: any Cluster, patience: Duration?) async throws -> ListServices.Reply {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: patience ?? .zero)
        while true {
            let isLast = clock.now >= end
            do {
                let status = try await cluster.call(ListServices(), CallRules(timeout: .seconds(2)))
                if status.ready || isLast { return status }
            } catch let error as ErrorReply {
                if isLast || ![.serviceUnavailable, .serverSilent, .deadlineExceeded].contains(error.code) {
                    throw error
                }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
