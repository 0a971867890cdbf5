private import Consent
private import Media
private import MessageSchema
private import ServiceRuntime

/// What the doctor found, and what it means.
package struct Diagnosis: Encodable, Sendable {
    /// `personal`, `system`, or nil when no cluster answers.
    package private(set) var deployment: String?
    /// What consent is worth in this deployment.
    package private(set) var worth: String?
    package private(set) var findings: [Finding] = []

    /// Adds what was found.
    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// Whether everything works.
    package var isWell: Bool { !findings.contains { $0.state == .problem } }

    /// Looks at the cluster and the machine as this user sees them.
    package init(_ cluster: any Cluster, _ context: CommandContext, runtime: String, machine: MachineFacts) async {
        let isRoot = context.user.userID == 0
        findings.append(Self.runtime(runtime, machine))
        findings += Self.controlGroups(machine)
        findings += Self.callFilters(machine)
        let services: ListServices.Reply
        do {
            services = try await cluster.call(ListServices(), CallRules(timeout: .seconds(3)))
        } catch {
            let reply = error as? ErrorReply
            findings.append(
                Finding(
                    "cluster",
                    .problem,
                    reply?.sentence ?? String(describing: error),
                    advice: reply?.recoverySuggestion ?? "start one with 'obscura up'"
                )
            )
            findings += Self.nodes(machine, deployment: nil, isRoot: isRoot)
            return
        }
        deployment = services.deployment
        worth = Self.worth(services.deployment, isRoot: isRoot)
        findings += Self.services(services)
        findings += await Self.caller(cluster, context)
        findings += await Self.cameras(cluster)
        findings += await Self.microphones(cluster, machine)
        findings += Self.nodes(machine, deployment: services.deployment, isRoot: isRoot)
        if let data = Self.data(context.user, machine, deployment: services.deployment, isRoot: isRoot) {
            findings.append(data)
        }
    }

    private static func worth(_ deployment: String, isRoot: Bool) -> String {
        guard deployment == Deployment.system.rawValue else {
            return
                "Personal: programs of one user are not kept apart by Linux. They could open a camera or the library's "
                + "files themselves; consent is enforced in the services, and is advice between your own programs."
        }
        return
            "System: the services run as a user of their own, and consent is enforced against every other user's programs"
            + (isRoot ? ", but never against root, which you are." : ".")
    }

    private static func runtime(_ path: String, _ machine: MachineFacts) -> Finding {
        switch machine.canRead(path) {
        case true?: Finding("runtime directory", .ok, path)
        case false?:
            Finding("runtime directory", .problem, "\(path) is closed to you", advice: "say another with --runtime DIR")
        case nil:
            Finding("runtime directory", .problem, "\(path) is not there", advice: "start a cluster with 'obscura up'")
        }
    }

    private static func controlGroups(_ machine: MachineFacts) -> [Finding] {
        guard !machine.hasControlGroups else { return [] }
        return [
            Finding(
                "control groups",
                .warning,
                "no hierarchy is mounted, so units and containers are not told apart: each program counts as its user, and "
                    + "where the policy names containers nobody is let in",
                advice: "mount -t cgroup2 cgroup2 /sys/fs/cgroup"
            )
        ]
    }

    private static func callFilters(_ machine: MachineFacts) -> [Finding] {
        guard !machine.hasCallFilters else { return [] }
        return [
            Finding(
                "decoders",
                .warning,
                "this kernel has no filters of system calls, so what decodes strangers' files is not confined",
                advice: "use a kernel with CONFIG_SECCOMP_FILTER"
            )
        ]
    }

    private static func services(_ reply: ListServices.Reply) -> [Finding] {
        let present = reply.services.map { service in
            Finding(
                service.name.executable,
                // A service that is ready and has something to say works otherwise than it is meant to.
                service.state == .ready && service.detail == nil
                    ? .ok : [.ready, .degraded].contains(service.state) ? .warning : .problem,
                [service.state.rawValue, service.detail].compactMap(\.self).joined(separator: ": ")
            )
        }
        let names = Set(reply.services.map(\.name))
        let missing = ServiceName.allCases.filter { !names.contains($0) }.map {
            Finding($0.executable, .problem, "it has not registered", advice: "see what 'obscura up' says about it")
        }
        return present + missing
    }

    /// Who the caller is, and whether it may speak for the person.
    private static func caller(_ cluster: any Cluster, _ context: CommandContext) async -> [Finding] {
        var found: [Finding] = []
        do {
            let need = Need(.library, .addOnly)
            let own = try await cluster.call(PermissionStatus(needs: [need])).permissions.first
            let label = own?.label.map { ", labelled \(EscapedText.shown($0))" } ?? ""
            found.append(Finding("you", .ok, "\(own?.principal.description ?? "unknown")\(label)"))
        } catch {
            found.append(Finding("you", .problem, (error as? ErrorReply)?.sentence ?? String(describing: error)))
        }
        do {
            _ = try await cluster.call(ListPrompts())
            let canAsk = context.person != nil
            found.append(
                Finding(
                    "operator",
                    canAsk ? .ok : .warning,
                    "you may answer for the person" + (canAsk ? "" : ", but there is no terminal to ask on"),
                    advice: canAsk ? nil : "answer with 'obscura permissions answer', or decide before with '… grant'"
                )
            )
        } catch let error as ErrorReply where error.code == .operatorRequired {
            found.append(
                Finding("operator", .ok, "you are a program like any other; an operator decides for the person")
            )
        } catch {
            found.append(Finding("operator", .problem, (error as? ErrorReply)?.sentence ?? String(describing: error)))
        }
        return found
    }

    private static func cameras(_ cluster: any Cluster) async -> [Finding] {
        do {
            let reply = try await cluster.call(ListCameras())
            let cameras = reply.cameras
            guard !cameras.isEmpty else {
                return [
                    Finding(
                        "cameras",
                        .warning,
                        ["there is none", reply.problem].text,
                        advice: "connect one; 'obscura cameras watch' tells"
                    )
                ]
            }
            let problem = reply.problem.map { [Finding("cameras of hardware", .warning, $0)] } ?? []
            return problem
                + cameras.map { camera in
                    let state = camera.availability.state
                    let words = [state.rawValue, camera.availability.reason].compactMap(\.self).joined(separator: ": ")
                    let kind = camera.builtIn ? "built in" : camera.driver
                    return Finding(
                        "camera \(camera.id)",
                        state == .available || state == .busy ? .ok : .warning,
                        "\(camera.position.rawValue), \(kind), \(words)"
                    )
                }
        } catch {
            return [Finding("cameras", .problem, (error as? ErrorReply)?.sentence ?? String(describing: error))]
        }
    }

    private static func microphones(_ cluster: any Cluster, _ machine: MachineFacts) async -> [Finding] {
        do {
            let reply = try await cluster.call(ListMicrophones())
            // A machine without any is none that something is wrong with.
            let hasCard = machine.nodes.contains(where: \.isOfSound)
            let problem = reply.problem.map { Finding("microphones of hardware", hasCard ? .warning : .ok, $0) }
            return (problem.map { [$0] } ?? [])
                + reply.microphones.map { microphone in
                    let availability = microphone.availability
                    let state = availability.state
                    let words = [state.rawValue, availability.reason].compactMap(\.self).joined(separator: ": ")
                    let kind = microphone.builtIn ? "built in" : microphone.driver
                    return Finding(
                        "microphone \(microphone.id)",
                        state == .available || state == .busy ? .ok : .warning,
                        "\(kind), \(words)"
                    )
                }
        } catch {
            return [Finding("microphones", .problem, (error as? ErrorReply)?.sentence ?? String(describing: error))]
        }
    }

    private static func nodes(_ machine: MachineFacts, deployment: String?, isRoot: Bool) -> [Finding] {
        let isSystem = deployment == Deployment.system.rawValue
        return machine.nodes.map { node in
            switch (isSystem, node.isOpenToUser) {
            case (true, true) where isRoot: Finding(node.path, .ok, "open to you, as everything is to root")
            case (true, true):
                Finding(
                    node.path,
                    .warning,
                    "your programs can open it past the services, without consent",
                    advice: "give the node to the user 'obscura' alone (udev), and leave the group '\(node.group)'"
                )
            case (true, false): Finding(node.path, .ok, "closed to your programs, as it should be")
            case (false, true): Finding(node.path, .ok, "open to your services, and to your other programs too")
            case (false, false):
                Finding(node.path, .warning, "your services can not open it", advice: "join the group '\(node.group)'")
            }
        }
    }

    /// In a system deployment nobody else may look into the data.
    private static func data(_ user: UserSituation, _ machine: MachineFacts, deployment: String, isRoot: Bool)
        -> Finding?
    {
        guard deployment == Deployment.system.rawValue, !isRoot, let canRead = machine.canRead("/var/lib/obscura")
        else {
            return nil
        }
        return canRead
            ? Finding(
                "data directory",
                .problem,
                "/var/lib/obscura is open to you, so your programs can read the library without consent",
                advice: "chmod 0700 /var/lib/obscura"
            )
            : Finding("data directory", .ok, "/var/lib/obscura is closed to you, as it should be")
    }
}
