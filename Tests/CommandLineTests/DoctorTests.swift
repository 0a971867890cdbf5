import CommandLineService
import Consent
import FoundationEssentials
import Media
import MessageSchema
import ServiceRuntime
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The doctor` {
    private func diagnose(
        _ cluster: FakeCluster,
        userID: UInt32 = 1000,
        nodes: [MachineFacts.Node] = [],
        dataIsOpen: Bool? = nil,
        hasControlGroups: Bool = true,
        hasCallFilters: Bool = true
    ) async -> Diagnosis {
        let record = OutputRecord()
        let context = CommandContext(
            terminal: Terminal(output: record.sink, errors: record.sink, environment: [:]),
            user: UserSituation(environment: [:], userID: userID, account: nil),
            interruption: Interruption(),
            executable: "/bin/obscura",
            connect: { _ in cluster }
        )
        let machine = MachineFacts(nodes: nodes, hasControlGroups: hasControlGroups, hasCallFilters: hasCallFilters) {
            $0 == "/var/lib/obscura" ? dataIsOpen : true
        }
        return await Diagnosis(cluster, context, runtime: "/r", machine: machine)
    }

    private func cluster(_ deployment: String, isOperator: Bool) -> FakeCluster {
        let cluster = FakeCluster()
        cluster.on(ListServices.self) { _ in
            let services = ServiceName.allCases.map { name in
                ServiceStatus(
                    name: name,
                    instance: "1",
                    pid: 1,
                    version: "0.1",
                    state: .ready,
                    since: "2026-11-30T03:45:00Z",
                    endpoints: []
                )
            }
            return .init(deployment: deployment, ready: true, services: services)
        }
        cluster.on(PermissionStatus.self) { _ in
            .init(permissions: [.init(principal: .user(1000), resource: .library, access: .addOnly, status: .denied)])
        }
        cluster.on(ListPrompts.self) { _ in
            if !isOperator { throw ErrorReply(.operatorRequired, "Not an operator") }
            return .init(prompts: [])
        }
        cluster.on(ListCameras.self) { _ in .init(cameras: [Samples.camera("b", .back)]) }
        return cluster
    }

    @Test func `says that consent is advice between the programs of one user`() async {
        let diagnosis = await diagnose(cluster("personal", isOperator: true))
        #expect(diagnosis.isWell)
        #expect(diagnosis.deployment == "personal")
        #expect(diagnosis.worth?.hasPrefix("Personal: programs of one user are not kept apart by Linux.") == true)
        #expect(diagnosis.findings.contains { $0.about == "operator" && $0.state == .warning })
        #expect(diagnosis.findings.contains { $0.about == "you" && $0.detail == "uid:1000" })
    }

    @Test func `finds what makes a system deployment's promise untrue`() async {
        let open = [MachineFacts.Node(path: "/dev/video0", isOpenToUser: true)]
        let diagnosis = await diagnose(cluster("system", isOperator: false), nodes: open, dataIsOpen: true)
        #expect(!diagnosis.isWell)
        #expect(diagnosis.worth?.hasSuffix("against every other user's programs.") == true)
        #expect(diagnosis.findings.contains { $0.about == "/dev/video0" && $0.state == .warning })
        #expect(diagnosis.findings.contains { $0.about == "data directory" && $0.state == .problem })
        #expect(diagnosis.findings.contains { $0.about == "operator" && $0.state == .ok })
        let closed = [MachineFacts.Node(path: "/dev/video0", isOpenToUser: false)]
        let well = await diagnose(cluster("system", isOperator: false), nodes: closed, dataIsOpen: false)
        #expect(well.isWell)
        #expect(!well.findings.contains { $0.state != .ok })
    }

    @Test func `warns of a service that is ready and says that something is not as it should be`() async {
        let cluster = cluster("personal", isOperator: true)
        let old = try? await cluster.call(ListServices())
        var services = old?.services ?? []
        services[0].detail = "the policy of 2026-11-30T03:45:00Z stays in force: the policy is no JSON"
        let (name, chosen) = (services[0].name.executable, services)
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: true, services: chosen) }
        let diagnosis = await diagnose(cluster)
        #expect(diagnosis.isWell)
        let finding = diagnosis.findings.first { $0.about == name }
        #expect(finding?.state == .warning && finding?.detail.contains("stays in force") == true)
    }

    @Test func `names a service that has not registered, and a cluster that does not answer`() async {
        let partial = cluster("personal", isOperator: true)
        partial.on(ListServices.self) { _ in .init(deployment: "personal", ready: false, services: []) }
        let diagnosis = await diagnose(partial)
        #expect(!diagnosis.isWell)
        #expect(
            diagnosis.findings.filter { $0.state == .problem }.map(\.about).sorted() == [
                "obscura-capture", "obscura-coordinator", "obscura-exporter", "obscura-library", "obscura-probe",
            ]
        )
        let absent = await diagnose(FakeCluster())
        #expect(!absent.isWell)
        #expect(absent.deployment == nil)
        #expect(absent.findings.contains { $0.about == "cluster" && $0.state == .problem })
    }

    @Test func `a machine without control groups is told what that takes away`() async {
        for cluster in [cluster("system", isOperator: true), FakeCluster()] {
            let finding = await diagnose(cluster, hasControlGroups: false).findings.first {
                $0.about == "control groups"
            }
            #expect(finding?.state == .warning)
            #expect(finding?.advice?.contains("cgroup2") == true)
            #expect(await !diagnose(cluster).findings.contains { $0.about == "control groups" })
        }
    }

    @Test func `a machine on which decoders can not be confined is told so`() async {
        for cluster in [cluster("personal", isOperator: true), FakeCluster()] {
            let finding = await diagnose(cluster, hasCallFilters: false).findings.first { $0.about == "decoders" }
            #expect(finding?.state == .warning)
            #expect(await !diagnose(cluster).findings.contains { $0.about == "decoders" })
        }
    }

    @Test func `schema needs no cluster and knows one message from another`() async throws {
        let all = await obscura("schema", "--json")
        #expect(all.status == .success)
        #expect(all.lines.count == 1)
        #expect(all.text.contains(#""$schema":"https://json-schema.org/draft/2020-12/schema""#))
        let one = await obscura("schema", "library.read", "--json")
        #expect(one.text.contains(#""messages":{"library.read":{"form":"stream""#))
        let document = try JSONDecoder().decode(PrintedSchema.self, from: Data(one.output))
        let types = Set(document.definitions.keys)
        #expect(types.contains("ErrorReply") && !types.contains("Camera") && !types.contains("PermissionState"))
        // All that is referred to is there, and nothing else.
        let referred = one.text.split(separator: "#/$defs/").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(types == Set(referred.map(String.init)))
        let typo = await obscura("schema", "library.raed")
        #expect(typo.status == .usage)
        #expect(typo.errors.contains("did you mean 'library.read'?"))
    }
}

/// The types that a printed schema has.
private struct PrintedSchema: Decodable {
    struct AnyType: Decodable {}

    let definitions: [String: AnyType]

    private enum CodingKeys: String, CodingKey { case definitions = "$defs" }
}
