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
        let registered = Set(status.services.map(\.name))
        let missing = ServiceName.allCases.filter { !registered.contains($0) }
        if arguments[CommonParameters.json] {
            terminal.writeJSON(StatusLine(status: status, missing: missing))
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
            for name in missing { table.add(name.rawValue, nil, nil, nil, "it has not registered") }
            terminal.writeLine("\(status.deployment) deployment, \(status.ready ? "ready" : "not ready")")
            terminal.write(table, orSay: "there are no services")
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

/// How the cluster is, and which services the coordinator has not heard of since it started.
private struct StatusLine: Encodable {
    let status: ListServices.Reply
    let missing: [ServiceName]

    private enum Key: String, CodingKey { case missing }

    func encode(to encoder: any Encoder) throws {
        try status.encode(to: encoder)
        guard !missing.isEmpty else { return }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(missing, forKey: .missing)
    }
}
